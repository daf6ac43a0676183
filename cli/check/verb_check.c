// bristle check MODEL: what a model is before it runs: its bodies, beams and clearances, its freedoms, its redundant rows,
// how its loops close, what touches at the start.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/contact.h"
#include "check/freedom.h"
#include "check/matrix.h"
#include "check/support.h"
#include "model.h"
#include "trust/trust.h"

enum {
    MAX_ROW_NAMES = 1 << 16, // bytes for the names of redundant rows
    MAX_LISTED_SHAPES = 12,  // pairs of shapes that touch, in the text
    MAX_LISTED_PARTS = 12,   // beams, clearances
};

#define MOST_RANK_WORK                                                                                       \
    2.5e7 // rows times columns times the fewer of them: a tenth of a second of singular values
#define SMALLEST_SHOWN_GAP 1e-9 // m; less is the rounding of positions

typedef struct check_job {
    const char *path;
    br_model *model;
    br_sim *sim;
    br_mobility mobility;
    char *rows; // whose reaction is not determined, one per line
    br_contact_rank rank;
    int ranked;            // 0: nothing touches, or too much
    char *touch;           // contacts whose force is not determined, one per line
    br_trust_report trust; // of the start, where a joint rubs; no intervals: nothing does
    br_error not_judged;   // why there is none; BR_OK when nothing
    char *notes;
    br_error refused; // what a run would say; BR_OK when nothing
} check_job;

static double total_mass(const br_model *model) {
    double sum = 0;
    for (int k = 0; k < br_model_body_count(model); k++) sum += br_model_body_mass(model, k);
    return sum;
}

static double beam_mass(const br_model *model, int beam) {
    double sum = 0;
    for (int k = 0; k < br_model_body_count(model); k++)
        if (br_model_body_beam(model, k) == beam) sum += br_model_body_mass(model, k);
    return sum;
}

// Nodes of beams are bodies to the model, and what carries or attaches them are joints; to a reader they are neither.
static int own_bodies(const br_model *model) {
    int count = 0;
    for (int k = 0; k < br_model_body_count(model); k++) count += br_model_body_beam(model, k) < 0;
    return count;
}

// BEAM.attach_X: where X begins; NULL: the joint is none of the beam's.
static const char *attach_station(const br_model *model, int joint, int beam) {
    const char *name = br_model_joint_name(model, joint), *of = br_model_beam_name(model, beam);
    const size_t n = strlen(of);
    return strncmp(name, of, n) == 0 && strncmp(name + n, ".attach_", 8) == 0 ? name + n + 8 : NULL;
}

static int is_beam_joint(const br_model *model, int joint) {
    char body[BR_MAX_NAME];
    snprintf(body, sizeof body, "%s", br_model_joint_name(model, joint));
    char *end = strrchr(body, '.');
    if (end && strcmp(end, ".free") == 0) {
        *end = '\0';
        const int found = br_model_body_find(model, body);
        if (found >= 0 && br_model_body_beam(model, found) >= 0) return 1;
    }
    for (int k = 0; k < br_model_beam_count(model); k++)
        if (attach_station(model, joint, k)) return 1;
    return 0;
}

static int own_joints(const br_model *model) {
    int count = 0;
    for (int k = 0; k < br_model_joint_count(model); k++) count += !is_beam_joint(model, k);
    return count;
}

static int loop_joints(const br_model *model) {
    int count = 0;
    for (int k = 0; k < br_model_joint_count(model); k++) count += br_model_joint_closes_loop(model, k) != 0;
    return count;
}

static int is_implicit(const br_model *model) {
    return cli_traits(model)->adapts;
}

// The gap of a clearance at the start, m; NAN where nothing can tell.
static double gap_of(const check_job *j, int clearance) {
    char name[CLI_MAX_CHANNEL_NAME];
    br_channel channel;
    br_error ignored;
    double gap = NAN;
    snprintf(name, sizeof name, "%s.gap", br_model_clearance_name(j->model, clearance));
    if (!j->sim || br_sim_channel_find(j->sim, name, &channel, &ignored) != BR_OK) return NAN;
    return br_sim_channel_read(j->sim, &channel, &gap, &ignored) == BR_OK ? gap : NAN;
}

// Shapes that start inside each other, or touch without a pair, are found by the first step alone; so is a start that
// the implicit stepper cannot make anything of, and freedom that drives leave open to the kinematic one. Where its steps vary the first one may be thousands: not tried.
static int first_step_tells(const check_job *j) {
    if (j->refused.status != BR_OK) return 0;
    if (is_implicit(j->model)) return !br_model_settings(j->model)->solver.adaptive.on;
    return br_model_shape_count(j->model) > 1 || cli_traits(j->model)->prescribed;
}

static void try_first_step(check_job *j) {
    br_sim *trial = NULL;
    br_error error;
    memset(&error, 0, sizeof error);
    br_status status = br_sim_create(j->model, NULL, &trial, &error);
    if (status == BR_OK) status = br_sim_step(trial, &error);
    if (status != BR_OK) j->refused = error;
    br_sim_destroy(trial);
}

// What friction in joints adds to the rows while it holds. A verdict that cannot be had is no fault of the model. Laws of
// the implicit stepper are functions: nothing is held, and there is nothing to judge.
static void judge_start(check_job *j) {
    br_trust_options options = br_default_trust_options();
    if (is_implicit(j->model) || !trust_has_joint_friction(j->sim)) return;
    options.sensitivities = 0;
    options.budget = BR_TRUST_INSTANT;
    br_trust_instant(j->sim, &options, &j->trust, &j->not_judged);
}

// Whether the shares of contacts can be looked into in a moment.
static int is_ranked(const check_job *j) {
    const double rows = 3.0 * br_sim_contact_count(j->sim), columns = br_model_nv(j->model);
    return rows * columns * fmin(rows, columns) <= MOST_RANK_WORK;
}

static br_status examine(check_job *j, const cli_overrides *set, br_error *error) {
    br_status status = br_model_read(j->path, set->item, set->count, NULL, &j->model, NULL, error);
    if (status != BR_OK) return status;
    // A model that cannot run yet may still be a good one: then there is no simulation to ask, and the rest is told.
    br_model_runnable(j->model, &j->refused);
    status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status != BR_OK && (j->refused.status == BR_OK || strcmp(error->code, j->refused.code) != 0))
        return status;
    j->rows = calloc(MAX_ROW_NAMES, 1);
    j->touch = calloc(MAX_ROW_NAMES, 1);
    j->notes = cli_notes(j->model, j->sim, j->refused.status == BR_OK);
    if (!j->rows || !j->touch || !j->notes) return cli_no_memory(error, "not enough memory");
    // What cannot run yet, as joint friction, has no channels yet either.
    if (j->sim && j->refused.status == BR_OK) status = cli_check_outputs(j->sim, error);
    if (!j->sim || status != BR_OK) return status;
    status = br_sim_mobility(j->sim, &j->mobility, j->rows, MAX_ROW_NAMES, error);
    j->ranked = is_ranked(j);
    if (status == BR_OK && j->ranked)
        status = br_sim_contact_rank(j->sim, &j->rank, j->touch, MAX_ROW_NAMES, error);
    if (status == BR_OK && first_step_tells(j)) try_first_step(j);
    if (status == BR_OK && j->refused.status == BR_OK) judge_start(j);
    return status;
}

// ---------------------------------------------------------------------------------------------------------- text

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

// "shaft: 24 elements, 6 m, 5.088 kg, attached at 0, 0.5"
static void print_beams(const br_model *model) {
    const int count = br_model_beam_count(model), joints = br_model_joint_count(model);
    for (int k = 0; k < count; k++) {
        if (k == MAX_LISTED_PARTS) {
            printf("            ... and %d more\n", count - k);
            return;
        }
        const int elements = br_model_beam_elements(model, k);
        printf("%-11s %s: %d element%s, %.6g m, %.6g kg", k ? "" : "beams", br_model_beam_name(model, k),
               elements, plural(elements), br_model_beam_length(model, k), beam_mass(model, k));
        for (int i = 0, shown = 0; i < joints; i++) {
            const char *station = attach_station(model, i, k);
            if (station) printf("%s %s", shown++ ? "," : ", attached at", station);
        }
        putchar('\n');
    }
}

// "T: spatial, gap 0.8 mm at the start", or by how much it starts pressed in.
static void print_clearances(const check_job *j) {
    const int count = br_model_clearance_count(j->model);
    for (int k = 0; k < count; k++) {
        if (k == MAX_LISTED_PARTS) {
            printf("            ... and %d more\n", count - k);
            return;
        }
        const double gap = gap_of(j, k);
        printf("%-11s %s: %s", k ? "" : "clearances", br_model_clearance_name(j->model, k),
               br_clearance_type_name(br_model_clearance_type(j->model, k)));
        if (gap < -SMALLEST_SHOWN_GAP)
            printf(", pressed in by %.4g mm at the start", -1e3 * gap);
        else if (isfinite(gap))
            printf(", gap %.4g mm at the start", gap > SMALLEST_SHOWN_GAP ? 1e3 * gap : 0.0);
        putchar('\n');
    }
}

static void print_joints(const br_model *model) {
    const int count = br_model_joint_count(model), loops = loop_joints(model);
    printf("joints      %d", own_joints(model));
    if (loops > 0) printf(", of which %d close%s a loop:", loops, loops == 1 ? "s" : "");
    for (int k = 0, shown = 0; k < count && loops > 0; k++) {
        if (!br_model_joint_closes_loop(model, k)) continue;
        if (shown < 8) printf(" %s", br_model_joint_name(model, k));
        if (shown++ == 8) printf(" ...");
    }
    putchar('\n');
}

static void print_assembly(const check_job *j) {
    const br_assembly *a = br_sim_assembly(j->sim);
    if (loop_joints(j->model) == 0 && !a->moved && !a->velocities_changed) {
        printf("assembly    nothing to close\n");
        return;
    }
    printf("assembly    loop error %.3g as given", a->loop_error_before);
    if (a->worst[0])
        printf(" (%s %s)", br_model_joint_find(j->model, a->worst) >= 0 ? "joint" : "drive", a->worst);
    printf(", %.3g after %d iteration%s%s\n", a->loop_error, a->iterations, plural(a->iterations),
           a->moved ? ": positions were changed" : "");
    if (a->velocities_changed)
        printf("            velocities were changed: they disagreed with joints or drives by %.3g\n",
               a->velocity_error_before);
    char changes[CLI_CHANGES_ROOM];
    cli_describe_changes(j->model, j->sim, changes, sizeof changes);
    cli_print_notes(stdout, changes);
}

// Whether a row of the joint is among those whose reaction is open, and with it perhaps the load of its friction.
static int is_open(const check_job *j, const char *joint) {
    const size_t n = strlen(joint);
    for (const char *p = j->rows; *p;) {
        const size_t length = strcspn(p, "\n");
        if (length > n && memcmp(p, joint, n) == 0 && p[n] == '.') return 1;
        p += length + (p[length] == '\n');
    }
    return 0;
}

static int joint_rubs(const check_job *j, int joint) {
    return br_model_joint_friction(j->model, joint) != NULL;
}

// Degrees of freedom left while all friction holds: each of its forces is a row, but for those that are redundant. -1: contacts
// have a share in it, or something moves.
static int stuck_freedom(const br_trust_interval *i) {
    for (int k = 0; k < i->forces; k++)
        if (i->force[k].is_contact) return -1;
    return i->verdict == BR_MOVES || i->verdict == BR_NOT_JUDGED
               ? -1
               : i->freedom - (i->forces - (i->nullity - i->permanent_nullity));
}

// "coulomb, mu 0.5 at rest and 0.3 sliding, load from the reaction"
static void describe_friction(const br_model *model, int joint, char *text, size_t size) {
    const br_friction_def *f = br_model_joint_friction(model, joint);
    const double at_rest = f->mu_static > 0.0 ? f->mu_static : f->mu_kinetic,
                 sliding = f->mu_kinetic > 0.0 ? f->mu_kinetic : f->mu_static;
    char load[48] = "load from the reaction", mu[64];
    if (f->load_constant)
        snprintf(load, sizeof load, "constant load %.6g %s", f->load,
                 cli_friction_is_torque(model, joint) ? "N m" : "N");
    if (at_rest == sliding)
        snprintf(mu, sizeof mu, "mu %.6g", at_rest);
    else
        snprintf(mu, sizeof mu, "mu %.6g at rest and %.6g sliding", at_rest, sliding);
    snprintf(text, size, "%s%s%s, %s, %s", br_friction_law_name(f->law), f->shape ? " " : "",
             f->shape ? f->shape : "", mu, load);
}

static void print_friction(const check_job *j) {
    int shown = 0;
    for (int k = 0; k < br_model_joint_count(j->model); k++) {
        if (!joint_rubs(j, k)) continue;
        char text[200];
        const br_friction_def *f = br_model_joint_friction(j->model, k);
        describe_friction(j->model, k, text, sizeof text);
        printf("%-11s %s: %s%s\n", shown++ ? "" : "friction", br_model_joint_name(j->model, k), text,
               !f->load_constant && is_open(j, br_model_joint_name(j->model, k))
                   ? "; its reaction is among those not determined, so friction and with it the motion may "
                     "not be unique"
                   : "");
    }
    if (j->not_judged.status != BR_OK) printf("held        not judged: %s\n", j->not_judged.message);
    if (j->trust.intervals == 0) return;
    const br_trust_interval *i = &j->trust.interval[0];
    const int left = stuck_freedom(i);
    if (i->verdict == BR_NOT_JUDGED) {
        trust_credible(stdout, "held", &j->trust);
        return;
    }
    if (left >= 0)
        printf("held        while all friction holds: %d degree%s of freedom", left, plural(left));
    else
        printf("held        while what is at rest holds");
    if (i->nullity > 0)
        printf(", and %d combination%s of forces %s open: %s\n", i->nullity, plural(i->nullity),
               i->nullity == 1 ? "is" : "are", i->not_unique);
    else
        printf(left >= 0 ? ", and every force is determined\n" : ", every force is determined\n");
    const char *words = trust_words(i);
    const int verb = words[0] == 's' || words[0] == 'm'; // sticks, slides, moves
    printf("            at the start%s %s%s%s%s\n", verb ? " it" : ":", words, i->of[0] ? " (" : "", i->of,
           i->of[0] ? ")" : "");
    if (i->by_name[0]) printf("            by name: %s\n", i->by_name);
}

// "A~B: 4, gap 0.001 m", a line for each pair of shapes; contacts of a pair stand one after the other.
static void print_touching(const br_sim *sim) {
    const int count = br_sim_contact_count(sim);
    int shown = 0;
    for (int k = 0, next; k < count && shown <= MAX_LISTED_SHAPES; k = next, shown++) {
        br_contact first, other;
        char name[BR_MAX_CONTACT_NAME];
        br_sim_contact(sim, k, &first);
        br_sim_contact_name(sim, k, name, sizeof name);
        double gap = first.gap;
        for (next = k + 1; next < count; next++) {
            br_sim_contact(sim, next, &other);
            if (other.shape_a != first.shape_a || other.shape_b != first.shape_b) break;
            gap = fmin(gap, other.gap);
        }
        if (shown == MAX_LISTED_SHAPES) {
            printf("            ...\n");
            return;
        }
        printf("            %.*s: %d", (int)strcspn(name, "#"), name, next - k);
        if (fabs(gap) > SMALLEST_SHOWN_GAP) printf(", gap %.3g m", gap);
        putchar('\n');
    }
}

// Names A~B#0, A~B#1: one line for each pair of shapes, "A~B: #0 #1".
static void print_open(const char *names) {
    const char *last = NULL;
    size_t last_length = 0;
    for (const char *p = names; *p;) {
        const size_t length = strcspn(p, "\n"), n = strcspn(p, "#\n");
        if (!last || n != last_length || memcmp(p, last, n) != 0)
            printf("%s            %.*s:", last ? "\n" : "", (int)n, p);
        printf(" %.*s", (int)(length - n), p + n);
        last = p;
        last_length = n;
        p += length + (p[length] == '\n');
    }
    if (last) putchar('\n');
}

static void print_contacts(const check_job *j) {
    const int count = br_sim_contact_count(j->sim);
    if (br_model_shape_count(j->model) < 2 || j->refused.status != BR_OK) return;
    if (count == 0) {
        printf("contacts    none at the start\n");
        return;
    }
    printf("contacts    %d at the start, touching or near:\n", count);
    print_touching(j->sim);
    check_print_support(j->sim, j->model);
    char inside[CLI_START_ROOM];
    cli_describe_start(j->model, j->sim, inside, sizeof inside);
    cli_print_notes(stdout, inside);
    if (!j->ranked)
        printf("shares      not looked into: %d contacts are too many for a moment\n", count);
    else if (j->rank.undetermined > 0)
        printf("shares      %d of %d components of contact forces %s not determined while all stick:\n",
               j->rank.undetermined, j->rank.rows, j->rank.undetermined == 1 ? "is" : "are");
    else if (j->rank.contacts > 0)
        printf("shares      every contact force is determined\n");
    print_open(j->touch);
}

static void print_run(const check_job *j) {
    const br_settings *s = br_model_settings(j->model);
    printf("run         %s", br_stepper_name(s->solver.stepper));
    if (is_implicit(j->model))
        printf(" (%s, rho_infinity %.6g)", s->solver.energy_decaying ? "energy_decaying" : "alpha",
               s->solver.rho_infinity);
    printf(", step %s%.9g s, until %.9g s\n",
           is_implicit(j->model) && s->solver.adaptive.on ? "at most " : "", s->solver.step, s->until);
    cli_print_next_set(stdout, "next        ", "run", j->path, "");
}

static void check_print_text(const check_job *j) {
    static const char *const planes[] = {"", ", planar xy", ", planar xz", ", planar yz"};
    const br_settings *s = br_model_settings(j->model);
    printf("model       %s (%s)%s\n", br_model_name(j->model), j->path, planes[s->planar]);
    printf("bodies      %d, total mass %.9g kg%s\n", own_bodies(j->model), total_mass(j->model),
           br_model_beam_count(j->model) > 0 ? " with beams" : "");
    print_beams(j->model);
    print_joints(j->model);
    print_clearances(j);
    printf("coordinates nq = %d, nv = %d\n", br_model_nq(j->model), br_model_nv(j->model));
    if (j->sim) check_print_freedom(&j->mobility, j->rows);
    if (j->sim) print_assembly(j);
    if (j->sim) print_friction(j);
    if (j->sim) print_contacts(j);
    if (j->refused.status == BR_OK) cli_print_dropped(stdout, j->model);
    cli_print_notes(stdout, br_model_notes(j->model));
    if (j->refused.status != BR_OK)
        printf("run         not possible: %s\nnext        bristle explain %s\n", j->refused.message,
               j->refused.code);
    else
        print_run(j);
    if (j->refused.status == BR_OK && j->trust.intervals > 0) {
        const int judged = j->trust.interval[0].verdict != BR_NOT_JUDGED;
        cli_print_next_set(stdout, "            ", "trust", j->path, judged ? "" : " --at 0");
    }
}

// ---------------------------------------------------------------------------------------------------------- JSON

static void json_joints(br_json *json, const br_model *model) {
    br_json list = br_json_list(json, "joints");
    for (int k = 0; k < br_model_joint_count(model); k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", br_model_joint_name(model, k));
        br_json_string(&o, "type", br_joint_type_name(br_model_joint_type(model, k)));
        br_json_bool(&o, "closes_loop", br_model_joint_closes_loop(model, k));
        br_json_whole(&o, "q", br_model_joint_q(model, k));
        br_json_whole(&o, "v", br_model_joint_v(model, k));
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_bodies(br_json *json, const br_model *model) {
    br_json list = br_json_list(json, "bodies");
    for (int k = 0; k < br_model_body_count(model); k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", br_model_body_name(model, k));
        br_json_number(&o, "mass", br_model_body_mass(model, k));
        const int beam = br_model_body_beam(model, k);
        if (beam >= 0) br_json_string(&o, "beam", br_model_beam_name(model, beam));
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_beams(br_json *json, const br_model *model) {
    br_json list = br_json_list(json, "beams");
    for (int k = 0; k < br_model_beam_count(model); k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", br_model_beam_name(model, k));
        br_json_whole(&o, "elements", br_model_beam_elements(model, k));
        br_json_number(&o, "length", br_model_beam_length(model, k));
        br_json_number(&o, "mass", beam_mass(model, k));
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_clearances(br_json *json, const check_job *j) {
    br_json list = br_json_list(json, "clearances");
    for (int k = 0; k < br_model_clearance_count(j->model); k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", br_model_clearance_name(j->model, k));
        br_json_string(&o, "type", br_clearance_type_name(br_model_clearance_type(j->model, k)));
        br_json_number(&o, "gap", gap_of(j, k));
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_freedom(br_json *json, const check_job *j) {
    br_json_whole(json, "degrees_of_freedom", j->mobility.degrees_of_freedom);
    br_json_whole(json, "idle", j->mobility.idle);
    br_json_lines(json, "idle_bodies", j->mobility.idle_of);
    br_json_string(json, "looked_at",
                   j->mobility.too_large == 0   ? "mechanism"
                   : j->mobility.too_large == 1 ? "this position"
                                                : "nothing");
    br_json_whole(json, "rows", j->mobility.rows);
    br_json_whole(json, "redundant", j->mobility.redundant);
    br_json_lines(json, "redundant_rows", j->rows);
    br_json here = br_json_object(json, "here");
    br_json_whole(&here, "degrees_of_freedom", j->mobility.degrees_of_freedom_here);
    br_json_whole(&here, "redundant", j->mobility.redundant_here);
    br_json_bool(&here, "singular", j->mobility.degrees_of_freedom_here > j->mobility.degrees_of_freedom);
    br_json_number(&here, "grip", j->mobility.grip);
    br_json_close_object(&here);
    br_json_number(json, "contradiction", j->mobility.contradiction);
    br_json_number(json, "contradiction_limit", j->mobility.contradiction_limit);
    br_json_string(json, "contradicts", j->mobility.contradicts[0] ? j->mobility.contradicts : NULL);
    cli_json_assembly(json, "assembly", j->sim);
}

static void json_friction(br_json *json, const check_job *j) {
    br_json list = br_json_list(json, "friction_joints");
    for (int k = 0; k < br_model_joint_count(j->model); k++) {
        if (!joint_rubs(j, k)) continue;
        const char *name = br_model_joint_name(j->model, k);
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", name);
        char text[200];
        describe_friction(j->model, k, text, sizeof text);
        br_json_string(&o, "law", text);
        if (j->mobility.too_large > 1)
            br_json_null(&o, "reaction_determined");
        else
            br_json_bool(&o, "reaction_determined", !is_open(j, name));
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    trust_json_reasons(json, "held_reasons", &j->trust, -1);
    if (j->trust.intervals == 0) {
        br_json_null(json, "held");
        return;
    }
    const br_trust_interval *i = &j->trust.interval[0];
    const int left = stuck_freedom(i);
    br_json held = br_json_object(json, "held");
    if (left >= 0)
        br_json_whole(&held, "degrees_of_freedom", left);
    else
        br_json_null(&held, "degrees_of_freedom");
    if (i->verdict == BR_NOT_JUDGED)
        br_json_null(&held, "nullity");
    else
        br_json_whole(&held, "nullity", i->nullity);
    br_json_string(&held, "verdict", br_verdict_name(i->verdict));
    br_json_string(&held, "of", i->of);
    br_json_string(&held, "by_name", i->by_name);
    trust_json_credible(&held, "credible", &j->trust);
    br_json_string(&held, "not_unique", i->not_unique);
    br_json_close_object(&held);
}

static void json_contacts(br_json *json, const check_job *j) {
    const int count = br_sim_contact_count(j->sim);
    br_json list = br_json_list(json, "contacts");
    for (int k = 0; k < count; k++) {
        br_contact contact;
        char name[BR_MAX_CONTACT_NAME];
        br_sim_contact(j->sim, k, &contact);
        br_sim_contact_name(j->sim, k, name, sizeof name);
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", name);
        br_json_number(&o, "gap", contact.gap);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    if (!j->ranked) {
        br_json_null(json, "contact_rows");
        br_json_null(json, "contact_undetermined");
    } else {
        br_json_whole(json, "contact_rows", j->rank.rows);
        br_json_whole(json, "contact_undetermined", j->rank.undetermined);
    }
    br_json_lines(json, "undetermined_contacts", j->touch);
    check_json_support(json, j->sim, j->model);
}

static void print_json(const check_job *j) {
    static const char *const planes[] = {NULL, "xy", "xz", "yz"};
    const br_settings *s = br_model_settings(j->model);
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "fine");
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "file", j->path);
    br_json_string(&json, "planar", planes[s->planar]);
    br_json_number(&json, "total_mass", total_mass(j->model));
    br_json_whole(&json, "nq", br_model_nq(j->model));
    br_json_whole(&json, "nv", br_model_nv(j->model));
    if (j->sim) json_freedom(&json, j);
    if (j->sim) json_friction(&json, j);
    if (j->sim) json_contacts(&json, j);
    br_json_lines(&json, "notes", j->notes);
    cli_json_dropped(&json, "dropped", j->refused.status == BR_OK ? j->model : NULL);
    br_json_bool(&json, "can_run", j->refused.status == BR_OK);
    br_json_string(&json, "refused", j->refused.status == BR_OK ? NULL : j->refused.message);
    br_json_string(&json, "stepper", br_stepper_name(s->solver.stepper));
    br_json_number(&json, "step", s->solver.step);
    br_json_number(&json, "until", s->until);
    json_beams(&json, j->model);
    json_clearances(&json, j);
    json_bodies(&json, j->model);
    json_joints(&json, j->model);
    br_json_end(&json);
}

// -------------------------------------------------------------------------------------------------- --channels

// What `outputs`, --csv and a result can hold: one line for each.
static int list_channels(const check_job *j, const cli_overrides *set) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error;
    memset(&error, 0, sizeof error);
    br_status status = br_model_read(j->path, set->item, set->count, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_model_runnable(model, &error);
    br_channels *list = NULL;
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_channels_choose(sim, BR_CHANNELS_RECORDED, NULL, &list, &error);
    const int code = status == BR_OK ? EXIT_FINE : cli_fail(&error, j->path);
    for (int k = 0; list && k < br_channels_count(list); k++)
        printf("%-40s %s\n", br_channels_names(list)[k], br_channels_unit(list, k));
    br_channels_destroy(list);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return code;
}

// ------------------------------------------------------------------------------------------------------ the verb

static int verb_check(int argc, char **argv) {
    cli_overrides overrides;
    check_job j;
    br_error error;
    int json = 0, channels = 0, matrix = 0, count = 0;
    const char *set = NULL;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!cli_take_overrides("check", &argc, argv, &overrides)) return EXIT_USAGE;
    const cli_option options[] = {{"--json", NULL, &json},
                                  {"--channels", NULL, &channels},
                                  {"--matrix", NULL, &matrix},
                                  {"--set", &set, NULL}};
    if (!cli_parse(argc, argv, options, 4, &j.path, 1, &count)) return EXIT_USAGE;
    if (matrix && (count > 0 || channels || overrides.count > 0)) {
        cli_usage_error("check", "--matrix has models of its own; without a file, --set and --channels");
        return EXIT_USAGE;
    }
    if (matrix) return check_matrix(json);
    if (count == 0) {
        cli_usage_error("check", "expected a model file");
        return EXIT_USAGE;
    }
    if (channels && json) {
        cli_usage_error("check", "--channels is a list for people; without --json");
        return EXIT_USAGE;
    }
    if (channels) return list_channels(&j, &overrides);
    int code = EXIT_FINE;
    if (examine(&j, &overrides, &error) != BR_OK)
        code = cli_fail(&error, j.path);
    else
        (json ? print_json : check_print_text)(&j);
    free(j.rows);
    free(j.touch);
    free(j.notes);
    br_trust_report_free(&j.trust);
    br_sim_destroy(j.sim);
    br_model_destroy(j.model);
    return code;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .summary = "read a model and say what it is: freedoms, redundant rows, how loops close, what touches",
    .help =
        "bristle check MODEL [--set NAME=VALUE]... [--channels | --json]\n"
        "bristle check --matrix [--json]\n\n"
        "Reads and validates the model, closes its loops, and prints bodies, beams, joints, clearances, "
        "degrees of\nfreedom, the "
        "rows whose reactions the motion alone does not determine, by joint, which joints rub and what is "
        "left\n"
        "open while their friction holds, what touches at the start and which contact forces are open, and\n"
        "what a run would refuse.\n\n"
        "  --set NAME=VALUE     changes a parameter (mu=0.5) or a key of the file; repeatable\n"
        "  --channels           lists the channels of the model instead, with their units\n"
        "  --matrix             of no model: which stepper takes which element, and each beside each other; "
        "small models\n                       of its own are run for a few steps\n"
        "  --json               one JSON object on stdout, also for an error\n\n"
        "Exit codes: 0 fine, 1 usage or a fault in the model, 2 its loops cannot be closed.\n",
    .run = verb_check,
};
