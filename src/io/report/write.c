// Writing a report: the template with its mark replaced by the data, see viewer/README.md.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/report/credibility.h"
#include "io/report/report.h"
#include "io/text/json_write.h"
#include "io/text/text.h"
#include "io/text/write.h"

static const char mark[] = "<!--bristle-data-->";

enum {
    BLOB_ALIGN = 24, // a multiple of 3, so that the text of a blob can be cut out, and of 8
    DIGITS = 12,
    MAX_TEMPLATE = 64 << 20, // bytes
};

// --------------------------------------------------------------------------------------------------------- blobs

typedef struct blob_list {
    report_blob *blob; // [blob_count]
    int count;
    size_t end; // of all so far, bytes
} blob_list;

typedef struct page {
    FILE *file;
    blob_list blobs;
} page;

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_triple(FILE *f, const unsigned char b[3]) {
    const char text[4] = {base64[b[0] >> 2], base64[(b[0] & 3) << 4 | b[1] >> 4],
                          base64[(b[1] & 15) << 2 | b[2] >> 6], base64[b[2] & 63]};
    fwrite(text, 1, 4, f);
}

// Byte k of a list of numbers, little-endian whatever the machine is.
static unsigned char byte_of(const report_blob *b, size_t k) {
    const size_t number = k / (size_t)b->bytes, digit = k % (size_t)b->bytes;
    uint64_t bits;
    uint32_t half;
    switch (b->bytes) {
    case 8:
        memcpy(&bits, (const char *)b->data + 8 * number, 8);
        return (unsigned char)(bits >> (8 * digit));
    case 4:
        memcpy(&half, (const char *)b->data + 4 * number, 4);
        return (unsigned char)(half >> (8 * digit));
    default:
        return ((const unsigned char *)b->data)[k];
    }
}

static void write_blob(FILE *f, const report_blob *b) {
    const size_t bytes = b->count * (size_t)b->bytes;
    const size_t padded = (bytes + BLOB_ALIGN - 1) / BLOB_ALIGN * BLOB_ALIGN;
    for (size_t k = 0; k < padded; k += 3) {
        unsigned char triple[3];
        for (size_t i = 0; i < 3; i++) triple[i] = k + i < bytes ? byte_of(b, k + i) : 0;
        put_triple(f, triple);
    }
}

// Puts the blob into the list, and where it will be into the JSON.
static void put_blob(page *p, const char *key, const void *data, size_t count, int bytes, const char *type) {
    blob_list *l = &p->blobs;
    report_blob b = {data, count, bytes, ""};
    snprintf(b.type, sizeof b.type, "%s", type);
    br_io_json_key(p->file, key, 0);
    fprintf(p->file, "{\"at\": %zu, \"count\": %zu, \"type\": \"%s\"}", l->end, count, type);
    l->blob[l->count++] = b;
    l->end += (count * (size_t)bytes + BLOB_ALIGN - 1) / BLOB_ALIGN * BLOB_ALIGN;
}

// -------------------------------------------------------------------------------------------------------- pieces

static void put_text(FILE *f, const char *key, const char *text) {
    br_io_json_key(f, key, 0);
    br_io_json_text(f, text);
}

static void put_number(FILE *f, const char *key, double x) {
    br_io_json_key(f, key, 0);
    br_io_json_number(f, x, DIGITS);
}

static void put_whole(FILE *f, const char *key, long x) {
    br_io_json_key(f, key, 0);
    fprintf(f, "%ld", x);
}

// JSON of another's making, valid: outside of texts it has none of these signs.
static void put_json(FILE *f, const char *key, const char *json) {
    br_io_json_key(f, key, 0);
    if (!json) json = "null";
    for (; *json; json++)
        if (*json == '<' || *json == '>' || *json == '&')
            fprintf(f, "\\u%04x", (unsigned)*json);
        else
            putc(*json, f);
}

static const char *text_or_null(const char *text) {
    return text && text[0] ? text : NULL;
}

// A page is shown to others: of an absolute path, which tells of the machine and its user, only the name is kept.
static const char *shown_path(const char *path) {
    const char *slash = path && path[0] == '/' ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void put_model(FILE *f, const br_result_header *h, const yaml_node *outputs) {
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)h->model_hash);
    fputs(", \"model\": {", f);
    br_io_json_key(f, "name", 1);
    br_io_json_text(f, h->model_name);
    put_text(f, "path", shown_path(h->model_path));
    br_io_json_key(f, "text", 0);
    br_io_json_bytes(f, h->model_text ? h->model_text : "", h->model_text ? h->model_size : 0);
    put_text(f, "hash", hash);
    put_text(f, "stepper", h->stepper);
    put_number(f, "step", h->step);
    put_number(f, "until", h->until);
    put_number(f, "output", h->output);
    fputs(", \"overrides\": [", f);
    for (int k = 0; k < h->override_count; k++) {
        fputs(k > 0 ? ", {" : "{", f);
        br_io_json_key(f, "name", 1);
        br_io_json_text(f, h->overrides[k].name);
        put_text(f, "value", h->overrides[k].value);
        putc('}', f);
    }
    fputs("], \"outputs\": [", f);
    int count = 0;
    for (const yaml_node *name = outputs ? outputs->first : NULL; name; name = name->next) {
        if (name->kind != YAML_SCALAR) continue;
        if (count++ > 0) fputs(", ", f);
        br_io_json_text(f, name->text);
    }
    fputs("], \"notes\": ", f);
    br_io_json_lines(f, h->notes);
    putc('}', f);
}

static void put_energy(FILE *f, const char *key, const br_energy *e) {
    br_io_json_key(f, key, 0);
    putc('{', f);
    br_io_json_key(f, "kinetic", 1);
    br_io_json_number(f, e->kinetic, DIGITS);
    put_number(f, "potential", e->potential);
    put_number(f, "elastic", e->elastic);
    put_number(f, "total", e->total);
    putc('}', f);
}

// A recording as a result: nothing was simulated, so that it has no ledger that anything could be read from.
static int is_recording(const report_result *r) {
    return r->header->notes && strstr(r->header->notes, "as measured: ");
}

static void put_ledger(FILE *f, const report_result *r) {
    const br_ledger *l = &r->end.ledger;
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"input", l->input},
                   {"friction", l->friction},
                   {"impact", l->impact},
                   {"damping", l->damping},
                   {"scheme", l->scheme},
                   {"unaccounted", l->unaccounted},
                   {"loop_error", l->loop_error},
                   {"loop_velocity_error", l->loop_velocity_error},
                   {"residual", l->residual},
                   {"penetration", l->penetration},
                   {"cone_violation", l->cone_violation},
                   {"creep", l->creep}};
    br_io_json_key(f, "ledger", 0);
    if (!r->has_end || is_recording(r)) {
        fputs("null", f);
        return;
    }
    fputs("{\"format\": 1", f);
    put_energy(f, "start", &l->start);
    put_energy(f, "now", &l->now);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        put_number(f, numbers[k].key, numbers[k].value);
    put_whole(f, "contacts", l->contacts);
    put_whole(f, "steps", l->steps);
    put_whole(f, "iterations", l->iterations);
    put_whole(f, "evaluations", l->evaluations);
    putc('}', f);
}

static void put_events(FILE *f, const report_result *r) {
    fprintf(f, ", \"events\": {\"total\": %ld, \"list\": [", r->events);
    for (long k = 0; k < r->kept_events; k++) {
        const report_event *e = &r->event[k];
        fputs(k > 0 ? ",\n[" : "[", f);
        br_io_json_number(f, e->t, DIGITS);
        fputs(", ", f);
        br_io_json_text(f, br_event_kind_name(e->kind));
        fputs(", ", f);
        br_io_json_text(f, e->name);
        fputs(", ", f);
        br_io_json_number(f, e->value, DIGITS);
        putc(']', f);
    }
    fputs("]}", f);
}

static void put_series(page *p, const report_result *r) {
    const br_result_header *h = r->header;
    int count = 0;
    fprintf(p->file, ", \"series\": {\"count\": %zu, \"rows_per_point\": %g", r->points,
            r->group == 1 ? 1.0 : 0.5 * r->group);
    put_blob(p, "t", r->t, r->points, 8, "f8");
    fputs(", \"channels\": [", p->file);
    for (int k = 0; k < h->channel_count; k++) {
        if (k == r->t_channel) continue;
        fputs(count++ > 0 ? ",\n{" : "{", p->file);
        br_io_json_key(p->file, "name", 1);
        br_io_json_text(p->file, h->channels[k].name);
        put_text(p->file, "unit", h->channels[k].unit);
        put_blob(p, "values", r->value + (size_t)k * r->points, r->points, 4, "f4");
        putc('}', p->file);
    }
    fputs("]}", p->file);
}

static void put_frames(page *p, const report_result *r) {
    const report_contacts *c = &r->contacts;
    br_io_json_key(p->file, "frames", 0);
    if (r->frames == 0) {
        fputs("null", p->file);
        return;
    }
    fprintf(p->file, "{\"count\": %d", r->frames);
    put_blob(p, "t", r->frame_t, (size_t)r->frames, 8, "f8");
    put_blob(p, "pose", r->pose, (size_t)r->frames * (size_t)r->bodies * REPORT_POSE, 4, "f4");
    br_io_json_key(p->file, "contacts", 0);
    if (c->count == 0) {
        fputs("null}", p->file);
        return;
    }
    fputs("{\"names\": [", p->file);
    for (int k = 0; k < c->name_count; k++) {
        if (k > 0) putc(',', p->file);
        br_io_json_text(p->file, c->names[k]);
    }
    putc(']', p->file);
    put_blob(p, "start", c->start, (size_t)r->frames + 1, 4, "u4");
    put_blob(p, "name", c->name, c->count, 4, "u4");
    put_blob(p, "state", c->state, c->count, 1, "u1");
    put_blob(p, "values", c->values, c->count * REPORT_CONTACT, 4, "f4");
    fputs("}}", p->file);
}

static void put_result(page *p, const report_result *r) {
    FILE *f = p->file;
    putc('{', f);
    br_io_json_key(f, "label", 1);
    br_io_json_text(f, r->label);
    const char *slash = strrchr(r->path, '/'); // a page travels: folders stay at home
    put_text(f, "file", slash ? slash + 1 : r->path);
    put_text(f, "version", r->header->program_version);
    put_model(f, r->header, r->outputs);
    put_text(f, "outcome", r->outcome);
    put_text(f, "missing", text_or_null(r->missing));
    put_text(f, "message", r->has_end ? text_or_null(r->end.message) : NULL);
    put_number(f, "seconds", r->has_end ? r->end.seconds : (double)NAN);
    put_whole(f, "rows", r->rows);
    put_number(f, "from", r->from);
    put_number(f, "to", r->to);
    put_ledger(f, r);
    put_json(f, "judgement", is_recording(r) ? NULL : r->judgement);
    put_json(f, "trust", r->trust);
    br_io_json_key(f, "credibility", 0);
    br_report_credibility(f, r);
    put_events(f, r);
    put_series(p, r);
    put_json(f, "scene", r->has_scene ? r->header->scene : NULL);
    put_frames(p, r);
    putc('}', f);
}

static void put_data(page *p, const report_result *results, int count, const br_report_options *o) {
    const char *title = o && o->title ? o->title : results[0].header->model_name;
    char program[64];
    snprintf(program, sizeof program, "bristle %.40s", br_version());
    fputs("<script type=\"application/json\" id=\"bristle-meta\">{\"format\": 1", p->file);
    put_text(p->file, "program", program);
    put_text(p->file, "title", title);
    put_json(p->file, "compare", o ? o->compare : NULL);
    fputs(", \"results\": [", p->file);
    for (int k = 0; k < count; k++) {
        fputs(k > 0 ? ",\n" : "\n", p->file);
        put_result(p, &results[k]);
    }
    fputs("]}</script>\n<script type=\"text/plain\" id=\"bristle-bytes\">", p->file);
    for (int k = 0; k < p->blobs.count; k++) write_blob(p->file, &p->blobs.blob[k]);
    fputs("</script>", p->file);
}

// --------------------------------------------------------------------------------------------------------- whole

static br_status find_mark(const io_text *text, const char **out, br_error *error) {
    const char *at = strstr(text->data, mark);
    if (!at || strstr(at + 1, mark))
        return br_fail_at(error, BR_PARSE, "report-template", text->path, 0, 0,
                          "is not the template of a report: it does not hold %s once", mark);
    *out = at;
    return BR_OK;
}

// A page says which curve is whose: names of files, told apart where they are the same.
static void set_label(report_result *all, int k, const char *label) {
    report_result *r = &all[k];
    const char *slash = strrchr(r->path, '/'), *name = label ? label : slash ? slash + 1 : r->path;
    const char *dot = label ? NULL : strrchr(name, '.');
    const int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    int same = 1;
    snprintf(r->label, sizeof r->label, "%.*s", length < 100 ? length : 100, name);
    for (int i = 0; i < k; i++)
        if (strcmp(all[i].label, r->label) == 0) {
            snprintf(r->label, sizeof r->label, "%.*s (%d)", length < 100 ? length : 100, name, ++same);
            i = -1;
        }
}

static int blob_count(const report_result *results, int count) {
    enum { FIXED = 8 }; // times, poses, contacts
    int n = 0;
    for (int k = 0; k < count; k++) n += results[k].header->channel_count + FIXED;
    return n;
}

static br_status write_page(const io_text *text, const report_result *results, int count,
                            const br_report_options *options, br_arena *arena, const char *path,
                            br_error *error) {
    io_output out;
    const char *at = NULL;
    page p = {0};
    p.blobs.blob = BR_TAKE(arena, report_blob, blob_count(results, count));
    if (!p.blobs.blob) return br_no_memory_at(error, path, "not enough memory for a report");
    br_status status = find_mark(text, &at, error);
    if (status == BR_OK) status = br_io_open_text(&out, path, error);
    if (status != BR_OK) return status;
    p.file = out.file;
    fwrite(text->data, 1, (size_t)(at - text->data), out.file);
    put_data(&p, results, count, options);
    at += sizeof mark - 1;
    fwrite(at, 1, (size_t)(text->end - at), out.file);
    return br_io_close_text(&out, error);
}

static br_status report_write_read_all(const br_report_result *from, report_result *results, int count,
                                       const br_report_options *options, br_arena *arena, br_error *error) {
    br_status status = BR_OK;
    for (int k = 0; k < count && status == BR_OK; k++) {
        results[k].path = from[k].path;
        set_label(results, k, from[k].label);
        status = br_report_read(&results[k], options, arena, error);
    }
    return status;
}

br_status br_report_write(const char *template_path, const br_report_result *results, int count,
                          const br_report_options *options, const br_allocator *allocator, const char *path,
                          br_error *error) {
    br_arena arena;
    io_text text = {0};
    if (count < 1 || count > BR_MAX_REPORT_RESULTS)
        return br_fail(error, BR_INVALID, "report-count",
                       "a report of %d results was asked for, expected 1 to %d", count,
                       BR_MAX_REPORT_RESULTS);
    br_arena_init(&arena, allocator);
    const io_locale locale = br_io_locale_enter();
    br_status status =
        br_io_text_load_up_to(&text, template_path, "the template of a report", MAX_TEMPLATE, &arena, error);
    report_result *own = BR_TAKE(&arena, report_result, count);
    if (status == BR_OK && !own) status = br_no_memory(error, "not enough memory for a report");
    if (status == BR_OK) status = report_write_read_all(results, own, count, options, &arena, error);
    if (status == BR_OK) status = write_page(&text, own, count, options, &arena, path, error);
    for (int k = 0; status == BR_OK && options && options->missing && k < count; k++)
        memcpy(options->missing[k], own[k].missing, sizeof own[k].missing);
    for (int k = 0; own && k < count; k++) br_result_close(own[k].source);
    br_io_locale_leave(locale);
    br_arena_free(&arena);
    return status;
}
