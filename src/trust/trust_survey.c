// How the answer of a run hangs on parameters of secondary importance: where they flip it, and the forces' derivatives.
#include <math.h>
#include <stdio.h>

#include "math/elementary.h"
#include "sim/friction/friction.h"
#include "trust/trust.h"

#define BR_FLIP_RANGE 20.0
#define BR_FLIP_STEPS 10    // per direction, before bisection
#define BR_EPS_FLIP 1e-6    // of the factor's logarithm
#define BR_FLIP_LOADS 5e-3  // of the loads: what must not move a flip
#define BR_FLIP_BESIDE 0.03 // by more than this of its factor
#define BR_PATH_LOOKS 40    // of a run, in which a change of verdict is sought

typedef struct path {
    br_trust_state *run;
    br_share **share; // [count] in the order of time
    int count;
    br_share scratch;
    br_balance_work *work;
} path;

static br_share_path follow(path *p, const br_share_parameter *parameter, double factor) {
    br_work_tell(&p->run->work);
    return br_share_follow(p->share, p->count, parameter, factor, p->work, &p->scratch);
}

// Whether it sticks to the end with the parameter at a factor; *undecided is set where that is not known.
static int sticks_at(path *p, const br_share_parameter *parameter, double factor, int *undecided) {
    const br_share_path way = follow(p, parameter, factor);
    *undecided |= way.undecided;
    return isnan(way.break_away);
}

// The factor nearest to 1 at which sticking to the end turns into sliding, or back; NAN: none, or, *undecided, not known.
static double find_flip(path *p, const br_share_parameter *parameter, int sticks, int *undecided) {
    double best = NAN;
    const br_work *left = &p->run->work;
    for (int side = 0; side < 2; side++) {
        double inner = 0.0;
        for (int k = 1; k <= BR_FLIP_STEPS && br_work_left(left) && !*undecided; k++) {
            const double outer = (side ? -1.0 : 1.0) * br_log(BR_FLIP_RANGE) * k / BR_FLIP_STEPS;
            if (!isnan(best) && fabs(inner) > fabs(br_log(best))) break; // the other side is nearer
            if (sticks_at(p, parameter, br_exp(outer), undecided) == sticks) {
                inner = outer;
                continue;
            }
            double a = inner, b = outer;
            while (fabs(b - a) > BR_EPS_FLIP && br_work_left(left) && !*undecided) {
                const double middle = 0.5 * (a + b);
                *(sticks_at(p, parameter, br_exp(middle), undecided) == sticks ? &a : &b) = middle;
            }
            if (isnan(best) || fabs(a) < fabs(br_log(best))) best = br_exp(0.5 * (a + b));
            break;
        }
    }
    return *undecided ? NAN : best;
}

// Whether a little more or less of the loads leaves the answers on both sides of a factor as they are. Where it does not, the factor is one
// of a digit that no model has, and of a run that takes longer to make up its mind than its positions stay.
static int is_firm(path *p, const br_share_parameter *parameter, double factor, int *undecided) {
    int firm = 1;
    for (int side = -1; side <= 1 && br_work_left(&p->run->work); side += 2) {
        int sticks[2];
        for (int more = 0; more < 2; more++) {
            p->scratch.loads = 1.0 + (more ? 1.0 : -1.0) * BR_FLIP_LOADS;
            sticks[more] = sticks_at(p, parameter, factor * (1.0 + side * BR_FLIP_BESIDE), undecided);
        }
        firm &= sticks[0] == sticks[1];
    }
    p->scratch.loads = 1.0;
    return firm;
}

static int rest_columns(const br_balance *b) {
    int count = 0;
    for (int i = 0; i < b->pads; i++)
        if (!b->pad[i].sliding) count += b->pad[i].directions;
    return count;
}

// d force/d ln parameter at one look, by central differences.
br_status br_trust_differentiate(br_trust_state *run, br_look *at, const br_trust_parameters *p,
                                 br_balance_work *work, br_trust_interval *out, br_error *error) {
    const int forces = rest_columns(&at->share.b);
    double *up = BR_TAKE(run->arena, double, forces), *down = BR_TAKE(run->arena, double, forces);
    out->sensitivity = BR_TAKE(run->arena, br_trust_sensitivity, p->count * (forces + 1));
    if (!up || !down || !out->sensitivity) return br_trust_no_memory(error);
    for (int k = 0; k < p->count; k++) {
        const double step = 1e-4;
        if (!isfinite(br_share_margin(&at->share, &p->parameter[k], br_exp(step), work, up)) ||
            !isfinite(br_share_margin(&at->share, &p->parameter[k], br_exp(-step), work, down)))
            continue;
        for (int i = 0, c = 0; i < at->share.b.pads; i++) {
            const br_balance_pad *pad = &at->share.b.pad[i];
            for (int d = 0; !pad->sliding && d < pad->directions; d++, c++) {
                br_trust_sensitivity *s = &out->sensitivity[out->sensitivities++];
                const double arm = i < run->laws ? run->sim->frictions->rub[i].pad.arm[d] : 1.0;
                snprintf(s->parameter, sizeof s->parameter, "%s", p->parameter[k].name);
                if (pad->directions > 1)
                    snprintf(s->quantity, sizeof s->quantity, "%.150s.%d.friction", pad->name, d);
                else
                    snprintf(s->quantity, sizeof s->quantity, "%.150s.friction", pad->name);
                s->value = arm * (up[c] - down[c]) / (2.0 * step);
                s->flips_at = p->flips_at[k], s->flips_undecided = p->undecided[k];
            }
        }
        if (!isfinite(p->break_away[k])) continue;
        br_trust_sensitivity *s = &out->sensitivity[out->sensitivities++];
        snprintf(s->parameter, sizeof s->parameter, "%s", p->parameter[k].name);
        snprintf(s->quantity, sizeof s->quantity, "break_away");
        s->value = p->break_away[k], s->flips_at = p->flips_at[k], s->flips_undecided = p->undecided[k];
    }
    return BR_OK;
}

// Which looks a path goes through: an even choice, and those at the knots of tables, between which loads are straight.
static int on_path(const br_look *looks, int k, int count) {
    const int stride = count / BR_PATH_LOOKS + 1;
    return k % stride == 0 || k == count - 1 || looks[k].knot;
}

br_balance_work *br_trust_survey(br_trust_state *run, br_look *looks, int count, br_trust_parameters *p) {
    int n = 0, columns = 0, pads = 0;
    path way = {.run = run, .share = BR_TAKE(run->arena, br_share *, count)};
    p->count = 0;
    for (int k = 0; way.share && k < count; k++) {
        br_share *s = &looks[k].share;
        if (s->sharing == BR_SHARED_BY_NOTHING) continue;
        if (on_path(looks, k, count) || way.count == 0) way.share[way.count++] = s;
        if (s->b.n > n) n = s->b.n;
        if (s->b.columns > columns) columns = s->b.columns;
        if (s->b.pads > pads) pads = s->b.pads;
        if (p->count == 0) p->count = br_share_parameters(s, BR_MAX_PARAMETERS, p->parameter);
    }
    if (way.count == 0 || p->count == 0) return NULL;
    br_error ignored;
    way.work = br_balance_work_create(run->arena, n, columns, pads);
    if (!way.work || br_share_copy(way.share[0], run->arena, &way.scratch, &ignored) != BR_OK) return NULL;
    // First through all looks, which leaves in each where the motion at rest is; then on the way only.
    path all = way;
    all.share = BR_TAKE(run->arena, br_share *, count);
    if (!all.share) return NULL;
    all.count = 0;
    for (int k = 0; k < count; k++)
        if (looks[k].share.sharing != BR_SHARED_BY_NOTHING) all.share[all.count++] = &looks[k].share;
    const br_share_path usual = follow(&all, NULL, 1.0);
    for (int k = 0; k < p->count && br_work_left(&run->work); k++) {
        const br_share_parameter *parameter = &p->parameter[k];
        const int matters =
            parameter->pad < 0 || parameter->which < 2; // sigma_1 and v_stribeck drop out at rest
        p->undecided[k] = usual.undecided;
        p->flips_at[k] =
            matters ? find_flip(&way, parameter, isnan(usual.break_away), &p->undecided[k]) : NAN;
        if (isfinite(p->flips_at[k]) && !is_firm(&way, parameter, p->flips_at[k], &p->undecided[k]))
            p->undecided[k] = 1;
        if (p->undecided[k]) p->flips_at[k] = NAN;
        p->break_away[k] = NAN;
        if (isnan(usual.break_away)) continue;
        const double up = follow(&way, parameter, br_exp(0.01)).break_away,
                     down = follow(&way, parameter, br_exp(-0.01)).break_away;
        p->break_away[k] = (up - down) / 0.02;
    }
    return br_work_left(&run->work) ? way.work
                                    : NULL; // numbers of a search that was cut short are worth nothing
}
