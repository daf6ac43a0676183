// Every field that decides a result has a place of its own in the model's hash, and no place is left empty: what stands behind an empty or a
// taken one would not be part of the hash.
#include "model/def/field.h"
#include "near.h"

static void count_places(const br_def *def, int count[BR_MAX_FIELDS + 1]) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        if (f->type == BR_FIELD_GROUP) count_places(f->def, count);
        assert_in_range(f->hash, 0, BR_MAX_FIELDS);
        if (f->hash > 0) count[f->hash]++;
    }
}

static void check_places(const br_def *def) {
    int count[BR_MAX_FIELDS + 1] = {0}, last = 0;
    count_places(def, count);
    for (int k = 1; k <= BR_MAX_FIELDS; k++)
        if (count[k] > 0) last = k;
    for (int k = 1; k <= last; k++)
        if (count[k] != 1) fail_msg("%s: place %d of the hash has %d fields", def->name, k, count[k]);
}

static void each_place_of_the_hash_has_one_field(void **state) {
    (void)state;
    check_places(&br_def_settings);
    check_places(&br_def_joint);
    check_places(&br_def_constraint);
    check_places(&br_def_term);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_place_of_the_hash_has_one_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
