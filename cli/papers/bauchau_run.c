// Runs of the examples of [BauchauJu2006]: a scene with changes, sampled at even times into columns; losses of contact from
// events.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/bauchau.h"

#define TURN 6.283185307179586 // rad
// The crank has turned by 1 rad when its start is over, at 0.1 s, and turns at 20 rad/s from there.
#define CRANK(angle) (0.1 + ((angle)-1) / 20)

enum { MOST_CHANGES = 10, ROTOR_ROWS = 3001, BLOW_ROWS = 30001, CRANK_ROWS = 721 };
static const double CRANK_ROW = TURN / 720 / 20; // s: half a degree

#define ROTOR_CHANNELS                                                                                       \
    {                                                                                                        \
        "R.velocity", "disk.position.y", "disk.position.z", "T.force.normal", "shaft.s0.moment.y",           \
            "shaft.s0.moment.z"                                                                              \
    }
#define PAPER_BELT                                                                                           \
    {"k", "1000"}, {"belt", "0.01"}, {"load", "10"}, {"mu_s", "0.45"}, {"mu_k", "0.3"}, {"sigma_1", "0"}, {  \
        "sigma_2", "0"                                                                                       \
    }
#define ROTOR_STEP                                                                                           \
    { "solver.step", "2e-4" }
#define LOSS                                                                                                 \
    { "lambda", "3" }

typedef struct bauchau_about {
    const char *scene;
    const char *channel[BAUCHAU_COLUMNS];
    double from, interval; // s, of the rows
    int rows;
    br_override change[MOST_CHANGES];
} bauchau_about;

static const bauchau_about cases[BAUCHAU_CASES] = {
    [BAUCHAU_CONSTANT] = {"bauchau_lugre", {"constant.friction.force"}, 4, 0, 1, {{0}}},
    [BAUCHAU_RAMP] = {"bauchau_lugre", {"ramp.friction.force"}, 10, 0, 1, {{0}}},
    [BAUCHAU_BELT] = {"bauchau_belt", {"sliding.position"}, 20, 0, 1, {{"solver.step", "5e-4"}}},
    [BAUCHAU_BELT_HALF] = {"bauchau_belt", {"sliding.position"}, 20, 0, 1, {{"solver.step", "2.5e-4"}}},
    [BAUCHAU_BELT_PAPER] =
        {"bauchau_belt", {"sliding.position"}, 2, 0, 1, {PAPER_BELT, {"solver.step", "5e-5"}}},
    [BAUCHAU_BELT_PAPER_HALF] =
        {"bauchau_belt", {"sliding.position"}, 2, 0, 1, {PAPER_BELT, {"solver.step", "2.5e-5"}}},
    [BAUCHAU_DROP_TOUCH] = {"bauchau_disc", {"hole.force.normal"}, 0.01, 5e-6, 441, {{0}}},
    [BAUCHAU_DROP] = {"bauchau_disc", {"disc.position.y"}, 0.1, 0, 1, {{0}}},
    [BAUCHAU_DROP_LOSS] = {"bauchau_disc", {"disc.position.y"}, 0.3, 0, 1, {LOSS}},
    [BAUCHAU_DROP_HERTZ] =
        {"bauchau_disc", {"disc.position.y"}, 0.3, 0, 1, {LOSS, {"e", "1.5"}, {"k", "1e10"}}},
    [BAUCHAU_STEP_CONTACT] = {"bauchau_disc",
                              {"solver.step_contact", "solver.step"},
                              5e-3,
                              5e-5,
                              101,
                              {{"solver.step", "5 ms"},
                               {"solver.adaptive.tolerance", "0"},
                               {"solver.adaptive.friction", "off"}}},
    [BAUCHAU_STEP_FRICTION] = {"bauchau_lugre",
                               {"solver.step_friction"},
                               0.5,
                               0.5,
                               20,
                               {{"solver.step", "0.5"},
                                {"solver.adaptive.tolerance", "0"},
                                {"solver.adaptive.contact", "off"},
                                {"solver.adaptive.friction.v_min", "1"},
                                {"joints.constant.friction.law", "smooth"},
                                {"joints.ramp.friction.sigma_0", "2"}}},
    [BAUCHAU_SPIN] = {"bauchau_disc",
                      {"disc.rotation.z", "disc.angular_velocity.z"},
                      0.2,
                      0,
                      1,
                      {LOSS, {"u", "0.50327 mm"}, {"spin", "10"}}},
    [BAUCHAU_BAR] = {"bauchau_bar", {"bar.rotation.z", "bar.angular_velocity.z"}, 2, 0, 1, {{0}}},
    [BAUCHAU_ROTOR_FREE] = {"bauchau_rotor", ROTOR_CHANNELS, 0, 0.01, 36, {{0}}},
    [BAUCHAU_ROTOR] = {"bauchau_rotor", ROTOR_CHANNELS, 0, 1e-3, ROTOR_ROWS, {ROTOR_STEP}},
    [BAUCHAU_ROTOR_IMPACTS] = {"bauchau_rotor", {"T.force.normal"}, 0, 1e-4, BLOW_ROWS, {{0}}},
    [BAUCHAU_ROTOR_SMOOTH] = {"bauchau_rotor",
                              ROTOR_CHANNELS,
                              0,
                              1e-3,
                              ROTOR_ROWS,
                              {ROTOR_STEP, {"clearances.T.friction.law", "smooth"}}},
    [BAUCHAU_ROTOR_PINNED] = {"bauchau_rotor_pinned",
                              {"R.velocity", "disk.position.y", "disk.position.z"},
                              0,
                              0.01,
                              146,
                              {ROTOR_STEP}},
    [BAUCHAU_MECHANISM] = {"bauchau_mechanism",
                           {"Q.reaction.force_world.x", "Q.reaction.force_world.y",
                            "Q.reaction.force_world.z", "beam.s0.force.y", "beam.s0.force.z",
                            "link.s0.5.force.x", "link.s0.5.force.y", "link.s0.5.force.z",
                            "slider.position.x"},
                           CRANK(4 * TURN),
                           CRANK_ROW,
                           CRANK_ROWS,
                           {{0}}},
    [BAUCHAU_MECHANISM_CLEARANCE] = {"bauchau_mechanism_clearance",
                                     {"Q.force.normal", "Q.force.friction", "Q.slip", "beam.s0.force.y",
                                      "beam.s0.force.z", "link.s0.5.force.x", "link.s0.5.force.y",
                                      "link.s0.5.force.z", "slider.position.x", "solver.step_contact",
                                      "solver.step_friction"},
                                     CRANK(4 * TURN),
                                     CRANK_ROW,
                                     CRANK_ROWS,
                                     {{0}}},
};

typedef struct bauchau_kept {
    bauchau_run *run[BAUCHAU_CASES];
} bauchau_kept;

static void run_free(bauchau_run *r) {
    if (r) free(r->t);
    free(r);
}

static void bauchau_release(void *memory) {
    bauchau_kept *kept = memory;
    for (int k = 0; k < BAUCHAU_CASES; k++) run_free(kept->run[k]);
    free(kept);
}

static bauchau_run *run_allocate(int rows) {
    bauchau_run *r = calloc(1, sizeof *r);
    double *memory = calloc((size_t)rows * (1 + BAUCHAU_COLUMNS), sizeof *memory);
    if (!r || !memory) {
        free(r), free(memory);
        return NULL;
    }
    r->count = rows, r->t = memory, r->touch = NAN;
    for (int c = 0; c < BAUCHAU_COLUMNS; c++) r->value[c] = memory + (size_t)rows * (size_t)(1 + c);
    return r;
}

// ------------------------------------------------------------------------------------------------------- one run

static void bauchau_on_event(void *context, const br_event *event) {
    bauchau_run *r = context;
    if (event->kind == BR_EVENT_CONTACT_ON) {
        if (isnan(r->touch)) r->touch = event->t;
        if (r->losses > 0 && isnan(r->lost[r->losses - 1][1])) r->lost[r->losses - 1][1] = event->t;
        // Bounces of a first contact fill the list: those that ended and lasted for less than a row are not kept.
        if (r->losses > 0 && r->lost[r->losses - 1][1] - r->lost[r->losses - 1][0] < 1e-3) r->losses--;
    }
    if (event->kind == BR_EVENT_CONTACT_OFF && r->losses < BAUCHAU_LOSSES) {
        r->lost[r->losses][0] = event->t, r->lost[r->losses][1] = NAN;
        r->losses++;
    }
}

static br_status bauchau_fill(const bauchau_about *about, br_sim *sim, bauchau_run *r, br_error *error) {
    br_channel channel[BAUCHAU_COLUMNS];
    br_status status = BR_OK;
    int columns = 0;
    for (; columns < BAUCHAU_COLUMNS && about->channel[columns] && status == BR_OK; columns++)
        status = br_sim_channel_find(sim, about->channel[columns], &channel[columns], error);
    for (int k = 0; k < r->count && status == BR_OK; k++) {
        r->t[k] = about->from + k * about->interval;
        status = br_sim_advance(sim, r->t[k], error);
        for (int c = 0; c < columns && status == BR_OK; c++)
            status = br_sim_channel_read(sim, &channel[c], &r->value[c][k], error);
    }
    r->ledger = br_sim_ledger(sim);
    return status;
}

static br_status make_run(const bauchau_about *about, bauchau_run **out, br_error *error) {
    papers_world world;
    int changes = 0;
    while (changes < MOST_CHANGES && about->change[changes].name) changes++;
    bauchau_run *r = run_allocate(about->rows);
    if (!r) return cli_no_memory(error, "not enough memory");
    br_status status = papers_sim(about->scene, about->change, changes, 0, &world, error);
    if (status == BR_OK) {
        br_sim_set_event(world.sim, bauchau_on_event, r);
        status = bauchau_fill(about, world.sim, r, error);
        papers_sim_close(&world);
    }
    if (status == BR_OK)
        *out = r;
    else
        run_free(r);
    return status;
}

br_status bauchau_get(papers_run *run, bauchau_case which, const bauchau_run **out, br_error *error) {
    bauchau_kept *kept = papers_kept(run, bauchau_release);
    br_status status = BR_OK;
    if (!kept) {
        kept = calloc(1, sizeof *kept);
        if (!kept || !papers_keep(run, kept, bauchau_release)) {
            free(kept);
            return cli_no_memory(error, "not enough memory");
        }
    }
    if (!kept->run[which]) status = make_run(&cases[which], &kept->run[which], error);
    *out = kept->run[which];
    return status;
}

// -------------------------------------------------------------------------------------------------------- reading

double bauchau_radius(const bauchau_run *r, int row) {
    return hypot(r->value[ROTOR_Y][row], r->value[ROTOR_Z][row]);
}

int bauchau_row(const bauchau_run *r, double t) {
    const double row = r->count > 1 ? round((t - r->t[0]) / (r->t[1] - r->t[0])) : 0;
    return (int)fmin(fmax(row, 0), r->count - 1);
}

double bauchau_crank(const bauchau_run *r, int row) {
    return (r->t[row] - CRANK(4 * TURN)) * 20 * 360 / TURN;
}
