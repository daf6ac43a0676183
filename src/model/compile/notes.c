// What a model has to say about itself before a run, see model.h.
#include <stdio.h>

#include "base/error.h"
#include "model/model.h"

const char *br_model_notes(const br_model *model) {
    return model->notes ? model->notes : "";
}
