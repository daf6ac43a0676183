// How much more of a load until it slips, see bristle/hold.h and docs/theory/hold.md.
#include "bristle/hold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/core/instant.h"
#include "sim/friction/friction.h"
#include "trust/hold/range.h"
#include "trust/islands.h"
#include "trust/trust.h"
#include "trust/verdict.h"

#define EPS_ZERO 1e-10 // a factor that is rounding
#define EPS_LOAD 1e-9  // of the largest generalized force: a load on which no factor can be found
#define EPS_FELT 1e-12 // of the load: what is smaller on an island is rounding

typedef struct hold_state {
    br_sim *sim;
    const br_hold_options *options;
    br_arena *arena;
    br_work work;
    br_balance *b;
    double *load; // [n]
    br_hold_report *report;
} hold_state;

br_hold_options br_default_hold_options(void) {
    return (br_hold_options){0};
}

static br_status hold_no_memory(br_error *error) {
    return br_no_memory(error, "no memory for what holds");
}

// --- the load -----------------------------------------------------------------------------------------------------

static int is_word_gravity(const char *name) {
    return strcmp(name, "gravity") == 0;
}

static int find_load(const br_model *m, const char *name) {
    for (int i = 0; i < m->loads; i++)
        if (strcmp(m->load[i].name, name) == 0) return i;
    return -1;
}

static int find_drive(const br_model *m, const char *name) {
    for (int i = 0; i < m->drives; i++)
        if (strcmp(m->drive[i].name, name) == 0) return i;
    return -1;
}

static br_status unknown_load(const br_model *m, const char *name, br_error *error) {
    char list[200] = "";
    size_t used = 0;
    int left = 0;
    for (int i = 0; i < m->loads + m->drives; i++) {
        const char *const next = i < m->loads ? m->load[i].name : m->drive[i - m->loads].name;
        if (i >= m->loads && m->drive[i - m->loads].type != BR_DRIVE_EFFORT) continue;
        if (used + strlen(next) + 24 > sizeof list)
            left++;
        else
            used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", next);
    }
    return br_fail(error, BR_INVALID, "hold-load", "no load '%.80s' in the model; it has %sgravity%s", name,
                   list, left ? ", and more" : "");
}

// One of the loads into tau and wrench of the simulation.
static br_status add_one(hold_state *h, const char *name, double *size, const char **unit, br_error *error) {
    const br_model *m = h->sim->model;
    const br_vec3 *instead = NULL;
    br_vec3 turned;
    const int load = find_load(m, name), drive = load >= 0 ? -1 : find_drive(m, name);
    const int gravity = load < 0 && drive < 0 && is_word_gravity(name);
    if (load < 0 && drive < 0 && !gravity) return unknown_load(m, name, error);
    if (h->options->turned) {
        const double length = br_vec3_norm(h->options->direction);
        if (!gravity && (load < 0 || m->load[load].type != BR_LOAD_FORCE))
            return br_fail(
                error, BR_INVALID, "hold-direction",
                "'%.80s' is no force at a point and has no direction to turn; name a force, or gravity",
                name);
        if (!(length > 0.0) || !isfinite(length))
            return br_fail(error, BR_INVALID, "hold-direction", "a direction has a length above 0");
        *size = gravity ? br_vec3_norm(m->settings.gravity) : br_forces_of_load(h->sim, load, NULL);
        turned = br_vec3_scale(*size / length, h->options->direction);
        memset(h->sim->wrench, 0, (size_t)m->tree.links * sizeof *h->sim->wrench);
        instead = &turned;
    }
    if (gravity) {
        *size = br_forces_of_gravity(h->sim, instead), *unit = "m/s^2";
        return BR_OK;
    }
    if (drive >= 0) {
        if (m->drive[drive].type != BR_DRIVE_EFFORT)
            return br_fail(
                error, BR_INVALID, "hold-load",
                "drive '%.80s' prescribes a motion and has no size of its own; name a load, an effort, "
                "or gravity",
                name);
        *size = br_forces_of_drive(h->sim, drive), *unit = "";
        return BR_OK;
    }
    *size = br_forces_of_load(h->sim, load, instead);
    *unit = m->load[load].type == BR_LOAD_TORQUE ? "N m" : m->load[load].type == BR_LOAD_BUSHING ? "" : "N";
    return BR_OK;
}

// All loads that the question is about, alone, in tau and wrench.
static br_status add_loads(hold_state *h, br_error *error) {
    const br_model *m = h->sim->model;
    const br_hold_options *o = h->options;
    br_hold_report *r = h->report;
    double size = 0.0;
    int count = 0;
    r->size = NAN, r->unit = "";
    if (o->turned && o->loads != 1)
        return br_fail(error, BR_INVALID, "hold-direction", "a direction is for one load; name it");
    for (int k = 0; k < o->loads; k++) {
        const br_status status = add_one(h, o->load[k], &size, &r->unit, error);
        if (status != BR_OK) return status;
        count++;
    }
    for (int i = 0; o->loads == 0 && i < m->loads; i++) {
        if (m->load[i].type != BR_LOAD_FORCE && m->load[i].type != BR_LOAD_TORQUE) continue;
        size = br_forces_of_load(h->sim, i, NULL);
        r->unit = m->load[i].type == BR_LOAD_TORQUE ? "N m" : "N";
        count++;
    }
    if (count == 0)
        return br_fail(
            error, BR_INVALID, "hold-load",
            "the model has no force or torque among its loads; name a load, an effort, or gravity");
    if (count == 1)
        r->size = size;
    else
        r->unit = "";
    return BR_OK;
}

// The part of Q that the loads are.
static br_status find_load_vector(hold_state *h, br_error *error) {
    br_sim *sim = h->sim;
    const size_t links = (size_t)sim->model->tree.links, nv = (size_t)sim->model->tree.nv;
    br_wrench *wrench = br_arena_copy(h->arena, sim->wrench, links, sizeof *wrench);
    double *tau = br_arena_copy(h->arena, sim->tau, nv, sizeof *tau), most = 0.0;
    h->load = BR_TAKE(h->arena, double, h->b->n);
    if (!wrench || !tau || !h->load) return hold_no_memory(error);
    memset(sim->wrench, 0, links * sizeof *wrench);
    if (nv > 0) memset(sim->tau, 0, nv * sizeof *tau);
    const br_status status = add_loads(h, error);
    if (status == BR_OK) br_balance_known(sim, h->load);
    memcpy(sim->wrench, wrench, links * sizeof *wrench);
    if (nv > 0) memcpy(sim->tau, tau, nv * sizeof *tau);
    double others = 0.0;
    for (int i = 0; i < h->b->n; i++) {
        most = fmax(most, fabs(h->load[i]));
        others = fmax(others, fabs(h->b->Q[i]));
    }
    if (status == BR_OK && !(most > EPS_LOAD * others))
        return br_fail(
            error, BR_INVALID, "hold-nothing",
            "t = %.9g s: the load is zero, or next to nothing beside the others (1e-9 of them), and no "
            "factor is told on it; give it the size and direction that is asked about",
            br_sim_time(sim));
    return status;
}

// --- islands ------------------------------------------------------------------------------------------------------

static br_status fill_elements(hold_state *h, br_error *error) {
    br_hold_report *r = h->report;
    r->element = BR_TAKE(h->arena, br_hold_element, h->b->pads);
    if (!r->element) return hold_no_memory(error);
    for (int i = 0; i < h->b->pads; i++) {
        const br_balance_pad *p = &h->b->pad[i];
        br_hold_element *e = &r->element[i]; // stops are left out at the end
        snprintf(e->name, sizeof e->name, "%s", p->name);
        e->is_contact = p->joint < 0;
        e->sliding = p->sliding;
        e->mu_static = p->mu_static, e->mu_kinetic = p->mu_kinetic;
        e->mu_critical = e->mu_alone = NAN;
    }
    r->elements = h->b->pads;
    return BR_OK;
}

// What does not rub is no element.
static void drop_stops(hold_state *h) {
    br_hold_report *r = h->report;
    int kept = 0;
    for (int i = 0; i < h->b->pads; i++)
        if (h->b->pad[i].directions > 0) r->element[kept++] = r->element[i];
    r->elements = kept;
}

static void meet(double *range, const double *other) {
    range[0] = fmax(range[0], other[0]);
    range[1] = fmin(range[1], other[1]);
}

// The name of what goes first on this side, and who goes with it.
static void name_first(hold_state *h, const br_hold_range *range, const int *pad, int count, int side) {
    br_hold_report *r = h->report;
    const br_onset *first = &range->first[side];
    r->first[side][0] = '\0';
    for (int i = 0; i < h->b->pads; i++) r->element[i].goes[side] = 0;
    if (!isfinite(range->sure[side]) || !first->consistent) return;
    for (int i = 0; i < count; i++) r->element[pad[i]].goes[side] = first->moves[i];
    snprintf(r->first[side], sizeof r->first[side], "%s", r->element[pad[first->pad]].name);
}

static void add_range(hold_state *h, const br_hold_range *range, const int *pad, int count) {
    br_hold_report *r = h->report;
    for (int i = 0; i < count; i++) {
        br_hold_element *e = &r->element[pad[i]];
        if (!e->sliding) e->mu_critical = range->c_star * e->mu_static;
        if (!e->sliding && h->options->alone) e->mu_alone = range->alone[i];
    }
    r->exhaustive &= range->exhaustive;
    r->c_star = fmax(r->c_star, range->c_star);
    const int before = r->felt;
    r->felt = 1;
    r->held = (before ? r->held : 1) && range->held;
    r->certain = (before ? r->certain : 1) && range->held && range->certain;
    if (!range->held) return;
    for (int side = 0; side < 2 && range->certain; side++)
        if (side ? range->sure[1] < r->sure[1] : range->sure[0] > r->sure[0])
            name_first(h, range, pad, count, side);
    meet(r->possible, range->possible);
    if (!range->certain) return;
    meet(r->sure, range->sure);
    meet(r->undisturbed, range->undisturbed);
    if (!before || range->from != 1.0) r->from = range->from;
}

static br_status look_at_island(hold_state *h, const br_islands *all, int which, br_error *error) {
    br_balance *b = BR_TAKE(h->arena, br_balance, 1);
    br_hold_range range;
    int *column, *pad = BR_TAKE(h->arena, int, h->b->pads), count = 0;
    double *load = BR_TAKE(h->arena, double, h->b->n), most = 0.0, here = 0.0;
    if (!b || !pad || !load) return hold_no_memory(error);
    if (br_islands_take(h->b, all, which, h->arena, b, &column) != BR_OK) return hold_no_memory(error);
    for (int i = 0, at = 0; i < h->b->n; i++) {
        most = fmax(most, fabs(h->load[i]));
        if (all->of_row[i] != which) continue;
        load[at++] = h->load[i];
        here = fmax(here, fabs(h->load[i]));
    }
    if (!(here > EPS_FELT * most)) return BR_OK;
    for (int i = 0; i < h->b->pads; i++)
        if (all->of_pad[i] == which) pad[count++] = i;
    const br_status status =
        br_hold_range_find(b, load, h->options->alone, h->arena, &h->work, &range, error);
    if (status == BR_NO_MEMORY) return hold_no_memory(error);
    if (status == BR_OK && range.rests) add_range(h, &range, pad, count);
    return status;
}

static void settle_at_zero(double *factor) {
    if (fabs(*factor) < EPS_ZERO) *factor = 0.0;
}

static void finish(br_hold_report *r) {
    if (r->held && r->possible[0] > r->possible[1]) r->held = 0; // each would hold, but not at one factor
    if (r->certain && r->sure[0] > r->sure[1]) r->certain = 0;
    if (r->certain && !(r->from > r->sure[0] && r->from < r->sure[1]))
        r->from = isfinite(r->sure[0]) && isfinite(r->sure[1]) ? 0.5 * (r->sure[0] + r->sure[1]) : r->from;
    for (int side = 0; side < 2; side++) {
        settle_at_zero(&r->possible[side]);
        settle_at_zero(&r->undisturbed[side]);
        settle_at_zero(&r->sure[side]);
        if (!r->held) r->possible[side] = NAN;
        if (!r->certain || !r->held) r->sure[side] = r->undisturbed[side] = NAN, r->first[side][0] = '\0';
    }
    if (!r->held) r->certain = 0;
    if (!r->certain) r->from = NAN;
    if (!r->felt) r->c_star = NAN;
}

static br_status look_at_all(hold_state *h, br_error *error) {
    br_islands all;
    br_hold_report *r = h->report;
    if (br_islands_find(h->b, h->arena, &all) != BR_OK) return hold_no_memory(error);
    br_status status = fill_elements(h, error);
    r->exhaustive = 1;
    r->possible[0] = r->sure[0] = r->undisturbed[0] = -INFINITY;
    r->possible[1] = r->sure[1] = r->undisturbed[1] = INFINITY;
    for (int k = 0; k < all.count && status == BR_OK; k++) status = look_at_island(h, &all, k, error);
    if (status != BR_OK) return status;
    finish(r);
    drop_stops(h);
    return BR_OK;
}

// --- the question -------------------------------------------------------------------------------------------------

// What bends or has play gives way as the load grows, before anything slides: its forces at the start say nothing of those at the end.
static br_status hold_refuse(const br_model *model, br_error *error) {
    char element[BR_MAX_EVENT_NAME], text[400];
    if (model->beams > 0 || model->clearances > 0)
        return br_fail(
            error, BR_INVALID, "hold-model",
            "%s '%s' gives way as the load grows, so the forces at which something slides do not follow from "
            "the "
            "balance at the start; a run with a growing load finds them, and trust judges its instants",
            model->beams > 0 ? "beam" : "clearance",
            model->beams > 0 ? model->beam[0].name : model->clearance[0].name);
    for (int k = 0; k < model->drives;
         k++) // its effort follows the load up to a bound that the search does not know
        if (model->drive[k].type == BR_DRIVE_VELOCITY && isfinite(model->drive[k].max_effort))
            return br_fail(
                error, BR_INVALID, "hold-model",
                "drive '%s' gives what the load asks, up to its largest effort, and how much of that is left "
                "does not follow from the balance at the start; leave out max_torque or max_force for a "
                "drive that gives as much as it takes, or run with a growing load",
                model->drive[k].name);
    if (!br_trust_cannot(model, element, sizeof element, text, sizeof text)) return BR_OK;
    return br_fail(error, BR_INVALID, "hold-model", "%s: %s", element, text);
}

static br_status hold_find(hold_state *h, br_error *error) {
    br_balance_work *work;
    br_status status = hold_refuse(h->sim->model, error);
    if (status == BR_OK) status = br_sim_balance(h->sim, 0, &h->b, &work, error);
    if (status == BR_OK) status = br_trust_find_dragged(h->b, h->arena, &h->work, error);
    if (status == BR_OK) status = find_load_vector(h, error);
    return status == BR_OK ? look_at_all(h, error) : status;
}

br_status br_hold(br_sim *sim, const br_hold_options *options, br_hold_report *report, br_error *error) {
    const br_hold_options usual = br_default_hold_options();
    hold_state h = {.sim = sim, .options = options ? options : &usual, .report = report};
    br_arena first;
    memset(report, 0, sizeof *report);
    h.work.most = h.options->budget > 0.0 ? h.options->budget : BR_HOLD_BUDGET;
    br_arena_init(&first, h.options->allocator);
    h.arena = BR_TAKE(&first, br_arena, 1);
    if (!h.arena) {
        br_arena_free(&first);
        return hold_no_memory(error);
    }
    *h.arena = first; // it holds itself: nothing else may use `first` any more
    report->memory = h.arena;
    report->t = br_sim_time(sim);
    const br_status status = hold_find(&h, error);
    report->work = h.work.used;
    if (status != BR_OK) br_hold_report_free(report);
    return status;
}

void br_hold_report_free(br_hold_report *report) {
    if (report->memory) {
        br_arena arena = *(br_arena *)report->memory;
        br_arena_free(&arena);
    }
    memset(report, 0, sizeof *report);
}
