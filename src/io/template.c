// The schema of the model format and the templates of new models.
#include <string.h>

#include "bristle/io.h"
#include "io/embedded.h"

static const char ending[] = ".yaml";

static int is_template(const br_embedded *e) {
    const size_t length = strlen(e->name), tail = sizeof ending - 1;
    return length > tail && strcmp(e->name + length - tail, ending) == 0;
}

const char *br_model_schema(size_t *size) {
    for (int k = 0; k < br_embedded_count; k++) {
        if (is_template(&br_embedded_texts[k])) continue;
        if (size) *size = br_embedded_texts[k].size;
        return br_embedded_texts[k].text;
    }
    return ""; // not reached: the schema is always there
}

int br_template_count(void) {
    int count = 0;
    for (int k = 0; k < br_embedded_count; k++) count += is_template(&br_embedded_texts[k]);
    return count;
}

// The first line of a template is a comment that says what it is.
br_template br_template_at(int index) {
    br_template r;
    memset(&r, 0, sizeof r);
    for (int k = 0; k < br_embedded_count; k++) {
        const br_embedded *e = &br_embedded_texts[k];
        if (!is_template(e) || index-- > 0) continue;
        r.name = e->name;
        r.name_length = strlen(e->name) - (sizeof ending - 1);
        r.text = e->text;
        r.size = e->size;
        r.summary = e->text + strspn(e->text, "# ");
        r.summary_length = strcspn(r.summary, "\n");
        break;
    }
    return r;
}
