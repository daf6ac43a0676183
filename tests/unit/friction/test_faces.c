// Faces of arrangements: counts that are known, signs against a brute-force sampling.
#include "friction/faces.h"

#include "near.h"
#include "random.h"

static void one_freedom_has_three_faces(void **state) {
    (void)state;
    const double normal[] = {1.0, -0.5, 2.0, 0.3}, offset[4] = {0.0};
    br_faces f;
    br_faces_find(4, 1, normal, offset, 1e-9, &f);
    assert_int_equal(f.count, 3);
    assert_true(f.complete);
    assert_int_equal(f.face[0].moving, 0);
    for (int k = 0; k < 4; k++) assert_int_equal(f.face[0].sign[k], 0);
    for (int k = 0; k < 4; k++) assert_int_equal(f.face[1].sign[k], -f.face[2].sign[k]);
    assert_int_equal(f.face[1].sign[0] * f.face[1].sign[1], -1);
}

static void what_no_freedom_moves_has_the_sign_of_its_offset(void **state) {
    (void)state;
    const double normal[] = {1.0, 0.0}, offset[] = {0.0, -0.7};
    br_faces f;
    br_faces_find(2, 1, normal, offset, 1e-9, &f);
    assert_int_equal(f.count, 3);
    for (int k = 0; k < 3; k++) assert_int_equal(f.face[k].sign[1], -1);
}

// Three lines through a point of the plane: 6 sectors, 6 rays, the point.
static void lines_of_a_plane(void **state) {
    (void)state;
    const double normal[] = {1, 0, 0, 1, 1, 1}, offset[3] = {0.0};
    br_faces f;
    br_faces_find(3, 2, normal, offset, 1e-9, &f);
    assert_int_equal(f.count, 13);
}

// Every sign vector that a random y has is among the faces, and cells are counted as they should be.
static void no_sign_vector_is_missing(void **state) {
    (void)state;
    rng r = {7};
    for (int trial = 0; trial < 40; trial++) {
        const int rows = 3 + trial % 4, d = 1 + trial % 3, affine = trial % 2;
        double normal[18], offset[6];
        br_faces f;
        for (int k = 0; k < rows * d; k++) normal[k] = rng_uniform(&r, -1, 1);
        for (int k = 0; k < rows; k++) offset[k] = affine ? rng_uniform(&r, -0.5, 0.5) : 0.0;
        br_faces_find(rows, d, normal, offset, 1e-9, &f);
        assert_true(f.complete);
        for (int look = 0; look < 400; look++) {
            double y[3];
            int found = 0;
            for (int c = 0; c < d; c++) y[c] = rng_uniform(&r, -3, 3);
            for (int k = 0; k < f.count && !found; k++) {
                found = 1;
                for (int i = 0; i < rows; i++) {
                    double value = offset[i];
                    for (int c = 0; c < d; c++) value += normal[i * d + c] * y[c];
                    found &= f.face[k].sign[i] == (value > 0 ? 1 : -1);
                }
            }
            assert_true(found);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_freedom_has_three_faces),
        cmocka_unit_test(what_no_freedom_moves_has_the_sign_of_its_offset),
        cmocka_unit_test(lines_of_a_plane),
        cmocka_unit_test(no_sign_vector_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
