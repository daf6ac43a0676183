// Bodies on three to five feet in space, pushed and twisted any way: c* lies between those of cones replaced by polygons of 64 sides
// inside and outside (0.12 % apart), by linear programs of the test's own. Where the verdict is sticks_robust the reference stepper
// leaves it where it is, where it is slides_certain it moves it.
#define LP_ROWS 400
#include "sceptic_judge.h"

enum { SIDES = 64, FEET = 5 };

typedef struct table {
    int feet;
    double x[FEET], y[FEET], mu[FEET], mass, height;
    br_vec3 force, torque; // at the centre of mass
} table;

static table make_table(int number) {
    rng r = {(uint64_t)number * UINT64_C(7919) + 31 + sc_spread()};
    table t;
    memset(&t, 0, sizeof t);
    for (int k = 0; k < 8; k++) rng_next(&r);
    t.feet = 3 + rng_below(&r, 3), t.mass = sc_log(&r, 0.5, 20), t.height = rng_uniform(&r, 0.05, 0.3);
    const double mu = sc_log(&r, 0.1, 0.9);
    const int alike = rng_below(&r, 2);
    for (int k = 0; k < t.feet; k++) {
        const double at = 2 * BR_PI * (k + rng_uniform(&r, -0.3, 0.3)) / t.feet,
                     radius = rng_uniform(&r, 0.3, 0.6);
        t.x[k] = radius * cos(at), t.y[k] = radius * sin(at);
        t.mu[k] = alike ? mu : mu * rng_uniform(&r, 0.6, 1);
    }
    const double W = t.mass * 9.81;
    t.force = br_vec3_scale(1.1 * mu * W, rng_vec3(&r, 1));
    t.force.z = rng_uniform(&r, -0.5, 0.2) * W;
    t.torque = br_vec3_of(0, 0, rng_below(&r, 2) ? rng_uniform(&r, -0.3, 0.3) * mu * W : 0);
    return t;
}

static void write_table(const table *t, char *text, size_t size) {
    sc_writer writer = {text, size, 0}, *w = &writer;
    sc_print(w, "format: 1\nname: table\nmaterials: {floor: {}");
    for (int k = 0; k < t->feet; k++) sc_print(w, ", foot%d: {}", k);
    sc_print(w, "}\npairs:\n");
    for (int k = 0; k < t->feet; k++) sc_print(w, "  foot%d/floor: {mu: %.17g}\n", k, t->mu[k]);
    sc_print(w, "contact: {law: cone}\nground: [{name: floor, plane: {}, material: floor}]\n");
    sc_print(w,
             "loads:\n  f: {body: b, force: [%.17g, %.17g, %.17g]}\n  t: {body: b, torque: [%.17g, %.17g, "
             "%.17g]}\n",
             t->force.x, t->force.y, t->force.z, t->torque.x, t->torque.y, t->torque.z);
    sc_print(w, "bodies:\n  b:\n    mass: %.17g\n    inertia: [%.17g, %.17g, %.17g]\n", t->mass,
             0.1 * t->mass, 0.1 * t->mass, 0.2 * t->mass);
    sc_print(w, "    pose: {position: [0, 0, %.17g]}\n    shapes:\n", t->height);
    for (int k = 0; k < t->feet; k++)
        sc_print(w,
                 "      - {name: foot%d, material: foot%d, sphere: {radius: 0.02}, pose: {position: [%.17g, "
                 "%.17g, %.17g]}}\n",
                 k, k, t->x[k], t->y[k], 0.02 - t->height);
    sc_print(w, "run: {until: 0.1}\n");
}

// Rest with every mu at `factor` times its value, cones inscribed or circumscribed. Unknowns: (n, x, y) of each foot.
static int table_rests(const table *t, double factor, int inside) {
    static lp_system lp; // too large for some stacks; one thread
    const real W = t->mass * 9.81L;
    lp.n = 3 * t->feet, lp.equalities = lp.inequalities = 0;
    real *row[6];
    for (int k = 0; k < 6; k++) row[k] = lp_equal(&lp);
    for (int k = 0; k < t->feet; k++) {
        real *q[6];
        for (int j = 0; j < 6; j++) q[j] = row[j] + 3 * k;
        const real x = t->x[k], y = t->y[k], z = -t->height; // from the centre of mass to the contact
        q[0][1] = q[1][2] = q[2][0] = 1;
        q[3][0] = y, q[3][2] = -z; // y n - z fy
        q[4][0] = -x, q[4][1] = z; // z fx - x n
        q[5][1] = -y, q[5][2] = x; // x fy - y fx
        lp_below(&lp)[3 * k] = -1;
        for (int s = 0; s < SIDES; s++) {
            real *side = lp_below(&lp);
            const real at = 2 * BR_PI * s / SIDES;
            side[3 * k] = -(real)factor * t->mu[k] * (inside ? cosl(BR_PI / SIDES) : 1);
            side[3 * k + 1] = cosl(at), side[3 * k + 2] = sinl(at);
        }
    }
    const real load[6] = {t->force.x, t->force.y, t->force.z - W, t->torque.x, t->torque.y, t->torque.z};
    for (int k = 0; k < 6; k++) row[k][LP_VARIABLES] = -load[k] / W;
    real c[LP_VARIABLES] = {0}, value;
    const lp_end end = lp_max(&lp, c, &value);
    return end == LP_LOST ? -1 : end != LP_INFEASIBLE;
}

// NAN: the programs gave no answer.
static double table_c_star(const table *t, int inside) {
    double low = 0, high = 1;
    int rests = 0;
    while ((rests = table_rests(t, high, inside)) == 0)
        if ((low = high, high *= 4) > 1e4) return INFINITY;
    while (rests >= 0 && high - low > 1e-9 * high) {
        const double middle = 0.5 * (low + high);
        rests = table_rests(t, middle, inside);
        *(rests ? &high : &low) = middle;
    }
    return rests < 0 ? NAN : high;
}

// 1: it moves within a tenth of a second; 0: it stays; -1: does not run.
static int table_moves(const char *text) {
    const br_override o = {"solver.stepper", "reference"};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    int moves = -1;
    if (br_model_read_text(text, strlen(text), "table", &o, 1, NULL, &model, NULL, &error) == BR_OK &&
        br_sim_create(model, NULL, &sim, &error) == BR_OK && br_sim_advance(sim, 0.1, &error) == BR_OK) {
        const br_twist v = br_sim_body_twist(sim, 0);
        moves = br_vec3_norm(v.linear) + br_vec3_norm(v.angular) > 1e-6;
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    return moves;
}

static void judge_table(int number, sc_tally *tally) {
    static char text[SC_TEXT];
    char why[200] = "";
    const table t = make_table(number);
    const double low = table_c_star(&t, 0), high = table_c_star(&t, 1);
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    options.budget = 5e8; // a part of a second for each
    write_table(&t, text, sizeof text);
    tally->scenes++;
    if (isnan(low) || isnan(high) || low > high) {
        tally->failed++;
        return;
    }
    br_status status = br_model_read_text(text, strlen(text), "table", NULL, 0, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_trust_instant(sim, &options, &report, &error);
    if (status != BR_OK) {
        snprintf(why, sizeof why, "%.150s", error.message);
    } else if (report.interval[0].verdict != BR_NOT_JUDGED) {
        const br_trust_interval *i = &report.interval[0];
        const int slides = i->verdict == BR_SLIDES_CERTAIN || i->verdict == BR_SLIDES_NOT_UNIQUE;
        if (isfinite(high)  ? i->c_star < low * (1 - 1e-6) || i->c_star > high * (1 + 1e-6)
            : isfinite(low) ? 0
                            : isfinite(i->c_star))
            snprintf(why, sizeof why, "c* %.9g, right is %.9g to %.9g", i->c_star, low, high);
        else if ((high < 1 && slides) || (low > 1 && !slides))
            snprintf(why, sizeof why, "%s with c* %.9g to %.9g", br_verdict_name(i->verdict), low, high);
        else if (i->exhaustive && (i->verdict == BR_STICKS_ROBUST || i->verdict == BR_SLIDES_CERTAIN) &&
                 (high < 0.999 || low > 1.001) && table_moves(text) == (i->verdict == BR_STICKS_ROBUST))
            snprintf(why, sizeof why, "%s, but the reference stepper says otherwise",
                     br_verdict_name(i->verdict));
    }
    if (why[0]) {
        tally->wrong++;
        printf("table:%d: %s\n%s", number, why, tally->wrong < 3 ? text : "");
    } else if (report.interval[0].verdict == BR_NOT_JUDGED || !report.interval[0].exhaustive) {
        tally->undecided++;
    } else {
        tally->right++;
    }
    tally->verdict[report.intervals ? report.interval[0].verdict : BR_NOT_JUDGED]++;
    br_trust_report_free(&report);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

int main(void) {
    const int each = getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 12;
    sc_tally tally = {0};
    for (int k = 0; k < each; k++) judge_table(k, &tally);
    printf("tables          %4d scenes: %4d right, %3d wrong, %3d not decided, %3d without a truth |",
           tally.scenes, tally.right, tally.wrong, tally.undecided, tally.failed);
    for (int v = 0; v < BR_VERDICTS; v++) printf(" %d", tally.verdict[v]);
    printf("\n");
    return tally.wrong > 0;
}
