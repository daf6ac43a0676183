// bristle dynamics MODEL: mass matrix, bias, inverse dynamics, Jacobians, poses and reactions at given states.
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MAX_NV = 5000 }; // the mass matrix is dense: 200 MB, and 25 million numbers to print

typedef struct dynamics_request {
    const char *path, *state, *body;
    int json, linearize;
    cli_overrides overrides;
} dynamics_request;

typedef struct dynamics_job {
    br_model *model;
    br_sim *sim;
    br_state_file *states; // NULL: the initial state
    int nq, nv, bodies, joints;
    int named_body; // of --body; -1: not given
    double *M, *bias, *tau, *jacobian, *pose, *real, *imaginary;
    int eigenvalues;
} dynamics_job;

// One state, evaluated.
typedef struct evaluation {
    br_state_entry state;
    int body;
    br_energy energy;
    br_vec3 com;
} evaluation;

// ----------------------------------------------------------------------------------------------------- preparing

// A state of another program names bodies as that program does; an import has put _ for letters that names cannot have.
static int find_imported(const br_model *model, const char *name) {
    char own[BR_MAX_NAME];
    snprintf(own, sizeof own, "%s", name);
    for (char *p = own; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f || strchr("./~#,:\"'\\{}[]&*!|>%@`?$", *p))
            *p = '_';
    return br_model_body_find(model, own);
}

static br_status find_body(const dynamics_job *j, const char *name, const char *file, int line, int *out,
                           br_error *error) {
    *out = br_model_body_find(j->model, name);
    if (*out < 0) *out = find_imported(j->model, name);
    if (*out >= 0) return BR_OK;
    const char **names = calloc((size_t)j->bodies + 1, sizeof *names);
    for (int k = 0; names && k < j->bodies; k++) names[k] = br_model_body_name(j->model, k);
    const char *near = names ? br_nearest_word(name, names, (size_t)j->bodies) : NULL;
    free(names); // its words are the model's
    return cli_error(error, BR_INVALID, "dynamics-body", file, line,
                     near ? "there is no body '%s'; did you mean '%s'?" : "there is no body '%s'", name,
                     near);
}

static br_status take_memory(dynamics_job *j, br_error *error) {
    if (j->nv > MAX_NV)
        return cli_error(error, BR_TOO_LARGE, "dynamics-too-large", NULL, 0,
                         "the model has %d velocities, and a mass matrix is printed up to %d", j->nv, MAX_NV);
    const size_t n = (size_t)j->nv + 1, b = (size_t)j->bodies + 1;
    j->M = calloc(n * n, sizeof(double));
    j->bias = calloc(n, sizeof(double));
    j->tau = calloc(n, sizeof(double));
    j->jacobian = calloc(6 * n, sizeof(double));
    j->pose = calloc(7 * b, sizeof(double));
    j->real = calloc(2 * n, sizeof(double));
    j->imaginary = calloc(2 * n, sizeof(double));
    if (j->M && j->bias && j->tau && j->jacobian && j->pose && j->real && j->imaginary) return BR_OK;
    return cli_no_memory(error, "not enough memory for the matrices");
}

static br_status dynamics_prepare(const dynamics_request *r, dynamics_job *j, br_error *error) {
    br_status status =
        br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &j->model, NULL, error);
    if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status != BR_OK) return status;
    j->nq = br_model_nq(j->model);
    j->nv = br_model_nv(j->model);
    j->bodies = br_model_body_count(j->model);
    j->joints = br_model_joint_count(j->model);
    j->named_body = -1;
    if (r->body) status = find_body(j, r->body, r->path, 0, &j->named_body, error);
    if (status == BR_OK && r->state)
        status = br_state_file_read(r->state, j->nq, j->nv, NULL, &j->states, error);
    return status == BR_OK ? take_memory(j, error) : status;
}

static void clean(dynamics_job *j) {
    double *const all[] = {j->M, j->bias, j->tau, j->jacobian, j->pose, j->real, j->imaginary};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    br_state_file_free(j->states);
    br_sim_destroy(j->sim);
    br_model_destroy(j->model);
}

// ---------------------------------------------------------------------------------------------------- evaluating

static br_status centre_of_mass(dynamics_job *j, br_vec3 *out, br_error *error) {
    static const char *const axes[] = {"x", "y", "z"};
    double sum[3] = {0, 0, 0}, mass = 0;
    for (int k = 0; k < j->bodies; k++) {
        const double m = br_model_body_mass(j->model, k);
        mass += m;
        for (int axis = 0; axis < 3; axis++) {
            char name[CLI_MAX_CHANNEL_NAME];
            br_channel channel;
            double x;
            snprintf(name, sizeof name, "%s.com.%s", br_model_body_name(j->model, k), axes[axis]);
            br_status status = br_sim_channel_find(j->sim, name, &channel, error);
            if (status == BR_OK) status = br_sim_channel_read(j->sim, &channel, &x, error);
            if (status != BR_OK) return status;
            sum[axis] += m * x;
        }
    }
    *out = mass > 0 ? br_vec3_of(sum[0] / mass, sum[1] / mass, sum[2] / mass) : br_vec3_zero();
    return BR_OK;
}

// Pose 0 is the world.
static void fill_poses(dynamics_job *j) {
    double *position = j->pose, *rotation = j->pose + 3 * (size_t)(j->bodies + 1);
    const br_pose world = {{1, 0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k <= j->bodies; k++) {
        const br_pose X = k == 0 ? world : br_sim_body_pose(j->sim, k - 1);
        const double p[] = {X.position.x, X.position.y, X.position.z};
        const double q[] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
        memcpy(position + 3 * (size_t)k, p, sizeof p);
        memcpy(rotation + 4 * (size_t)k, q, sizeof q);
    }
}

static int all_finite(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += x[k] * 0.0;
    return sum == 0.0;
}

// Numbers near the end of what a double can hold overflow on the way. Such an answer is none.
static br_status check_answer(const dynamics_request *r, const dynamics_job *j, const evaluation *e,
                              br_error *error) {
    const size_t nv = (size_t)j->nv;
    const double rest[] = {e->energy.kinetic, e->energy.potential, e->energy.elastic, e->com.x, e->com.y,
                           e->com.z};
    const char *bad = !all_finite(j->M, nv * nv)                          ? "the mass matrix"
                      : !all_finite(j->bias, nv)                          ? "the bias"
                      : e->state.vdot && !all_finite(j->tau, nv)          ? "the inverse dynamics"
                      : e->body >= 0 && !all_finite(j->jacobian, 6 * nv)  ? "the Jacobian"
                      : !all_finite(j->pose, 7 * (size_t)(j->bodies + 1)) ? "a pose"
                      : !all_finite(rest, 6)                              ? "the energy or the centre of mass"
                                                                          : NULL;
    if (!bad) return BR_OK;
    return cli_error(error, BR_NUMERICAL, "not-finite", r->state ? r->state : r->path, e->state.line,
                     "%s is not finite at this state: its numbers are too large", bad);
}

// A quaternion is normalized, so it may have any length that can be told from 0 and infinity.
static br_status check_quaternions(const dynamics_request *r, const dynamics_job *j,
                                   const br_state_entry *state, br_error *error) {
    for (int k = 0; k < j->joints; k++) {
        const br_joint_type type = br_model_joint_type(j->model, k);
        const int nq = br_joint_type_positions(type), first = br_model_joint_q(j->model, k);
        if (first < 0 || nq == br_joint_type_velocities(type)) continue;
        const double *q = state->q + first + nq - 4;
        double largest = 0.0;
        for (int i = 0; i < 4; i++) largest = q[i] > largest ? q[i] : -q[i] > largest ? -q[i] : largest;
        if (largest > 1e-100 && largest < 1e100) continue;
        return cli_error(
            error, BR_INVALID, "state-quaternion", r->state, state->line,
            "qpos[%d] to qpos[%d], the quaternion of joint %s, has no length to divide by: (%g, %g, %g, %g)",
            first + nq - 4, first + nq - 1, br_model_joint_name(j->model, k), q[0], q[1], q[2], q[3]);
    }
    return BR_OK;
}

static br_status dynamics_evaluate(const dynamics_request *r, dynamics_job *j, evaluation *e,
                                   br_error *error) {
    br_status status = BR_OK;
    e->body = j->bodies - 1;
    if (j->named_body >= 0)
        e->body = j->named_body;
    else if (e->state.body)
        status = find_body(j, e->state.body, r->state, e->state.line, &e->body, error);
    if (status == BR_OK && r->state) status = check_quaternions(r, j, &e->state, error);
    if (status == BR_OK && r->state) {
        status = br_sim_set_state(j->sim, 0.0, e->state.q, e->state.v, error);
        if (status != BR_OK && error->file[0] == '\0') {
            snprintf(error->file, sizeof error->file, "%s", r->state);
            error->line = e->state.line;
        }
    }
    if (status != BR_OK) return status;
    br_sim_mass_matrix(j->sim, j->M);
    br_sim_bias(j->sim, j->bias);
    if (e->state.vdot) br_sim_inverse_dynamics(j->sim, e->state.vdot, j->tau);
    if (e->body >= 0)
        br_sim_jacobian(j->sim, e->body, br_vec3_zero(), j->jacobian, j->jacobian + 3 * (size_t)j->nv);
    fill_poses(j);
    e->energy = br_sim_energy(j->sim);
    status = centre_of_mass(j, &e->com, error);
    if (status == BR_OK) status = check_answer(r, j, e, error);
    if (status == BR_OK && r->linearize)
        status = br_sim_linearize(j->sim, j->real, j->imaginary, 2 * j->nv, &j->eigenvalues, error);
    return status;
}

// --------------------------------------------------------------------------------------------------------- output

// Of entry k of v, as channels have it: JOINT.velocity, or JOINT.velocity.2 of a joint with several.
static void coordinate_name(const br_model *model, int k, char *name, size_t size) {
    snprintf(name, size, "v[%d]", k);
    for (int joint = 0; joint < br_model_joint_count(model); joint++) {
        const int first = br_model_joint_v(model, joint);
        const int n = br_joint_type_velocities(br_model_joint_type(model, joint));
        if (first < 0 || k < first || k >= first + n) continue;
        if (n == 1)
            snprintf(name, size, "%s.velocity", br_model_joint_name(model, joint));
        else
            snprintf(name, size, "%s.velocity.%d", br_model_joint_name(model, joint), k - first);
        return;
    }
}

static void json_vec3(br_json *json, const char *key, br_vec3 a) {
    const double x[] = {a.x, a.y, a.z};
    br_json_numbers(json, key, x, 3);
}

// A reaction that cannot be computed at this state (no inertia against a joint) is null, with the reason.
static void json_reactions(br_json *json, dynamics_job *j) {
    br_json list = br_json_object(json, "reactions");
    for (int k = 0; k < j->joints; k++) {
        br_wrench in_M, in_W;
        br_error error;
        const char *name = br_model_joint_name(j->model, k);
        if (br_sim_joint_reaction(j->sim, k, &in_M, &in_W, &error) != BR_OK) {
            br_json_null(&list, name);
            continue;
        }
        br_json o = br_json_object(&list, name);
        json_vec3(&o, "force", in_M.force);
        json_vec3(&o, "torque", in_M.torque);
        json_vec3(&o, "force_world", in_W.force);
        json_vec3(&o, "torque_world", in_W.torque);
        br_json_close_object(&o);
    }
    br_json_close_object(&list);
}

static void json_state(br_json *states, const dynamics_request *r, dynamics_job *j, const evaluation *e) {
    const int nv = j->nv;
    const double energy[] = {e->energy.potential + e->energy.elastic, e->energy.kinetic};
    br_json o = br_json_object(states, NULL);
    br_json_numbers(&o, "qpos", br_sim_q(j->sim), j->nq);
    br_json_numbers(&o, "qvel", br_sim_v(j->sim), nv);
    br_json_numbers(&o, "M", j->M, nv * nv);
    br_json_numbers(&o, "bias", j->bias, nv);
    if (e->state.vdot) {
        br_json_numbers(&o, "qacc", e->state.vdot, nv);
        br_json_numbers(&o, "tau_id", j->tau, nv);
    }
    br_json_numbers(&o, "energy", energy, 2);
    json_vec3(&o, "com", e->com);
    if (e->body >= 0) {
        br_json_string(&o, "jac_body", br_model_body_name(j->model, e->body));
        br_json_numbers(&o, "jacp", j->jacobian, 3 * nv);
        br_json_numbers(&o, "jacr", j->jacobian + 3 * (size_t)nv, 3 * nv);
    }
    br_json_numbers(&o, "xpos", j->pose, 3 * (j->bodies + 1));
    br_json_numbers(&o, "xquat", j->pose + 3 * (size_t)(j->bodies + 1), 4 * (j->bodies + 1));
    json_reactions(&o, j);
    if (r->linearize) {
        br_json_numbers(&o, "eigenvalues_real", j->real, j->eigenvalues);
        br_json_numbers(&o, "eigenvalues_imaginary", j->imaginary, j->eigenvalues);
    }
    br_json_close_object(&o);
}

static br_json json_begin(const dynamics_request *r, const dynamics_job *j) {
    char name[CLI_MAX_CHANNEL_NAME];
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "fine");
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "file", r->path);
    br_json_whole(&json, "nq", j->nq);
    br_json_whole(&json, "nv", j->nv);
    br_json_whole(&json, "nbody", j->bodies + 1);
    br_json list = br_json_list(&json, "coordinates");
    for (int k = 0; k < j->nv; k++) {
        coordinate_name(j->model, k, name, sizeof name);
        br_json_string(&list, NULL, name);
    }
    br_json_close_list(&list);
    list = br_json_list(&json, "bodies");
    br_json_string(&list, NULL, BR_WORLD);
    for (int k = 0; k < j->bodies; k++) br_json_string(&list, NULL, br_model_body_name(j->model, k));
    br_json_close_list(&list);
    return json;
}

static void print_row(const char *label, const double *x, int count) {
    printf("%s", label);
    for (int k = 0; k < count; k++) printf(" %12.6g", x[k]);
    putchar('\n');
}

static void print_state(const dynamics_request *r, dynamics_job *j, const evaluation *e, int index) {
    const size_t nv = (size_t)j->nv;
    char name[CLI_MAX_CHANNEL_NAME];
    printf("state %d\n", index);
    print_row("  qpos   ", br_sim_q(j->sim), j->nq);
    print_row("  qvel   ", br_sim_v(j->sim), j->nv);
    printf("  energy  kinetic %.9g J, potential %.9g J, elastic %.9g J\n", e->energy.kinetic,
           e->energy.potential, e->energy.elastic);
    printf("  com     %.9g %.9g %.9g m\n", e->com.x, e->com.y, e->com.z);
    printf("  mass matrix, bias%s by coordinate\n", e->state.vdot ? ", inverse dynamics" : "");
    for (size_t k = 0; k < nv; k++) {
        coordinate_name(j->model, (int)k, name, sizeof name);
        printf("    %-24s", name);
        for (size_t c = 0; c < nv; c++) printf(" %11.5g", j->M[k * nv + c]);
        printf("  | %11.5g", j->bias[k]);
        if (e->state.vdot) printf(" | %11.5g", j->tau[k]);
        putchar('\n');
    }
    for (int row = 0; row < 6 && e->body >= 0; row++) {
        if (row % 3 == 0)
            printf("  Jacobian of %s, %s\n", br_model_body_name(j->model, e->body),
                   row ? "rotation" : "position");
        print_row("    ", j->jacobian + (size_t)row * nv, j->nv);
    }
    printf("  reactions of joints on their second body, joint frame: force N, torque N m\n");
    for (int k = 0; k < j->joints; k++) {
        br_wrench f, in_W;
        br_error error;
        if (br_model_joint_type(j->model, k) == BR_JOINT_TENDON) continue;
        printf("    %-24s", br_model_joint_name(j->model, k));
        if (br_sim_joint_reaction(j->sim, k, &f, &in_W, &error) == BR_OK)
            printf(" %11.5g %11.5g %11.5g   %11.5g %11.5g %11.5g\n", f.force.x, f.force.y, f.force.z,
                   f.torque.x, f.torque.y, f.torque.z);
        else
            printf(" not determined: %s\n", error.message);
    }
    if (!r->linearize) return;
    printf("  eigenvalues, 1/s\n");
    for (int k = 0; k < j->eigenvalues; k++) printf("    %14.9g %+14.9g i\n", j->real[k], j->imaginary[k]);
}

// ------------------------------------------------------------------------------------------------------ the verb

// Half an object on stdout would help nobody: JSON is begun once every state is known to be good.
static br_status all_good(const dynamics_request *r, dynamics_job *j, int count, br_error *error) {
    br_status status = BR_OK;
    for (int k = 0; k < count && status == BR_OK; k++) {
        evaluation e = {.body = -1};
        if (j->states) e.state = br_state_file_entry(j->states, k);
        status = dynamics_evaluate(r, j, &e, error);
    }
    return status;
}

static int answer(const dynamics_request *r, dynamics_job *j, br_error *error) {
    const int count = j->states ? br_state_file_count(j->states) : 1;
    br_status status = r->json ? all_good(r, j, count, error) : BR_OK;
    if (status != BR_OK) return cli_fail(error, r->path);
    br_json json, states;
    if (r->json) {
        json = json_begin(r, j);
        states = br_json_list(&json, "states");
    } else {
        printf("model %s (%s): nq = %d, nv = %d\n", br_model_name(j->model), r->path, j->nq, j->nv);
    }
    for (int k = 0; k < count && status == BR_OK; k++) {
        evaluation e = {.body = -1};
        if (j->states) e.state = br_state_file_entry(j->states, k);
        status = dynamics_evaluate(r, j, &e, error);
        if (status != BR_OK) return cli_fail(error, r->path);
        if (r->json)
            json_state(&states, r, j, &e);
        else
            print_state(r, j, &e, k);
    }
    if (r->json) {
        br_json_close_list(&states);
        br_json_end(&json);
    }
    return EXIT_FINE;
}

static int verb_dynamics(int argc, char **argv) {
    dynamics_request r;
    dynamics_job j;
    br_error error;
    int count = 0;
    const char *set = NULL;
    memset(&r, 0, sizeof r);
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!cli_take_overrides("dynamics", &argc, argv, &r.overrides)) return EXIT_USAGE;
    const cli_option options[] = {
        {"--state", &r.state, NULL}, {"--body", &r.body, NULL},           {"--json", NULL, &r.json},
        {"--set", &set, NULL},       {"--linearize", NULL, &r.linearize},
    };
    if (!cli_parse(argc, argv, options, 5, &r.path, 1, &count)) return EXIT_USAGE;
    if (count == 0) {
        cli_usage_error("dynamics", "expected a model file");
        return EXIT_USAGE;
    }
    const int code =
        dynamics_prepare(&r, &j, &error) == BR_OK ? answer(&r, &j, &error) : cli_fail(&error, r.path);
    clean(&j);
    return code;
}

const cli_verb cli_verb_dynamics = {
    .name = "dynamics",
    .summary = "mass matrix, bias, inverse dynamics, Jacobians, poses, reactions at given states",
    .help = "bristle dynamics MODEL [--state FILE.json] [options]\n\n"
            "Evaluates the model at each state of the file: {\"qpos\": [...], \"qvel\": [...]}, a list of "
            "them, or an "
            "object\n"
            "whose \"states\" is such a list; without --state at the initial state. A state with \"qacc\" "
            "also gets its\n"
            "inverse dynamics M qacc + bias. Loops are not closed for given states.\n\n"
            "  --body NAME          the body whose Jacobians are printed (default: \"jac_body\" of the "
            "state, else the "
            "last)\n"
            "  --linearize          eigenvalues of the motion linearized about the state\n"
            "  --set NAME=VALUE     changes a parameter (mu=0.5) or a key of the file; repeatable\n"
            "  --json               one JSON object: M, bias, tau_id, jacp, jacr (flat, by rows), xpos, "
            "xquat (the world\n"
            "                       first), energy [potential, kinetic], com, reactions\n\n"
            "Exit codes: 0 fine, 1 usage, model or state file, 2 numerical failure.\n",
    .run = verb_dynamics,
};
