// Model files in YAML. What is read as a model is also stepped.
#include "bristle/bristle.h"
#include "fuzz.h"

enum { STEPS = 3, MOST_BODIES = 200 };

static void step(br_model *model) {
    br_sim *sim = NULL;
    br_error error;
    if (br_model_body_count(model) > MOST_BODIES || br_model_runnable(model, &error) != BR_OK) return;
    if (br_sim_create(model, NULL, &sim, &error) != BR_OK) return;
    for (int k = 0; k < STEPS && br_sim_step(sim, &error) == BR_OK; k++) {}
    br_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    br_model *model = NULL;
    br_error error;
    if (br_model_read_text((const char *)bytes, size, "input", NULL, 0, NULL, &model, NULL, &error) != BR_OK)
        return 0;
    step(model);
    br_model_destroy(model);
    return 0;
}
