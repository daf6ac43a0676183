// What is drawn only goes with the body of its name.
#include "model/build/visual.h"

#include "model/compile/compile.h"

br_status br_compile_visuals(br_compile *c) {
    br_model *m = c->model;
    const br_builder *b = c->builder;
    m->visual = BR_TAKE(&m->arena, br_visual, b->visuals);
    if (!m->visual) return br_compile_no_memory(c);
    for (int k = 0; k < b->visuals; k++) {
        br_visual *v = &m->visual[m->visuals];
        *v = b->visual[k];
        v->index = v->body ? br_names_find(&b->body_names, v->body) : -1;
        if (v->body && v->index < 0) continue;
        v->body = NULL;
        if (v->shape.file && !(v->shape.file = br_copy_text(&m->arena, v->shape.file)))
            return br_compile_no_memory(c);
        m->visuals++;
    }
    return BR_OK;
}
