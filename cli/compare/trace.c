// Runs a variant of a model and records what comparisons need: energies, positions, forces of pairs of bodies, slip.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "progress.h"

// Below its limit by more than this, friction of a velocity-regularized law is its substitute for sticking.
static const double BELOW_LIMIT = 1e-9;

// --------------------------------------------------------------------------------------------------- the variants

static br_status opened(br_status status, compare_source *out, br_error *error) {
    if (status == BR_OK) {
        out->notes = cli_notes(out->model, NULL, 1);
        if (!out->notes) status = cli_no_memory(error, "not enough memory to compare");
    }
    if (status != BR_OK) compare_close(out);
    return status;
}

br_status compare_open(const char *path, const cli_overrides *overrides, compare_source *out,
                       br_error *error) {
    memset(out, 0, sizeof *out);
    return opened(
        br_model_read(path, overrides->item, overrides->count, NULL, &out->model, &out->builder, error), out,
        error);
}

br_status compare_open_text(const char *text, size_t size, const char *name, const br_override *overrides,
                            int count, compare_source *out, br_error *error) {
    memset(out, 0, sizeof *out);
    return opened(
        br_model_read_text(text, size, name, overrides, count, NULL, &out->model, &out->builder, error), out,
        error);
}

void compare_close(compare_source *source) {
    br_model_destroy(source->model);
    br_builder_destroy(source->builder);
    free(source->notes);
    memset(source, 0, sizeof *source);
}

int compare_law_setting(const char *law, char *setting, size_t size) {
    const char *colon = strchr(law, ':');
    const int n = colon ? snprintf(setting, size, "%.*s(%s)", (int)(colon - law), law, colon + 1)
                        : snprintf(setting, size, "%s", law);
    return n > 0 && (size_t)n < size && !(colon && colon[1] == '\0');
}

br_status compare_variant(const compare_source *source, const compare_case *c, br_model **out,
                          br_error *error) {
    char setting[COMPARE_MAX_LABEL + 2];
    br_settings s = *br_model_settings(source->model);
    s.solver.stepper = c->stepper;
    s.solver.step = c->step;
    if (c->stepper == BR_STEPPER_CONTACT) {
        if (!compare_law_setting(c->law, setting, sizeof setting)) setting[0] = '\0';
        s.contact_law = setting;
    } else { // exact Coulomb friction, whatever the contact stepper makes of it
        s.contact_law = "cone";
        s.contact_bounds = NULL;
        s.contact_paper = s.solver.position_old = s.solver.rotation_euler = 0;
    }
    const br_status status = br_builder_settings(source->builder, &s, error);
    return status == BR_OK ? br_model_create(source->builder, out, error) : status;
}

// --------------------------------------------------------------------------------------------------- the contacts

static int grow(void **memory, int *capacity, int needed, size_t size) {
    if (needed <= *capacity) return 1;
    int wanted = *capacity > 0 ? *capacity : 256;
    while (wanted < needed) wanted *= 2;
    void *bigger = realloc(*memory, (size_t)wanted * size);
    if (!bigger) return 0;
    *memory = bigger;
    *capacity = wanted;
    return 1;
}

// The pair of the sample being made, where it belongs in the order; NULL when out of memory.
static compare_pair *pair_of(compare_trace *r, compare_sample *s, int low, int high) {
    int k = 0;
    compare_pair *list = s->pairs > 0 ? r->pair + s->first_pair : NULL;
    while (k < s->pairs && (list[k].low < low || (list[k].low == low && list[k].high < high))) k++;
    if (k < s->pairs && list[k].low == low && list[k].high == high) return &list[k];
    if (!grow((void **)&r->pair, &r->pair_capacity, r->pair_count + 1, sizeof *r->pair)) return NULL;
    list = r->pair + s->first_pair;
    memmove(list + k + 1, list + k, (size_t)(s->pairs - k) * sizeof *list);
    s->pairs++;
    r->pair_count++;
    list[k] = (compare_pair){.low = low, .high = high, .creep = NAN, .sticks = 1};
    return &list[k];
}

static int sticks(const br_contact *c, int creeps) {
    if (!creeps) return c->state == BR_CONTACT_STICKS;
    return br_vec3_norm(c->friction) < (1 - BELOW_LIMIT) * c->friction_coefficient * c->normal_force;
}

static double angle_deg(br_vec3 a, br_vec3 b) {
    return atan2(br_vec3_norm(br_vec3_cross(a, b)), br_vec3_dot(a, b)) * (180.0 / BR_PI);
}

static int add_contact(compare_trace *r, compare_sample *s, const br_contact *c, int creeps) {
    const int swap = c->body_a > c->body_b;
    compare_pair *p = pair_of(r, s, swap ? c->body_b : c->body_a, swap ? c->body_a : c->body_b);
    if (!p) return 0;
    const double slip = br_vec3_norm(c->slip);
    p->limit += c->friction_coefficient * c->normal_force;
    p->force = swap ? br_vec3_sub(p->force, c->friction) : br_vec3_add(p->force, c->friction);
    if (sticks(c, creeps))
        p->creep = fmax(isnan(p->creep) ? 0 : p->creep, slip);
    else
        p->sticks = 0;
    s->slip = fmax(isnan(s->slip) ? 0 : s->slip, slip);
    return 1;
}

static int add_contacts(compare_trace *r, compare_sample *s, const br_sim *sim, int creeps) {
    double sum = 0;
    int sliding = 0;
    br_contact c;
    s->first_pair = (size_t)r->pair_count;
    s->slip = s->misalignment = NAN;
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_sim_contact(sim, k, &c);
        if (!(c.normal_force > 0)) continue;
        if (!add_contact(r, s, &c, creeps)) return 0;
        if (br_vec3_norm(c.slip) <= COMPARE_SLIDES || !(br_vec3_norm(c.friction) > 0)) continue;
        const double angle = angle_deg(br_vec3_neg(c.friction), c.slip);
        sum += angle * angle;
        sliding++;
    }
    if (sliding > 0) s->misalignment = sqrt(sum / sliding);
    return 1;
}

double compare_force_ratio(const compare_trace *trace, int sample) {
    const compare_sample *s = &trace->sample[sample];
    double force = 0, limit = 0;
    for (int k = 0; k < s->pairs; k++) {
        force += br_vec3_norm(trace->pair[s->first_pair + (size_t)k].force);
        limit += trace->pair[s->first_pair + (size_t)k].limit;
    }
    return limit > 0 ? force / limit : NAN;
}

// -------------------------------------------------------------------------------------------------------- the run

static void trace_on_event(void *context, const br_event *event) {
    compare_trace *r = context;
    if (event->kind == BR_EVENT_STICK) r->last_stick = event->t;
}

// What turns round in a sample is as slow as what has come to rest, but it does not stick.
static int all_stick(const compare_trace *r, const compare_sample *s) {
    for (int k = 0; k < s->pairs; k++)
        if (!r->pair[s->first_pair + (size_t)k].sticks) return 0;
    return 1;
}

// When nothing slides any more, after something did. The reference stepper knows the instant, the others the step.
static void note_stop(compare_trace *r, const compare_sample *s, double before, int *slid, int located) {
    if (isnan(s->slip)) return;
    if (s->slip > COMPARE_SLIDES)
        *slid = 1;
    else if (*slid && isnan(r->stop) && all_stick(r, s))
        r->stop = located && r->last_stick > before ? r->last_stick : s->t;
}

static int add_sample(compare_trace *r, br_sim *sim, int creeps) {
    int room = r->capacity;
    if (!grow((void **)&r->sample, &r->capacity, r->count + 1, sizeof *r->sample)) return 0;
    if (r->capacity != room || !r->position) {
        br_vec3 *bigger =
            realloc(r->position, ((size_t)r->capacity * (size_t)r->bodies + 1) * sizeof *r->position);
        if (!bigger) return 0;
        r->position = bigger;
    }
    compare_sample *s = &r->sample[r->count];
    memset(s, 0, sizeof *s);
    s->t = br_sim_time(sim);
    s->energy = br_sim_energy(sim).total;
    for (int b = 0; b < r->bodies; b++)
        r->position[(size_t)r->count * (size_t)r->bodies + (size_t)b] = br_sim_body_pose(sim, b).position;
    r->count++;
    return add_contacts(r, s, sim, creeps);
}

static br_status trace_follow(br_sim *sim, const compare_case *c, double until, double grid,
                              compare_progress progress, void *context, compare_trace *r, br_error *error) {
    const int creeps = c->stepper == BR_STEPPER_CONTACT && br_contact_law_traits_of(c->law)->creeps;
    const long rows =
        (long)floor(until / grid * (1 + 1e-12)); // the last one only where it is a whole multiple
    int slid = 0;
    if (!add_sample(r, sim, creeps)) return cli_no_memory(error, "not enough memory to compare");
    for (long k = 1; k <= rows; k++) {
        const double before = br_sim_time(sim), begin = cli_seconds();
        r->status = br_sim_advance(sim, (double)k * grid, &r->error);
        r->seconds += cli_seconds() - begin;
        if (r->status != BR_OK) break;
        if (!add_sample(r, sim, creeps)) return cli_no_memory(error, "not enough memory to compare");
        note_stop(r, &r->sample[r->count - 1], before, &slid, c->stepper == BR_STEPPER_REFERENCE);
        if (progress) progress(context, br_sim_time(sim), until, br_sim_ledger(sim).steps);
    }
    r->ledger = br_sim_ledger(sim);
    return BR_OK;
}

br_status compare_run(const compare_source *source, const compare_case *c, double until, double grid,
                      compare_progress progress, void *context, compare_trace *out, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    memset(out, 0, sizeof *out);
    out->stop = NAN;
    out->last_stick = -1;
    br_status status = compare_variant(source, c, &model, error);
    if (status == BR_OK) status = br_model_runnable(model, error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, error);
    if (status == BR_OK) {
        out->bodies = br_model_body_count(model);
        br_sim_set_event(sim, trace_on_event, out);
        status = trace_follow(sim, c, until, grid, progress, context, out, error);
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    if (status != BR_OK) compare_trace_free(out);
    return status;
}

void compare_trace_free(compare_trace *trace) {
    free(trace->sample);
    free(trace->pair);
    free(trace->position);
    memset(trace, 0, sizeof *trace);
}
