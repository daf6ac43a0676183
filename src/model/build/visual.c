#include "model/build/visual.h"

#include "model/build/builder.h"

br_status br_builder_visual(br_builder *builder, const br_visual *def, br_error *error) {
    br_visual copy = *def;
    if (def->body && !(copy.body = br_copy_text(&builder->arena, def->body)))
        return br_builder_no_memory(error);
    if (def->shape.file && !(copy.shape.file = br_copy_text(&builder->arena, def->shape.file)))
        return br_builder_no_memory(error);
    if (!BR_BUILDER_GROW(builder, visual, builder->visuals)) return br_builder_no_memory(error);
    builder->visual[builder->visuals++] = copy;
    return BR_OK;
}
