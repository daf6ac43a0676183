// What a page keeps of a result. Plots: the smallest and largest value of each group of rows, so that no peak is lost.
// Animation: the rows nearest to even times. Both are sized before anything is read, so memory is bounded by the page.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/report/report.h"
#include "io/result/verdicts.h"
#include "io/text/json_read.h"
#include "io/text/write.h"
#include "model/def/names.h"

enum {
    USUAL_POINTS = 4000,         // of a line; a wide screen has fewer columns
    FEWEST_POINTS = 500,         // of a line, however many channels there are
    PAGE_VALUES = 2000000,       // of all lines together, 8 MB
    PAGE_FRAME_BYTES = 12 << 20, // of the animation
    USUAL_FRAMES = 1000,
    FRAMES_PER_SECOND = 30,
    FEWEST_FRAMES = 100,
};

typedef struct reading {
    report_result *r;
    br_arena *arena;
    double *row_t;   // [rows]
    int capacity;    // of row_t
    double contacts; // of all rows
    int *frame_row;  // [frames] which rows are frames
    br_names contact_names;
    br_error *error;
} reading;

static br_status report_no_memory(const reading *s) {
    return br_no_memory_at(s->error, s->r->path, "not enough memory for a report of it");
}

// ---------------------------------------------------------------------------------------------------- first pass

static void say_cut(report_result *r) {
    r->outcome = "cut";
    if (r->rows == 0)
        snprintf(r->missing, sizeof r->missing,
                 "The result holds no row: the run was killed before its first, or is still going.");
    else
        snprintf(r->missing, sizeof r->missing,
                 "The result ends at t = %g s of %g s: the run was killed, or is still going. Ledger and "
                 "outcome are "
                 "missing.",
                 r->to, r->header->until);
}

static void say_damaged(report_result *r, const br_error *why) {
    r->outcome = "damaged";
    snprintf(r->missing, sizeof r->missing, "The result can be read up to t = %g s of %g s. Then: %s.", r->to,
             r->header->until, why->message);
}

static int channel_find(const br_result_header *h, const char *name) {
    for (int k = 0; k < h->channel_count; k++)
        if (strcmp(h->channels[k].name, name) == 0) return k;
    return -1;
}

static br_status keep_time(reading *s, const double *row) {
    report_result *r = s->r;
    const double t = r->t_channel >= 0 ? row[r->t_channel] : (double)r->rows;
    if (r->rows == 0x7fffffff) return BR_OK;
    if (!BR_GROW(s->arena, s->row_t, (int)r->rows, s->capacity)) return report_no_memory(s);
    s->row_t[r->rows] = t;
    if (r->rows == 0) r->from = t;
    r->to = t;
    r->rows++;
    return BR_OK;
}

// How long it is, how it ended.
static br_status report_measure(reading *s) {
    report_result *r = s->r;
    br_result_item item;
    br_error why = {0};
    for (;;) {
        const br_status status = br_result_next(r->source, &item, &why);
        if (status == BR_NO_MEMORY) return report_no_memory(s);
        if (status != BR_OK) {
            say_damaged(r, &why);
            return BR_OK;
        }
        if (item.kind == BR_RESULT_CUT) {
            say_cut(r);
            return BR_OK;
        }
        if (item.kind == BR_RESULT_END) {
            r->has_end = 1;
            r->end = item.end;
            r->outcome = br_result_outcome_name(item.end.outcome);
            return BR_OK;
        }
        if (item.kind == BR_RESULT_ROW && keep_time(s, item.row) != BR_OK) return BR_NO_MEMORY;
        if (item.kind == BR_RESULT_CONTACTS) s->contacts += item.contact_count;
        r->events += item.kind == BR_RESULT_EVENT;
    }
}

// ------------------------------------------------------------------------------------------------------- sizing

static br_status plan_points(reading *s, const br_report_options *o) {
    report_result *r = s->r;
    const int channels = r->header->channel_count;
    long most = o && o->points > 0 ? o->points : USUAL_POINTS;
    if (!o || o->points <= 0) {
        const long share = PAGE_VALUES / channels;
        if (most > share) most = share > FEWEST_POINTS ? share : FEWEST_POINTS;
    }
    const long pairs = most / 2 > 1 ? most / 2 : 1;
    r->group = r->rows <= most ? 1 : (int)((r->rows + pairs - 1) / pairs);
    r->points = r->group == 1 ? (size_t)r->rows : 2 * (size_t)((r->rows + r->group - 1) / r->group);
    r->t = BR_TAKE(s->arena, double, r->points);
    r->value = br_arena_take(s->arena, (size_t)channels * sizeof *r->value, r->points);
    return br_arena_ok(s->arena) ? BR_OK : report_no_memory(s);
}

// The channels that hold the bodies' poses. A body whose channels are not all there leaves the page without animation.
static br_status find_poses(reading *s) {
    static const char *const parts[REPORT_POSE] = {"position.x", "position.y", "position.z", "rotation.w",
                                                   "rotation.x", "rotation.y", "rotation.z"};
    report_result *r = s->r;
    const char **names = NULL;
    br_names channels = {0};
    if (!r->header->scene) return BR_OK;
    const br_status status = br_report_bodies(r->header->scene, s->arena, &names, &r->bodies, s->error);
    if (status == BR_NO_MEMORY) return status;
    r->has_scene = status == BR_OK;
    if (status != BR_OK || r->bodies == 0) return BR_OK;
    for (int k = 0; k < r->header->channel_count; k++)
        if (br_names_add(&channels, s->arena, r->header->channels[k].name) != BR_OK)
            return report_no_memory(s);
    r->pose_channel = BR_TAKE(s->arena, int, (size_t)r->bodies *REPORT_POSE);
    if (!r->pose_channel) return report_no_memory(s);
    for (int k = 0; k < r->bodies * REPORT_POSE; k++) {
        char name[256];
        snprintf(name, sizeof name, "%.200s.%s", names[k / REPORT_POSE], parts[k % REPORT_POSE]);
        r->pose_channel[k] = br_names_find(&channels, name);
        if (r->pose_channel[k] < 0) {
            r->bodies = 0;
            return BR_OK;
        }
    }
    return BR_OK;
}

static int frame_count(const reading *s, const br_report_options *o) {
    const report_result *r = s->r;
    if (r->bodies == 0 || r->rows == 0) return 0;
    const double bytes =
        4.0 * REPORT_POSE * r->bodies + (4.0 * REPORT_CONTACT + 5.0) * s->contacts / (double)r->rows;
    double most = fmax(USUAL_FRAMES, FRAMES_PER_SECOND * (r->to - r->from));
    most = fmax(fmin(most, PAGE_FRAME_BYTES / bytes), FEWEST_FRAMES);
    if (o && o->frames > 0) most = o->frames;
    return (double)r->rows < most ? (int)r->rows : (int)most;
}

// Rows nearest to even times, each at most once, the first and the last among them.
static br_status plan_frames(reading *s, const br_report_options *o) {
    report_result *r = s->r;
    const int most = frame_count(s, o);
    long row = 0;
    s->frame_row = BR_TAKE(s->arena, int, (size_t)most);
    r->frame_t = BR_TAKE(s->arena, double, (size_t)most);
    if (!br_arena_ok(s->arena)) return report_no_memory(s);
    for (int k = 0; k < most && s->row_t; k++) { // without rows there are no times
        const double t = most > 1 ? r->from + (r->to - r->from) * k / (most - 1) : r->to;
        while (row + 1 < r->rows && fabs(s->row_t[row + 1] - t) <= fabs(s->row_t[row] - t)) row++;
        if (r->frames > 0 && s->frame_row[r->frames - 1] == row) continue;
        r->frame_t[r->frames] = s->row_t[row];
        s->frame_row[r->frames++] = (int)row;
    }
    r->pose = br_arena_take(s->arena, (size_t)r->frames * sizeof *r->pose, (size_t)r->bodies * REPORT_POSE);
    r->contacts.start = BR_TAKE(s->arena, uint32_t, (size_t)r->frames + 1);
    return br_arena_ok(s->arena) ? BR_OK : report_no_memory(s);
}

// --------------------------------------------------------------------------------------------------- second pass

// Extremes of the group under way: the values, and in which row each came.
typedef struct extremes {
    float *low, *high;     // [channels]
    int *low_at, *high_at; // rows within the group
    int rows;              // so far
} extremes;

static br_status take_extremes(reading *s, extremes *e) {
    const size_t n = (size_t)s->r->header->channel_count;
    memset(e, 0, sizeof *e);
    e->low = BR_TAKE(s->arena, float, n);
    e->high = BR_TAKE(s->arena, float, n);
    e->low_at = BR_TAKE(s->arena, int, n);
    e->high_at = BR_TAKE(s->arena, int, n);
    return br_arena_ok(s->arena) ? BR_OK : report_no_memory(s);
}

// Beyond what a float holds, the largest float: a curve that leaves the page is still seen.
static float to_float(double x) {
    const double most = 3.4028234e38;
    return (float)fmax(-most, fmin(most, x));
}

static void add_extremes(extremes *e, const double *row, int channels) {
    for (int k = 0; k < channels; k++) {
        const float x = to_float(row[k]);
        if (e->rows == 0 || x < e->low[k]) e->low[k] = x, e->low_at[k] = e->rows;
        if (e->rows == 0 || x > e->high[k]) e->high[k] = x, e->high_at[k] = e->rows;
    }
    e->rows++;
}

// The pair of points that stands for the rows from `first` on, a quarter and three quarters into their time.
static void close_group(reading *s, extremes *e, long first) {
    report_result *r = s->r;
    const size_t at = 2 * (size_t)(first / r->group);
    const double from = s->row_t[first], span = s->row_t[first + e->rows - 1] - from;
    r->t[at] = from + 0.25 * span;
    r->t[at + 1] = from + 0.75 * span;
    for (int k = 0; k < r->header->channel_count; k++) {
        float *v = r->value + (size_t)k * r->points + at;
        const int rising = e->low_at[k] <= e->high_at[k];
        v[0] = rising ? e->low[k] : e->high[k];
        v[1] = rising ? e->high[k] : e->low[k];
    }
    e->rows = 0;
}

static void keep_row(reading *s, extremes *e, const double *row, long index) {
    report_result *r = s->r;
    const int channels = r->header->channel_count;
    if (r->group == 1) {
        r->t[index] = s->row_t[index];
        for (int k = 0; k < channels; k++) r->value[(size_t)k * r->points + (size_t)index] = to_float(row[k]);
        return;
    }
    add_extremes(e, row, channels);
    if (e->rows == r->group || index + 1 == r->rows) close_group(s, e, index + 1 - e->rows);
}

static void keep_frame(report_result *r, const double *row, int frame) {
    float *pose = r->pose + (size_t)frame * (size_t)r->bodies * REPORT_POSE;
    for (int k = 0; k < r->bodies * REPORT_POSE; k++) pose[k] = to_float(row[r->pose_channel[k]]);
}

static br_status contact_number(reading *s, const char *name, uint32_t *out) {
    report_contacts *c = &s->r->contacts;
    int k = br_names_find(&s->contact_names, name);
    if (k < 0) {
        k = s->contact_names.count;
        if (br_names_add(&s->contact_names, s->arena, name) != BR_OK) return report_no_memory(s);
        c->names = s->contact_names.name;
        c->name_count = s->contact_names.count;
    }
    *out = (uint32_t)k;
    return BR_OK;
}

static br_status keep_contact(reading *s, const br_result_contact *from) {
    report_contacts *c = &s->r->contacts;
    const int count = (int)c->count; // at most the capacity
    int states = c->capacity, values = c->capacity;
    if (!BR_GROW(s->arena, c->state, count, states) ||
        !br_arena_grow(s->arena, &c->values, count, &values, REPORT_CONTACT * sizeof *c->values) ||
        !BR_GROW(s->arena, c->name, count, c->capacity))
        return report_no_memory(s);
    const br_vec3 p = from->point, n = from->normal,
                  force = br_vec3_add(br_vec3_scale(from->normal_force, n), from->friction);
    const double numbers[REPORT_CONTACT] = {p.x,
                                            p.y,
                                            p.z,
                                            n.x,
                                            n.y,
                                            n.z,
                                            force.x,
                                            force.y,
                                            force.z,
                                            from->normal_force,
                                            from->friction_coefficient,
                                            br_vec3_norm(from->slip)};
    for (int k = 0; k < REPORT_CONTACT; k++)
        c->values[c->count * REPORT_CONTACT + (size_t)k] = to_float(numbers[k]);
    c->state[c->count] = (unsigned char)from->state;
    return contact_number(s, from->name, &c->name[c->count++]);
}

static br_status keep_event(reading *s, const br_event *event) {
    report_result *r = s->r;
    if (r->kept_events == REPORT_MAX_EVENTS) return BR_OK;
    const char *name = br_copy_text(s->arena, event->name);
    if (!name || !BR_GROW(s->arena, r->event, (int)r->kept_events, r->event_capacity))
        return report_no_memory(s);
    r->event[r->kept_events++] = (report_event){event->t, event->value, event->kind, name};
    return BR_OK;
}

static br_status gather(reading *s) {
    report_result *r = s->r;
    extremes e;
    br_result_item item;
    long row = -1;
    int frame = 0, in_frame = 0;
    br_status status = take_extremes(s, &e);
    while (status == BR_OK && br_result_next(r->source, &item, NULL) == BR_OK) {
        if (item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) break;
        if (item.kind == BR_RESULT_ROW) {
            if (++row >= r->rows || !s->row_t) break; // a run that is still going has written more since
            keep_row(s, &e, item.row, row);
            in_frame = frame < r->frames && s->frame_row[frame] == row;
            if (in_frame) {
                r->contacts.start[frame] = (uint32_t)r->contacts.count;
                keep_frame(r, item.row, frame++);
            }
        }
        if (item.kind == BR_RESULT_EVENT) status = keep_event(s, &item.event);
        for (int k = 0;
             item.kind == BR_RESULT_CONTACTS && in_frame && k < item.contact_count && status == BR_OK; k++)
            status = keep_contact(s, &item.contacts[k]);
    }
    if (r->contacts.start) r->contacts.start[r->frames] = (uint32_t)r->contacts.count;
    return status;
}

// -------------------------------------------------------------------------------------------------------- trust

// Verdicts are shown where they are there and can be read; a report without them is still one.
static void find_trust(reading *s) {
    report_result *r = s->r;
    const char *inside = r->header->trust;
    int others = 0;
    r->trust = inside ? inside : br_result_verdicts(r->path, r->header->model_hash, s->arena, &others);
    if (inside && !br_is_list_of_objects(inside, s->arena)) r->trust = NULL;
    if (others && !r->missing[0])
        snprintf(r->missing, sizeof r->missing,
                 "The verdicts beside the result are of another model, or do not say of which: they are not "
                 "shown.");
}

// The list `outputs` of the model file, where that is YAML.
static void find_outputs(reading *s) {
    const br_result_header *h = s->r->header;
    yaml_node *root = NULL;
    br_error ignored;
    if (!h->model_text || strlen(h->model_text) != h->model_size ||
        br_yaml_parse(h->model_text, h->model_size, "model", s->arena, &root, &ignored) != BR_OK || !root)
        return;
    const yaml_node *list = br_yaml_find(root, "outputs");
    if (list && list->kind == YAML_LIST) s->r->outputs = list;
}

// -------------------------------------------------------------------------------------------------------- whole

static int same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

// What was sized by one has to fit the other.
static int is_same(const br_result_header *a, const br_result_header *b) {
    int same = a->channel_count == b->channel_count && a->model_hash == b->model_hash &&
               same_text(a->scene, b->scene) && same_text(a->trust, b->trust);
    for (int k = 0; same && k < a->channel_count; k++)
        same = strcmp(a->channels[k].name, b->channels[k].name) == 0;
    return same;
}

br_status br_report_read(report_result *r, const br_report_options *options, br_arena *arena,
                         br_error *error) {
    reading s = {.r = r, .arena = arena, .error = error};
    br_status status = br_result_open(r->path, NULL, &r->source, error);
    if (status != BR_OK) return status;
    r->header = br_result_about(r->source);
    r->t_channel = channel_find(r->header, "t");
    status = report_measure(&s);
    if (status == BR_OK && r->has_end && r->end.judgement)
        r->judgement = br_copy_text(arena, r->end.judgement);
    if (status == BR_OK) status = plan_points(&s, options);
    if (status == BR_OK) status = find_poses(&s);
    if (status == BR_OK) status = plan_frames(&s, options);
    if (status == BR_OK) find_trust(&s);
    if (status == BR_OK) find_outputs(&s);
    if (status != BR_OK) return status;
    br_result *again = NULL; // a log is read forward only
    status = br_result_open(r->path, NULL, &again, error);
    if (status != BR_OK) return status;
    if (!is_same(r->header, br_result_about(again))) {
        br_result_close(again);
        return br_fail_at(error, BR_IO, "result-changed", r->path, 0, 0,
                          "was replaced by another result while it was read; ask for the report again");
    }
    br_result_close(r->source);
    r->source = again;
    r->header = br_result_about(again);
    if (r->trust && r->header->trust) r->trust = r->header->trust;
    return gather(&s);
}
