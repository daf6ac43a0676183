// What a model says and a stepper leaves out, see br_model_dropped in model.h: one table, a row for each key that some stepper
// does not follow. What a stepper refuses is not here: that is an error of its own (refuse of br_stepper_ops).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/compile/touch.h"
#include "model/model.h"

#define BY(stepper) (1u << BR_STEPPER_##stepper)
#define BY_ALL (BY(CONTACT) | BY(IMPLICIT) | BY(REFERENCE) | BY(KINEMATIC))

#define BR_USUAL_TOL 1e-10        // defaults of the format, src/model/def: a key that says no more than these
#define BR_USUAL_THRESHOLD 0.01   // leaves nothing out
#define BR_USUAL_RHO_INFINITY 0.8 //

typedef enum honour_of { OF_SOLVER, OF_CONTACT, OF_PAIR, OF_JOINT } honour_of;

typedef struct honour_row {
    honour_of of;
    const char *key;
    unsigned followed; // by these steppers
    unsigned part;     // by these in part
    // Whether element k says it: a pair or joint; 0 of settings.
    int (*says)(const br_model *model, int k);
    const char *instead; // what the others do
} honour_row;

// --- who says what -----------------------------------------------------------------------------------------

static const br_solver_settings *solver_of(const br_model *model) {
    return &model->settings.solver;
}

// Whether two shapes of these materials can meet: a pair of materials that never do decides nothing.
static int pair_meets(const br_model *model, int pair) {
    const int shapes = model->contact->shapes;
    for (int a = 0; a < shapes; a++)
        for (int b = a + 1; b < shapes; b++)
            if (br_model_pair(model, a, b) == pair && br_model_may_touch(model, a, b)) return 1;
    return 0;
}

static int says_stiffness(const br_model *model, int k) {
    return model->contact->law == BR_CONTACT_BRISTLE && isfinite(model->contact->pair[k].bristle_stiffness) &&
           pair_meets(model, k);
}

static int says_bristle_damping(const br_model *model, int k) {
    return says_stiffness(model, k) && model->contact->pair[k].bristle_damping > 0.0;
}

static int says_threshold(const br_model *model, int k) {
    const br_pair_def *pair = &model->contact->pair[k];
    return pair->v_threshold != BR_USUAL_THRESHOLD && pair->mu_static > pair->mu_kinetic &&
           pair_meets(model, k);
}

static int says_soft_restitution(const br_model *model, int k) {
    const br_pair_def *pair = &model->contact->pair[k];
    return pair->restitution > 0.0 && pair->compliance && pair_meets(model, k);
}

// The preset sets bounds, position_update, rotation and theta: it speaks for them.
static int says_paper(const br_model *model, int k) {
    (void)k;
    return model->settings.contact_paper;
}

static int says_bounds(const br_model *model, int k) {
    (void)k;
    return !says_paper(model, 0) && model->contact && model->contact->bounds != BR_BOUNDS_IMPLICIT;
}

static int says_old_positions(const br_model *model, int k) {
    (void)k;
    return !says_paper(model, 0) && solver_of(model)->position_old;
}

static int says_theta(const br_model *model, int k) {
    (void)k;
    return !says_paper(model, 0) && !says_old_positions(model, 0) && solver_of(model)->theta != 0.5;
}

static int says_rho_infinity(const br_model *model, int k) {
    (void)k;
    return solver_of(model)->rho_infinity != BR_USUAL_RHO_INFINITY;
}

static int says_scheme(const br_model *model, int k) {
    (void)k;
    return !solver_of(model)->energy_decaying;
}

static int says_tol(const br_model *model, int k) {
    (void)k;
    return solver_of(model)->tol != BR_USUAL_TOL;
}

static int says_max_iterations(const br_model *model, int k) {
    (void)k;
    return solver_of(model)->max_iterations != 0;
}

static int says_events(const br_model *model, int k) {
    (void)k;
    return solver_of(model)->split_events;
}

static int says_restart(const br_model *model, int k) {
    (void)k;
    return solver_of(model)->restart > 0.0;
}

static int says_redundancy(const br_model *model, int k) {
    (void)k;
    return solver_of(model)->redundancy != NULL;
}

static int says_compliance(const br_model *model, int k) {
    return model->joint[k].compliance_translation > 0.0 || model->joint[k].compliance_rotation > 0.0;
}

static int rubs_and_says_redundancy(const br_model *model, int k) {
    return model->friction_joint && says_redundancy(model, k);
}

static int rubs_and_says_compliance(const br_model *model, int k) {
    return model->friction_joint && says_compliance(model, k);
}

static int says_friction_compliance(const br_model *model, int k) {
    return model->joint[k].friction && model->joint[k].friction->compliance > 0.0;
}

// --- the table ---------------------------------------------------------------------------------------------

#define SHARES_EQUALLY                                                                                       \
    "it shares the friction of stuck joints by friction.compliance, or equally; reactions follow it"
#define SHARES_BY_ROWS "it shares what redundant rows leave open in its own way"

static const honour_row honours[] = {
    {OF_PAIR, "bristle.stiffness", BY(CONTACT) | BY(IMPLICIT) | BY(REFERENCE), 0, says_stiffness,
     "its bristles are rigid"},
    {OF_PAIR, "bristle.damping", BY(CONTACT) | BY(IMPLICIT) | BY(REFERENCE), 0, says_bristle_damping,
     "its bristles are rigid"},
    {OF_PAIR, "bristle.v_threshold", BY(CONTACT) | BY(IMPLICIT), 0, says_threshold,
     "mu_static is for what does not slide at all"},
    {OF_PAIR, "restitution", 0, 0, says_soft_restitution,
     "a contact with compliance rebounds as its damping lets it"},
    {OF_CONTACT, "paper", BY(CONTACT), BY(IMPLICIT), says_paper, "its steps are its own"},
    {OF_CONTACT, "bounds", BY(CONTACT) | BY(IMPLICIT), 0, says_bounds,
     "the bounds of friction are those of the instant"},
    {OF_SOLVER, "theta", BY(CONTACT), 0, says_theta, "its steps are its own"},
    {OF_SOLVER, "position_update", BY(CONTACT), 0, says_old_positions, "its steps are its own"},
    {OF_SOLVER, "rho_infinity", BY(IMPLICIT), 0, says_rho_infinity, "its steps are its own"},
    {OF_SOLVER, "scheme", BY(IMPLICIT), 0, says_scheme, "its steps are its own"},
    {OF_SOLVER, "tol", BY_ALL & ~BY(KINEMATIC), 0, says_tol, "its positions are exact to rounding"},
    {OF_SOLVER, "max_iterations", BY(CONTACT), 0, says_max_iterations, "its methods have their own"},
    {OF_SOLVER, "events", BY(CONTACT), 0, says_events, "it meets blows and limits in its own way"},
    {OF_SOLVER, "restart", BY(REFERENCE), 0, says_restart, "each of its steps begins from the state alone"},
    {OF_SOLVER, "redundancy", BY_ALL & ~BY(IMPLICIT), 0, says_redundancy, SHARES_BY_ROWS},
    {OF_SOLVER, "redundancy", BY_ALL & ~BY(CONTACT), BY(CONTACT), rubs_and_says_redundancy, SHARES_EQUALLY},
    {OF_JOINT, "compliance", BY_ALL & ~BY(IMPLICIT), 0, says_compliance, SHARES_BY_ROWS},
    {OF_JOINT, "compliance", BY_ALL & ~BY(CONTACT), BY(CONTACT), rubs_and_says_compliance, SHARES_EQUALLY},
    {OF_JOINT, "friction.compliance", BY_ALL & ~BY(IMPLICIT), 0, says_friction_compliance,
     "its friction is a function of the motion, so nothing is shared"},
};

// --- in words ----------------------------------------------------------------------------------------------

static int elements_of(const br_model *model, honour_of of) {
    if (of == OF_PAIR) return model->contact ? model->contact->pairs : 0;
    return of == OF_JOINT ? model->joints : 1;
}

// The first element that says it, and how many do.
static int first_who_says(const br_model *model, const honour_row *row, int *count) {
    int first = -1;
    *count = 0;
    for (int k = 0; k < elements_of(model, row->of); k++)
        if (row->says(model, k)) {
            if (first < 0) first = k;
            ++*count;
        }
    return first;
}

static void name_element(const br_model *model, const honour_row *row, int k, br_dropped *out) {
    static const char *const section[] = {"solver", "contact", "pairs", "joints"};
    char name[BR_MAX_DROPPED_ELEMENT] = "";
    if (row->of == OF_PAIR)
        snprintf(name, sizeof name, "%s/%s", model->contact->pair[k].first, model->contact->pair[k].second);
    if (row->of == OF_JOINT) snprintf(name, sizeof name, "%s", model->joint[k].name);
    snprintf(out->element, sizeof out->element, "%s%s",
             row->of == OF_PAIR    ? "pair "
             : row->of == OF_JOINT ? "joint "
                                   : section[row->of],
             name);
    snprintf(out->path, sizeof out->path, "%s/%s%s%s", section[row->of], name, name[0] ? "/" : "", row->key);
    for (char *c = out->path + strlen(out->path) - strlen(row->key); *c; c++)
        if (*c == '.') *c = '/';
}

// "contact and reference": the steppers of the bits, without the kinematic one, which moves what is driven and nothing else.
static void name_steppers(unsigned bits, size_t size, char *out) {
    int left = 0;
    bits &= ~BY(KINEMATIC);
    for (int s = 0; s < BR_STEPPERS; s++) left += bits >> s & 1u;
    out[0] = '\0';
    for (int s = 0, used = 0; s < BR_STEPPERS; s++) {
        if (!(bits >> s & 1u)) continue;
        const size_t n = strlen(out);
        snprintf(out + n, size - n, "%s%s",
                 !used       ? ""
                 : left == 1 ? " and "
                             : ", ",
                 br_stepper_name((br_stepper)s));
        used = 1, left--;
    }
}

static void say_dropped(const br_model *model, const honour_row *row, int first, int count, br_dropped *out) {
    const unsigned own = 1u << solver_of(model)->stepper;
    char others[BR_MAX_NAME], more[32] = "";
    int several = 0;
    memset(out, 0, sizeof *out);
    name_element(model, row, first, out);
    snprintf(out->key, sizeof out->key, "%s", row->key);
    out->stepper = solver_of(model)->stepper;
    out->followed = row->followed;
    out->in_part = (row->part & own) != 0;
    name_steppers(row->followed, sizeof others, others);
    for (int s = 0; s < BR_STEPPERS; s++) several += (row->followed & ~BY(KINEMATIC)) >> s & 1u;
    if (count > 1) snprintf(more, sizeof more, " (and %d more)", count - 1);
    snprintf(out->text, sizeof out->text, "%s%s: the %s stepper %s %s: %s; %s%s%s", out->element, more,
             br_stepper_name(out->stepper), out->in_part ? "follows only in part" : "leaves out", row->key,
             row->instead, several ? "the " : "no stepper follows it", others,
             several > 1    ? " steppers follow it"
             : several == 1 ? " stepper follows it"
                            : "");
}

int br_model_dropped(const br_model *model, int index, br_dropped *out) {
    const unsigned own = 1u << solver_of(model)->stepper;
    int seen = 0;
    for (size_t r = 0; r < sizeof honours / sizeof *honours; r++) {
        const honour_row *row = &honours[r];
        int count = 0;
        if (row->followed & own) continue;
        const int first = first_who_says(model, row, &count);
        if (first < 0 || seen++ < index) continue;
        if (out) say_dropped(model, row, first, count, out);
        return 1;
    }
    return 0;
}
