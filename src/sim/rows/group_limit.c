// Joint limits: one row for each end of a coordinate's range, aware of the gap: at the step's end v >= -gap/h, so that a
// limit is reached and not passed. Both ends have their row, since a step may be longer than the range.
//
// A joint that starts beyond its limit keeps that distance as an offset of its gap, as contacts do that start inside: nothing is
// thrown in, and a limit does not fight shapes or loops that stand in the way. The offset shrinks as the joint comes back, and
// never grows.
#include "sim/contact/apart.h"
#include "sim/rows/group.h"

#define BR_EPS_LIMIT_SLACK 1e-9 // rad, or of the length scale: coming back by less is rounding, not motion

// Speed (rad/s, or of the length scale) at which a joint that is beyond its limit comes back: one that starts outside is
// not thrown in.
#define BR_MAX_RETURN 0.01

double br_limit_gap(const br_sim *sim, const br_group *g) {
    const br_coordinate c = g->coordinates[0];
    const br_model_joint *joint = &sim->model->joint[c.joint];
    const double q = br_coordinate_position(sim, c.joint, c.k);
    const double gap = g->side > 0.0 ? q - joint->lower[c.k] : joint->upper[c.k] - q;
    return sim->limit_offset ? gap + sim->limit_offset[g - sim->group] : gap;
}

// `start: {penetration: push}` keeps the way back at BR_MAX_RETURN. Other steppers hold a joint where it starts by themselves.
br_status br_limits_create(br_sim *sim) {
    int limits = 0;
    for (int g = 0; g < sim->groups; g++) limits += sim->group[g].kind == &br_group_limit;
    if (limits == 0 || !br_sim_traits(sim)->impulses) return BR_OK;
    if (sim->model->settings.start_penetration == BR_START_PUSH) return BR_OK;
    return br_sim_ask(sim, "limit offsets", sizeof(double), sim->groups, BR_PART_STATE | BR_PART_STEADY,
                      &sim->limit_offset, NULL);
}

void br_limits_settle(br_sim *sim) {
    if (!sim->limit_offset) return;
    for (int g = 0; g < sim->groups; g++) {
        if (sim->group[g].kind != &br_group_limit) continue;
        sim->limit_offset[g] = 0.0;
        sim->limit_offset[g] = fmax(0.0, -br_limit_gap(sim, &sim->group[g]));
    }
}

void br_limits_keep(br_sim *sim) {
    if (!sim->limit_offset) return;
    const double slack = BR_EPS_LIMIT_SLACK * fmax(1.0, sim->length_scale);
    for (int g = 0; g < sim->groups; g++)
        if (sim->limit_offset[g] > 0.0) {
            const double opened = br_limit_gap(sim, &sim->group[g]) - slack;
            if (opened > 0.0) sim->limit_offset[g] = fmax(0.0, sim->limit_offset[g] - opened);
        }
}

static void fill_limit(br_sim *sim, br_group *g) {
    g->phi[0] = br_limit_gap(sim, g);
    br_group_clear(g);
    if (br_limit_is_apart(sim, g)) return;
    br_coordinate_row(sim, g->coordinates[0], g->side, g, 0);
}

// v_next >= -gap/h with the gap at the evaluation: from one evaluation to the next it moves by h v_next, so it is closed at
// the next one, and with it at the end of that step.
static void rate_limit(br_sim *sim, br_group *g) {
    const double h = sim->h;
    g->compliance[0] = 0.0;
    if (!(h > 0.0)) return;
    if (br_limit_is_apart(sim, g)) { // an empty row
        g->compliance[0] = 1.0, g->gamma[0] = 0.0;
        return;
    }
    const double gap = br_limit_gap(sim, g), v = br_group_velocity(g, 0, sim->V_start, sim->v_start);
    const double asked = sim->model->settings.start_speed;
    const double back = asked > 0.0 ? asked : BR_MAX_RETURN * fmax(1.0, sim->length_scale);
    const double most = gap < 0.0 ? back : INFINITY;
    const double wanted = br_apart_strikes(sim) ? -fmax(0.0, gap) / br_apart_step(sim)
                                                : fmin(-gap / (gap < 0.0 ? br_apart_step(sim) : h), most);
    g->gamma[0] = (wanted - v) / h + g->side * br_coordinate_gamma(sim, g->coordinates[0]);
}

const br_group_kind br_group_limit = {"limit",         fill_limit, rate_limit,           NULL,
                                      BR_BOOK_DAMPING, 0,          br_group_label_joint, NULL};
