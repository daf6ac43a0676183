// Joints with play as contact of pin and hole, see play.h.
#include "sim/contact/play.h"

#include <math.h>
#include <string.h>

#include "friction/lugre.h"
#include "sim/stepper/stepper.h"

#define BR_EPS_TOUCH (64.0 * DBL_EPSILON) // of the radius: gap at which races touch
#define BR_EPS_PLAY_SLOPE 1e-6            // of mu over v_slope or v_stribeck: least slope of a friction row
#define BR_PLAY_BOUND 1.5 // of what the law gives, or of its limit: LuGre goes to 1.2175 of it
#define BR_MAX_PLAY_HALVINGS 20
#define BR_PLAY_NEAR 2.0          // of the way in a step
#define BR_EPS_PLAY_NEAR 1e-4     // of the inner radius: gap at which a pin is always listed
#define BR_MAX_PLAY_SOFTNESS 1e12 // s/kg, of a row without a normal force

// --- geometry ----------------------------------------------------------------------------------------------

static void play_frame(const br_sim *sim, int link, br_pose X_L, br_vec3 *p, br_mat3 *R) {
    *R = br_quat_to_mat3(X_L.rotation), *p = X_L.position;
    if (link < 0) return;
    const br_link_pose *pose = &sim->work.pose[link];
    *R = br_mat3_mul(pose->R_WL, *R);
    *p = br_vec3_add(pose->p_WL, br_mat3_mul_vec(pose->R_WL, *p));
}

static void find_race(const br_sim *sim, int k, br_vec3 hint, int derivatives, br_race_contact *out,
                      br_vec3 *centre) {
    const br_model_clearance *c = &sim->model->clearance[k];
    br_vec3 p_k;
    br_mat3 E_k, E_l;
    play_frame(sim, c->first, c->X_AF, &p_k, &E_k);
    play_frame(sim, c->second, c->X_BM, centre, &E_l);
    const br_race_pair pair = {c->type, c->outer_radius,       c->inner_radius, br_vec3_sub(*centre, p_k),
                               E_k,     br_mat3_column(E_l, 2)};
    if (br_vec3_norm(hint) == 0.0) hint = br_mat3_column(E_k, 0);
    br_race_contact_of(&pair, hint, derivatives, out);
    out->gap += BR_EPS_TOUCH *
                c->outer_radius; // as of the implicit stepper: rounding does not decide a damper's jump
}

void br_play_race(const br_sim *sim, int k, br_vec3 hint, br_race_contact *out, br_vec3 *centre) {
    find_race(sim, k, hint, 0, out, centre);
}

void br_play_race_by(const br_sim *sim, int k, br_vec3 hint, br_race_contact *out) {
    br_vec3 centre;
    find_race(sim, k, hint, 1, out, &centre);
}

const br_touch *br_play_touch(const br_sim *sim, int k) {
    const br_contacts *c = sim->contacts;
    for (int i = c ? c->kept->count - 1 : -1; i >= 0; i--)
        if (c->before[i].shape_a == sim->model->contact->shapes + k) return &c->before[i];
    return NULL;
}

static void play_place(const br_sim *sim, int k, br_vec3 hint, br_touch *t) {
    const br_model_contact *contact = sim->model->contact;
    const br_model_clearance *play = &sim->model->clearance[k];
    br_race_contact race;
    br_vec3 centre;
    br_play_race(sim, k, hint, &race, &centre);
    memset(t, 0, sizeof *t);
    t->shape_a = t->shape_b = contact->shapes + k;
    t->link_a = play->second, t->link_b = play->first;
    t->pair = contact->pairs + k, t->number = -1, t->size = play->inner_radius;
    t->point = br_vec3_add(centre, race.arm_l);
    t->normal = br_vec3_neg(race.n), t->gap = race.gap;
}

// Near enough to close within h, or almost: what hangs in the middle of its hole is left to itself.
static int is_near(const br_sim *sim, const br_touch *t, double h) {
    const double speed = br_vec3_norm(br_touch_velocity(sim, t, NULL)),
                 fall = h * h * br_vec3_norm(sim->model->settings.gravity);
    return t->gap <= BR_PLAY_NEAR * (h * speed + fall) + BR_EPS_PLAY_NEAR * t->size;
}

br_status br_plays_add(br_sim *sim, double h, br_error *error) {
    const int plays = br_sim_plays(sim);
    br_contacts *c = sim->contacts;
    const br_status status =
        c->count + plays > c->capacity ? br_contacts_reserve(sim, 2 * c->capacity + plays, error) : BR_OK;
    if (status != BR_OK) return status;
    for (int k = 0; k < plays; k++) {
        const br_touch *old = br_play_touch(sim, k);
        br_touch *t = &c->touch[c->count];
        play_place(sim, k, old ? br_vec3_neg(old->normal) : br_vec3_zero(), t);
        c->count += is_near(sim, t, h);
    }
    return BR_OK;
}

// Of the pin in its hole, at the state; 0: a pin that is still far from the wall. *of_centre: without what it spins by.
double br_play_speed(const br_sim *sim, int k, double *of_centre) {
    const double h = sim->model->settings.solver.step;
    br_race_contact race;
    br_touch t;
    *of_centre = 0.0;
    play_place(sim, k, br_vec3_zero(), &t);
    if (!is_near(sim, &t, h)) return 0.0;
    const double speed = br_vec3_norm(br_touch_velocity(sim, &t, NULL));
    br_play_race(sim, k, br_vec3_zero(), &race, &t.point);
    *of_centre = br_vec3_norm(br_touch_velocity(sim, &t, NULL));
    return speed;
}

int br_play_look(br_sim *sim, int k, br_touch *out) {
    const int plays = br_sim_plays(sim);
    for (int i = plays > 0 ? sim->contacts->count - 1 : -1; i >= 0; i--) {
        *out = sim->contacts->touch[i];
        if (out->shape_a == sim->model->contact->shapes + k) return out->f_n > 0.0;
    }
    if (plays > 0 || !sim->stepper->clearance) return 0;
    play_place(sim, k, br_vec3_zero(), out);
    br_play_base(sim, out);
    sim->stepper->clearance(sim, k, &out->f_n, &out->f_t);
    return out->f_n > 0.0;
}

// Around the hole and along its axis.
void br_play_base(const br_sim *sim, br_touch *t) {
    const br_model_clearance *play = br_touch_play(sim, t);
    br_vec3 p;
    br_mat3 E;
    if (sim->model->settings.planar != BR_SPATIAL) {
        t->tangent[0] = br_vec3_cross(sim->model->normal, t->normal);
        t->tangent[1] = sim->model->normal;
        return;
    }
    play_frame(sim, play->first, play->X_AF, &p, &E);
    const br_vec3 around = br_vec3_cross(br_mat3_column(E, 2), t->normal);
    const double length = br_vec3_norm(around);
    t->tangent[0] =
        length > 0.1 ? br_vec3_scale(1.0 / length, around) : br_mat3_column(br_tangent_basis(t->normal), 0);
    t->tangent[1] = br_vec3_cross(t->normal, t->tangent[0]);
}

// --- what is kept ------------------------------------------------------------------------------------------

// v turned by the smallest rotation that takes the unit vector a to b, and laid into b's plane.
static br_vec3 play_turn(br_vec3 v, br_vec3 a, br_vec3 b) {
    const br_vec3 axis = br_vec3_cross(a, b);
    const double c = br_vec3_dot(a, b);
    if (c > -0.99)
        v = br_vec3_add(br_vec3_add(br_vec3_scale(c, v), br_vec3_cross(axis, v)),
                        br_vec3_scale(br_vec3_dot(axis, v) / (1.0 + c), axis));
    return br_vec3_add_scaled(v, -br_vec3_dot(v, b), b);
}

// Bristles are forgotten when contact is lost.
void br_plays_carry(br_sim *sim) {
    const br_contacts *c = sim->contacts;
    for (int i = c->count - 1; i >= 0 && br_touch_play(sim, &c->touch[i]); i--) {
        br_touch *t = &c->touch[i];
        const br_touch *old = br_play_touch(sim, t->pair - sim->model->contact->pairs);
        const int touched = old && old->state != BR_CONTACT_OPEN;
        t->f_bristle = touched ? play_turn(old->f_bristle, old->normal, t->normal) : br_vec3_zero();
    }
}

// --- friction ----------------------------------------------------------------------------------------------

static void play_law(const br_sim *sim, const br_touch *t, br_vec3 v, br_lugre_step *step) {
    const double v3[2] = {br_vec3_dot(v, t->tangent[0]), br_vec3_dot(v, t->tangent[1])};
    const double z[2] = {br_vec3_dot(t->f_bristle, t->tangent[0]), br_vec3_dot(t->f_bristle, t->tangent[1])};
    br_lugre_advance(&br_touch_play(sim, t)->friction, 2, v3, NULL, z, sim->h, step);
}

// A tangent may lead from a pin that presses to one that does not, and from there, where the row says nothing, the free motion leads back:
// passes would go round for ever, and end on either side. What pressed is followed on the side where it does.
double br_play_normal(const br_sim *sim, const br_touch *t, double v) {
    if (br_touch_press(sim, t, v, NULL) > 0.0 || !(br_touch_press(sim, t, t->normal_guess, NULL) > 0.0))
        return v;
    double at = v;
    for (int k = 0; k < BR_MAX_PLAY_HALVINGS; k++) {
        at = 0.5 * (at + t->normal_guess);
        if (br_touch_press(sim, t, at, NULL) > 0.0) return at;
    }
    return t->normal_guess;
}

// Linear rows begin at the velocity that the step begins with. turning: a pass went through zero, see br_play_guess.
void br_play_begin(const br_sim *sim, br_touch *t) {
    (void)sim;
    t->slip = t->slip_start;
    t->turning = 0.0;
}

static double play_least_slope(const br_friction_params *p) {
    return BR_EPS_PLAY_SLOPE * p->mu_static /
           fmax(p->law == BR_FRICTION_SMOOTH ? p->v_slope : p->v_stribeck, DBL_MIN);
}

// p' = -theta h f_n (mu + s (v - v_k)): v + p'/(theta h f_n s) = v_k - mu/s. s is the law's slope; where a pass went through zero on a
// law that is flat beyond, the secant's, which does not. A line may lead anywhere, the law does not: bounds keep it near.
void br_play_rows(const br_sim *sim, const br_touch *t, br_touch_rows *rows) {
    const br_friction_params *law = &br_touch_play(sim, t)->friction;
    const double share = sim->theta * sim->h * t->f_n_bound;
    double most = BR_PLAY_BOUND * br_friction_limit(law);
    br_lugre_step step;
    play_law(sim, t, t->slip, &step);
    for (int r = 0; r < 2; r++) {
        const double v = br_vec3_dot(t->slip, t->tangent[r]);
        double s = fmax(step.mu_v[3 * r], play_least_slope(law));
        if (t->turning > 0.0 && v != 0.0) s = fmax(s, step.mu[r] / v);
        most = fmax(most, BR_PLAY_BOUND * fabs(step.mu[r]));
        rows->compliance[1 + r] =
            share * s > 1.0 / BR_MAX_PLAY_SOFTNESS ? 1.0 / (share * s) : BR_MAX_PLAY_SOFTNESS;
        rows->offset[1 + r] = share > 0.0 ? step.mu[r] / s - v : 0.0;
    }
    rows->mu = 0.0, rows->bound = most * share;
}

static br_vec3 play_slip(const br_sim *sim, const br_touch *t, const double *w) {
    const double w2 = sim->model->settings.planar != BR_SPATIAL ? 0.0 : w[2];
    return br_vec3_add_scaled(br_vec3_scale(w[1], t->tangent[0]), w2, t->tangent[1]);
}

void br_play_guess(const br_sim *sim, br_touch *t, const double *w) {
    const br_vec3 slip = play_slip(sim, t, w);
    if (br_vec3_dot(slip, t->slip) < 0.0) t->turning = 1.0;
    t->slip = slip;
}

double br_play_lag(const br_sim *sim, const br_touch *t, const double *f, const double *w) {
    const double largest = fmax(f[0], t->f_n_bound);
    double off = 0.0;
    br_lugre_step step;
    if (!(largest > 0.0)) return 0.0;
    play_law(sim, t, play_slip(sim, t, w), &step);
    for (int r = 0; r < (sim->model->settings.planar != BR_SPATIAL ? 1 : 2); r++)
        off = fmax(off, fabs(f[1 + r] + f[0] * step.mu[r]));
    return off / largest;
}

void br_play_finish(const br_sim *sim, br_touch *t) {
    br_lugre_step step;
    play_law(sim, t, t->slip, &step);
    t->f_bristle = br_vec3_add_scaled(br_vec3_scale(step.z_f[0], t->tangent[0]), step.z_f[1], t->tangent[1]);
}
