// Global problems in the velocity form: the blocks say the same as M and H, and nodes are found.
#include "bristle/io.h"
#include "random.h"
#include "temp_file.h"

enum { N_MAX = 40 };

typedef struct dense {
    int n, m;
    double M[N_MAX][N_MAX], H[N_MAX][N_MAX];
} dense;

static br_problem_file *read_dense(const dense *d, int dim) {
    const char *path = temp_path("dense.cp");
    FILE *file = fopen(path, "w");
    int mass = 0, jacobian = 0;
    for (int i = 0; i < d->n; i++) {
        for (int j = 0; j < d->n; j++) mass += d->M[i][j] != 0;
        for (int j = 0; j < d->m; j++) jacobian += d->H[i][j] != 0;
    }
    fprintf(file, "TYPE GFC%dD\nnc %d\ndim %d\nMATRIX M %d %d %d\n", dim, d->m / dim, dim, d->n, d->n, mass);
    for (int j = d->n - 1; j >= 0; j--)
        for (int i = 0; i < d->n; i++)
            if (d->M[i][j] != 0) fprintf(file, "%d %d %.17g\n", i, j, d->M[i][j]);
    fprintf(file, "MATRIX H %d %d %d\n", d->n, d->m, jacobian);
    for (int j = 0; j < d->m; j++)
        for (int i = 0; i < d->n; i++)
            if (d->H[i][j] != 0) fprintf(file, "%d %d %.17g\n", i, j, d->H[i][j]);
    fprintf(file, "VECTOR f %d\n", d->n);
    for (int i = 0; i < d->n; i++) fprintf(file, "%d\n", i);
    fprintf(file, "VECTOR w %d\n", d->m);
    for (int i = 0; i < d->m; i++) fprintf(file, "%d\n", -i);
    fprintf(file, "VECTOR mu %d\n", d->m / dim);
    for (int i = 0; i < d->m / dim; i++) fprintf(file, "0.5\n");
    fclose(file);
    br_problem_file *out = NULL;
    br_error error;
    assert_int_equal(br_problem_file_read(path, NULL, &out, &error), BR_OK);
    return out;
}

static void blocks_say_the_same(const br_problem *p, const dense *d) {
    static double M[N_MAX][N_MAX], J[N_MAX][N_MAX];
    memset(M, 0, sizeof M);
    memset(J, 0, sizeof J);
    const br_velocity_form *f = &p->velocity;
    assert_int_equal(p->form, BR_FORM_VELOCITY);
    int first[N_MAX + 1] = {0};
    for (int k = 0; k < f->nodes; k++) first[k + 1] = first[k] + f->node_dim[k];
    assert_int_equal(first[f->nodes], d->n);
    const double *x = f->mass;
    for (int I = 0; I < f->nodes; I++) {
        assert_int_equal(f->mass_node[f->mass_start[I + 1] - 1], I); // the diagonal comes last
        for (int k = f->mass_start[I]; k < f->mass_start[I + 1]; k++) {
            if (k > f->mass_start[I]) assert_true(f->mass_node[k] > f->mass_node[k - 1]);
            for (int r = 0; r < f->node_dim[I]; r++)
                for (int c = 0; c < f->node_dim[f->mass_node[k]]; c++, x++) {
                    const int i = first[I] + r, j = first[f->mass_node[k]] + c;
                    M[i][j] = M[j][i] = *x;
                }
        }
    }
    x = f->jacobian;
    for (int l = 0; l < p->laws; l++)
        for (int k = f->jacobian_start[l]; k < f->jacobian_start[l + 1]; k++) {
            if (k > f->jacobian_start[l]) assert_true(f->jacobian_node[k] > f->jacobian_node[k - 1]);
            for (int r = 0; r < p->law[l].rows; r++)
                for (int c = 0; c < f->node_dim[f->jacobian_node[k]]; c++, x++)
                    J[p->law[l].first_row + r][first[f->jacobian_node[k]] + c] = *x;
        }
    for (int i = 0; i < d->n; i++) {
        assert_near(f->momentum[i], i, 0);
        for (int j = 0; j < d->n; j++) assert_near(M[i][j], d->M[i][j], 0);
        for (int j = 0; j < d->m; j++) assert_near(J[j][i], d->H[i][j], 0);
    }
    for (int j = 0; j < d->m; j++) assert_near(p->offset[j], -j, 0);
}

static int node_dim_of(const dense *d, int dim) {
    br_problem_file *file = read_dense(d, dim);
    blocks_say_the_same(br_problem_file_problem(file), d);
    const int node_dim = br_problem_file_info(file).node_dim;
    br_problem_file_free(file);
    return node_dim;
}

static void bodies_are_found(void **state) {
    (void)state;
    rng r = {7};
    dense d = {.n = 24, .m = 12};
    for (int i = 0; i < 24; i++) d.M[i][i] = 1 + i;
    for (int c = 0; c < 4; c++) // contact c between bodies c and (c + 1) % 4
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 6; k++) {
                d.H[6 * c + k][3 * c + row] = rng_uniform(&r, -1, 1);
                d.H[6 * ((c + 1) % 4) + k][3 * c + row] = rng_uniform(&r, -1, 1);
            }
    assert_int_equal(node_dim_of(&d, 3), 6);
}

static void spheres_whose_contacts_leave_a_velocity_alone_are_bodies(void **state) {
    (void)state;
    dense d = {.n = 12, .m = 6};
    for (int i = 0; i < 12; i++) d.M[i][i] = 2;
    for (int b = 0; b < 2; b++) { // each on the floor: rotation about the normal does not occur
        d.H[6 * b + 2][3 * b] = 1;
        d.H[6 * b + 0][3 * b + 1] = 1;
        d.H[6 * b + 4][3 * b + 1] = -0.5;
        d.H[6 * b + 1][3 * b + 2] = 1;
        d.H[6 * b + 3][3 * b + 2] = 0.5;
    }
    assert_int_equal(node_dim_of(&d, 3), 6);
}

static void point_masses_stay_apart(void **state) {
    (void)state;
    dense d = {.n = 24, .m = 12};
    for (int i = 0; i < 24; i++) d.M[i][i] = 1;
    for (int c = 0; c < 4; c++) // between masses 2c and 2c + 3 (mod 8): never the two halves of one six
        for (int row = 0; row < 3; row++) {
            d.H[6 * c + row][3 * c + row] = 1;
            d.H[(6 * c + 9 + row) % 24][3 * c + row] = -1;
        }
    assert_int_equal(node_dim_of(&d, 3), 3);
}

static void planar_bodies_have_three_velocities(void **state) {
    (void)state;
    dense d = {.n = 12, .m = 4};
    for (int i = 0; i < 12; i++) d.M[i][i] = 1;
    for (int c = 0; c < 2; c++)
        for (int row = 0; row < 2; row++)
            for (int k = 0; k < 3; k++)
                d.H[3 * c + k][2 * c + row] = 1 + k, d.H[3 * (c + 2) + k][2 * c + row] = -1;
    assert_int_equal(node_dim_of(&d, 2), 3);
    dense points = {.n = 12, .m = 4};
    for (int i = 0; i < 12; i++) points.M[i][i] = 1;
    for (int c = 0; c < 2; c++)
        for (int row = 0; row < 2; row++) points.H[2 + 6 * c + row][2 * c + row] = 1;
    assert_int_equal(node_dim_of(&points, 2), 2);
}

static void coupled_masses_keep_their_off_diagonal_blocks(void **state) {
    (void)state;
    rng r = {3};
    dense d = {.n = 18, .m = 6};
    for (int i = 0; i < 18; i++)
        for (int j = 0; j <= i; j++)
            d.M[i][j] = d.M[j][i] = i == j ? 20 : rng_uniform(&r, -1, 1) * (i - j < 9 || j < 2);
    for (int c = 0; c < 2; c++)
        for (int row = 0; row < 3; row++) d.H[9 * c + row][3 * c + row] = 1 + row;
    assert_int_equal(node_dim_of(&d, 3), 3);
    d.n = 17; // a prime number of coupled velocities
    assert_int_equal(node_dim_of(&d, 3), 1);
}

static void rounding_in_mass_is_made_symmetric(void **state) {
    (void)state;
    const char *path = temp_write(
        "m.cp",
        "TYPE GFC2D\nnc 0\nMATRIX M 2 2 4\n0 0 1\n0 1 0.5\n1 0 0.50000000000001\n1 1 1\nMATRIX H 2 0 0\n"
        "VECTOR q 2\n0\n0\nVECTOR mu 0\n");
    br_problem_file *file = NULL;
    br_error error;
    assert_int_equal(br_problem_file_read(path, NULL, &file, &error), BR_OK);
    const double *block = br_problem_file_problem(file)->velocity.mass;
    assert_true(block[1] == block[2]);
    br_problem_file_free(file);
}

static void equalities_follow_the_contacts(void **state) {
    (void)state;
    const char *path = temp_write(
        "e.cp", "TYPE GFC2D\nnc 1\nneq 1\nMATRIX M 3 3 3\n0 0 1\n1 1 1\n2 2 1\nMATRIX H 3 2 2\n1 0 1\n0 1 1\n"
                "MATRIX G 3 1 2\n0 0 1\n2 0 -1\nVECTOR q 3\n0\n0\n0\nVECTOR b 2\n1\n2\nVECTOR g 1\n3\nVECTOR "
                "mu 1\n0.5\n");
    br_problem_file *file = NULL;
    br_error error;
    assert_int_equal(br_problem_file_read(path, NULL, &file, &error), BR_OK);
    const br_problem *p = br_problem_file_problem(file);
    assert_int_equal(p->rows, 3);
    assert_int_equal(p->laws, 2);
    assert_int_equal(p->law[1].kind, BR_LAW_EQUALITY);
    assert_int_equal(p->law[1].first_row, 2);
    assert_near(p->offset[2], 3, 0);
    assert_near(p->velocity.jacobian[6], 1, 0);
    assert_near(p->velocity.jacobian[8], -1, 0);
    assert_int_equal(br_problem_file_info(file).rows, 3);
    br_problem_file_free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_found),
        cmocka_unit_test(spheres_whose_contacts_leave_a_velocity_alone_are_bodies),
        cmocka_unit_test(point_masses_stay_apart),
        cmocka_unit_test(planar_bodies_have_three_velocities),
        cmocka_unit_test(coupled_masses_keep_their_off_diagonal_blocks),
        cmocka_unit_test(rounding_in_mass_is_made_symmetric),
        cmocka_unit_test(equalities_follow_the_contacts),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
