// Creating and moving a simulation, see bristle/sim.h.
#include "sim/contact/apart.h"
#include "sim/contact/stick.h"
#include "sim/core/clock.h"
#include "sim/core/assembly.h"
#include "sim/core/control.h"
#include "sim/core/instant.h"
#include "sim/core/ledger.h"
#include "sim/friction/friction.h"
#include "sim/friction/step.h"
#include "sim/rows/springs.h"
#include "sim/stepper/stepper.h"

#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "model/def/words.h"
#include "sim/rows/branch.h"

// --- creation ----------------------------------------------------------------------------------------------

static br_status no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the simulation");
}

BR_NO_PADDING(br_energy, 4 * sizeof(double));
BR_NO_PADDING(br_ledger, 2 * sizeof(br_energy) + 12 * sizeof(double) + 4 * sizeof(long));

// The core's own parts of the state.
static br_status ask_parts(br_sim *sim) {
    const br_model *m = sim->model;
    const int nq = m->tree.nq, nv = m->tree.nv;
    br_sim_state *now = &sim->state, *last = &sim->last;
    const unsigned saved = BR_PART_SAVED, state = BR_PART_STATE, later = BR_PART_STATE | BR_PART_STEADY;
    const br_state_part parts[] = {
        {"moment", 0, sizeof(br_moment), 1, 1, state, &now->at, &last->at, NULL},
        {"q", 0, sizeof(double), nq, nq, state, &now->q, &last->q, NULL},
        {"v", 0, sizeof(double), nv, nv, state, &now->v, &last->v, NULL},
        {"loop_q", 0, sizeof(double), m->loop_nq, m->loop_nq, state, &now->loop_q, &last->loop_q, NULL},
        {"vdot", 0, sizeof(double), nv, nv, later, &now->vdot, NULL, NULL},
        {"vdot_before", 0, sizeof(double), nv, nv, later, &now->vdot_before, NULL, NULL},
        {"energy", 0, sizeof(br_energy), 1, 1, saved, &sim->energy, NULL, NULL},
        {"ledger", 0, sizeof(br_ledger), 1, 1, saved, &sim->ledger, NULL, NULL},
        {"judge", 0, sizeof(br_judge), 1, 1, saved | BR_PART_STEADY, &sim->judge, NULL, NULL},
    };
    sim->block.allocator = &sim->allocator;
    br_state_follow(&sim->block, &sim->q_eval);
    br_state_follow(&sim->block, &sim->v_eval);
    br_state_follow(&sim->block, &sim->v_start);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (br_state_ask(&sim->block, &parts[k]) != BR_OK) return BR_NO_MEMORY;
    return BR_OK;
}

static br_status take_arrays(br_sim *sim) {
    const br_model *m = sim->model;
    const br_tree *tree = &m->tree;
    br_arena *a = &sim->arena;
    const int nq = tree->nq, nv = tree->nv, links = tree->links;
    double **vectors[] = {&sim->tau,    &sim->armature, &sim->vdot,         &sim->v_mid,
                          &sim->v_next, &sim->eta,      &sim->effort_joint, &sim->user_effort};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = BR_TAKE(a, double, nv))) return BR_NO_MEMORY;
    sim->q_mid = BR_TAKE(a, double, nq);
    sim->q_try = BR_TAKE(a, double, nq);
    sim->wrench = BR_TAKE(a, br_wrench, links);
    sim->transmitted = BR_TAKE(a, br_wrench, links);
    sim->V = BR_TAKE(a, br_twist, links);
    sim->V_start = BR_TAKE(a, br_twist, links);
    sim->A_products = BR_TAKE(a, br_twist, links);
    if (br_tree_turn_create(tree, a, &sim->gyroscope) != BR_OK) return BR_NO_MEMORY;
    sim->load_wrench = BR_TAKE(a, br_wrench, m->loads);
    sim->spring_length = BR_TAKE(a, double, m->loads);
    sim->drive_effort = BR_TAKE(a, double, m->drives);
    sim->held_back = BR_TAKE(a, double, m->drives);
    sim->coupling_offset = BR_TAKE(a, double, m->couplings);
    if (m->settings.solver.rotation_euler && !(sim->turn = BR_TAKE(a, double, nv))) return BR_NO_MEMORY;
    sim->reaction_M = BR_TAKE(a, br_wrench, m->joints);
    sim->acceleration = BR_TAKE(a, br_twist, m->tree.links);
    sim->acceleration_v = BR_TAKE(a, double, m->tree.nv);
    sim->reaction_W = BR_TAKE(a, br_wrench, m->joints);
    sim->user_wrench = BR_TAKE(a, br_wrench, m->bodies);
    sim->body_pose = BR_TAKE(a, br_pose, m->bodies);
    sim->body_twist = BR_TAKE(a, br_twist, m->bodies);
    if (m->reads_state) {
        sim->jets = BR_TAKE(a, br_jet, m->variables);
        sim->values = BR_TAKE(a, double, m->variables);
        if (!sim->jets || !sim->values) return BR_NO_MEMORY;
    }
    if (!sim->q_mid || !sim->q_try || !sim->wrench || !sim->transmitted || !sim->V || !sim->V_start ||
        !sim->A_products || !sim->load_wrench || !sim->spring_length || !sim->drive_effort ||
        !sim->held_back || !sim->coupling_offset || !sim->reaction_M || !sim->reaction_W ||
        !sim->user_wrench || !sim->body_pose || !sim->body_twist || !sim->acceleration ||
        !sim->acceleration_v)
        return BR_NO_MEMORY;
    return br_tree_work_create(tree, a, &sim->work);
}

// Springs and dampers of tree joints, and servos that may pull as hard as they like.
static br_status collect_springs(br_sim *sim) {
    const br_model *m = sim->model;
    sim->spring = BR_TAKE(&sim->arena, br_joint_spring, m->tree.nv + m->drives);
    if (!sim->spring) return BR_NO_MEMORY;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        for (int k = 0; joint->link >= 0 && k < joint->kind->nv; k++) {
            if (joint->stiffness[k] == 0.0 && joint->damping[k] == 0.0) continue;
            const int at = br_position_index(joint, k);
            sim->spring[sim->springs++] = (br_joint_spring){joint->v_at + k,
                                                            at < 0 ? -1 : joint->q_at + at,
                                                            joint->stiffness[k],
                                                            joint->damping[k],
                                                            joint->rest[k],
                                                            0.0,
                                                            -1};
        }
    }
    for (int d = 0; d < m->drives; d++) {
        const br_model_drive *drive = &m->drive[d];
        const br_model_joint *joint = &m->joint[drive->joint];
        if (drive->type != BR_DRIVE_SERVO || isfinite(drive->max_effort) || joint->link < 0) continue;
        const int at = br_position_index(joint, drive->coordinate);
        sim->spring[sim->springs++] = (br_joint_spring){joint->v_at + drive->coordinate,
                                                        at < 0 ? -1 : joint->q_at + at,
                                                        drive->stiffness,
                                                        drive->damping,
                                                        0.0,
                                                        0.0,
                                                        d};
    }
    return BR_OK;
}

static int writes_wrench(const br_model *m) {
    if (m->loads > 0 || m->beams > 0) return 1;
    for (int d = 0; d < m->drives; d++)
        if ((m->drive[d].type == BR_DRIVE_EFFORT || m->drive[d].type == BR_DRIVE_SERVO) &&
            m->joint[m->drive[d].joint].link < 0)
            return 1;
    for (int i = 0; i < m->loops; i++)
        if (m->joint[m->loop[i].joint].sprung) return 1;
    return 0;
}

// Lengths that loop errors are measured by: of a typical link (the mean distance between a link and the next, or to its
// centre of mass), and of the whole mechanism with its distance from the world's origin.
static void choose_lengths(br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    double sum = 0.0, extent = 0.0;
    int count = 0;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const double arm = link->parent >= 0 ? br_vec3_norm(link->p_PJ) : 0.0;
        const int node =
            sim->model->beam_node && sim->model->beam_node[i]; // its elements have their own lengths
        const double com = link->mass > 0.0 && !node ? br_vec3_norm(link->moment_L) / link->mass : 0.0;
        const double length = fmax(arm, com);
        if (length > 0.0) sum += length, count++;
        extent = fmax(extent, br_vec3_norm(sim->work.pose[i].p_WL) + length);
    }
    sim->length_scale = count > 0 ? sum / count : 1.0;
    sim->extent = fmax(extent, sim->length_scale);
}

static br_status select_groups(br_sim *sim, br_system *s, int exact_only, br_error *error) {
    s->group = BR_TAKE(&sim->arena, br_group *, sim->groups);
    s->first = BR_TAKE(&sim->arena, int, sim->groups);
    if (!s->group || !s->first) return no_memory(error);
    for (int g = 0; g < sim->groups; g++)
        if (sim->group[g].bound != BR_BOUND_LOWER && (!exact_only || sim->group[g].exact))
            s->group[s->groups++] = &sim->group[g];
    return br_system_create(sim, s, error);
}

static br_status create_rows(br_sim *sim, br_error *error) {
    br_status status = br_groups_create(sim, error);
    if (status == BR_OK && br_sim_rubs_by_rows(sim)) status = br_friction_step_create(sim, error);
    if (status != BR_OK) return status;
    const unsigned decides =
        sim->model->settings.solver.split_events ? BR_PART_HASHED : 0; // which limits last
    if (br_sim_ask(sim, "limits", sizeof(int), sim->groups, BR_PART_SAVED | BR_PART_STEADY | decides,
                   &sim->limit_active, NULL) != BR_OK ||
        br_limits_create(sim) != BR_OK)
        return no_memory(error);
    if (sim->model->beams > 0 && br_sim_traits(sim)->impulses &&
        br_sim_ask(sim, "beam forces", sizeof(double), 6 * sim->model->beam_elements,
                   BR_PART_SAVED | BR_PART_STEADY, &sim->beam_force, NULL) != BR_OK)
        return no_memory(error);
    if ((sim->model->beams > 0 || sim->model->clearances > 0) && br_sim_traits(sim)->impulses &&
        br_sim_ask(sim, "split level", sizeof(int), 1, BR_PART_STATE | BR_PART_STEADY, &sim->split_level,
                   NULL) != BR_OK)
        return no_memory(error);
    int extra = 0, bounded = 0;
    for (int g = 0; g < sim->groups; g++) {
        bounded |= sim->group[g].bound != BR_BOUND_FREE;
        extra |= !sim->group[g].exact && sim->group[g].bound != BR_BOUND_LOWER;
    }
    status = select_groups(sim, &sim->exact, 1, error);
    sim->step = &sim->exact;
    if (status == BR_OK && extra) {
        status = select_groups(sim, &sim->step_own, 0, error);
        sim->step = &sim->step_own;
    }
    if (status == BR_OK && bounded) status = br_bounded_create(sim, error);
    return status;
}

// Offsets of couplings and free lengths of springs that are those of the start.
static void take_starting_values(br_sim *sim) {
    const br_model *m = sim->model;
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    for (int i = 0; i < m->couplings; i++) {
        const br_model_coupling *c = &m->coupling[i];
        sim->coupling_offset[i] = br_coordinate_position(sim, c->joint_1, c->coordinate_1) +
                                  c->ratio * br_coordinate_position(sim, c->joint_2, c->coordinate_2);
    }
    for (int i = 0; i < m->loads; i++) {
        if (m->load[i].type != BR_LOAD_SPRING) continue;
        const br_pose A = br_sim_link_pose(sim, m->load[i].first),
                      B = br_sim_link_pose(sim, m->load[i].second);
        sim->spring_length[i] = m->load[i].length >= 0.0
                                    ? m->load[i].length
                                    : br_vec3_distance(br_pose_point(A, m->load[i].X_A.position),
                                                       br_pose_point(B, m->load[i].X_B.position));
    }
}

// Lengths that differ by so little that the rows neither hold nor let go.
static br_status nearly_movable(const br_sim *sim, br_error *error) {
    return br_fail(
        error, BR_NUMERICAL, "nearly-movable",
        "joints hold the model only by lengths that nearly agree: if all gave way by up to %.3g (m or rad; "
        "most at "
        "'%s') it could move. A run can follow neither: make lengths that must be equal agree to %.3g, or "
        "differ by more",
        sim->branch.nearly, br_group_name(sim, sim->branch.nearly_by),
        BR_EPS_MADE_OF_DIGITS * sim->length_scale);
}

// Which rows depend on others wherever the mechanism can go, and what is usual for them. Positions once more: rows that
// contradict each other by a little were closed together, from now on the ones that stay are.
static br_status find_branch(br_sim *sim, br_error *error) {
    const int rows = sim->exact.rows;
    double *q_best = br_sim_take(sim, (size_t)sim->model->tree.nq * sizeof *q_best + 1);
    if (!q_best) return no_memory(error);
    br_status status = br_branch_find(sim, &sim->branch, q_best, error);
    sim->redundant = sim->branch.rank < rows;
    if (status == BR_OK && sim->branch.nearly > 0.0) status = nearly_movable(sim, error);
    if (status == BR_OK && sim->redundant)
        status = br_system_leave_out(sim, &sim->exact, sim->branch.rank, q_best, error);
    if (status == BR_OK && sim->redundant && sim->step != &sim->exact)
        status = br_system_leave_out(sim, sim->step, sim->branch.rank, q_best, error);
    if (status == BR_OK) {
        br_sim_refresh(sim, 1);
        br_system_set_usual(sim, &sim->exact, q_best);
        if (sim->step != &sim->exact) br_system_set_usual(sim, sim->step, q_best);
        if (sim->bounded) br_system_set_usual(sim, br_bounded_system(sim), q_best);
        if (sim->branch.positions > 0) status = br_assemble_positions(sim, error);
    }
    br_sim_give(sim, q_best);
    return status;
}

static br_status start(br_sim *sim, br_error *error) {
    const br_model *m = sim->model;
    memcpy(sim->state.q, m->q_start, (size_t)m->tree.nq * sizeof(double));
    memcpy(sim->state.v, m->v_start, (size_t)m->tree.nv * sizeof(double));
    br_sim_refresh(sim, 2);
    choose_lengths(sim);
    br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
    take_starting_values(sim);
    // Loops that are open as given are closed without the rows that are rounding alone, as the run keeps them closed.
    sim->t_eval = sim->state.at->t, sim->h = 0.0, sim->theta = 1.0;
    br_system_find_empty(sim, &sim->exact, NULL);
    br_status status = br_assemble_positions(sim, error);
    if (status == BR_OK) status = find_branch(sim, error);
    if (status == BR_OK) status = br_assemble_velocities(sim, error);
    if (status == BR_OK) status = br_assembly_keep(sim, error);
    if (status != BR_OK) return status;
    br_springs_find_softness(sim);
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q;
    br_limits_settle(sim);
    br_beams_look(sim);
    br_sim_update_energy(sim);
    br_ledger_start(sim);
    if (m->settings.coordinates == BR_ABSOLUTE || sim->redundant) {
        sim->q_eval = sim->state.q;
        return br_absolute_create(sim, error);
    }
    return BR_OK;
}

// So that what is read before the first step is the stepper's own. A start that cannot be found is reported by the first
// step: looking at such a model is possible.
static br_status ready_stepper(br_sim *sim, br_error *error) {
    br_error ignored;
    if (!sim->stepper->ready || br_model_runnable(sim->model, &ignored) != BR_OK) return BR_OK;
    const br_status status = sim->stepper->ready(sim, &ignored);
    if (status == BR_NO_MEMORY && error) *error = ignored;
    return status == BR_NO_MEMORY ? status : BR_OK;
}

br_status br_sim_create(const br_model *model, const br_allocator *allocator, br_sim **out, br_error *error) {
    br_status status = BR_OK;
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_sim *sim = BR_TAKE(&arena, br_sim, 1);
    if (!sim) {
        br_arena_free(&arena);
        return no_memory(error);
    }
    sim->model = model;
    sim->stepper = br_steppers[model->settings.solver.stepper];
    sim->arena = arena;
    sim->allocator = arena.allocator;
    sim->theta = 1.0;
    if (ask_parts(sim) != BR_OK || take_arrays(sim) != BR_OK || br_controls_create(sim) != BR_OK ||
        collect_springs(sim) != BR_OK)
        status = no_memory(error);
    sim->has_wrench = writes_wrench(model);
    if (status == BR_OK) status = br_frictions_create(sim, error);
    if (status == BR_OK) status = create_rows(sim, error);
    if (status == BR_OK && br_judge_create(sim) != BR_OK) status = no_memory(error);
    if (status == BR_OK) status = start(sim, error);
    if (status == BR_OK) status = br_contacts_create(sim, error);
    if (status == BR_OK) status = br_apart_create(sim, error);
    if (status == BR_OK) status = br_sticks_create(sim, error);
    if (status == BR_OK && sim->contacts) {
        br_contacts_look(sim);
        br_sim_update_energy(sim);
        br_ledger_start(sim);
    }
    if (status == BR_OK) status = ready_stepper(sim, error);
    if (status != BR_OK) {
        br_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return BR_OK;
}

void br_sim_destroy(br_sim *sim) {
    if (!sim) return;
    br_contacts_destroy(sim);
    br_apart_destroy(sim);
    br_sticks_destroy(sim);
    br_rub_refutation_destroy(sim);
    br_dense_destroy(sim);
    br_bounded_destroy(sim->bounded);
    if (sim->stepper->destroy) sim->stepper->destroy(sim);
    br_state_free(&sim->block);
    br_arena arena = sim->arena; // the simulation itself lives in it
    br_arena_free(&arena);
}

// --- state -------------------------------------------------------------------------------------------------

const br_model *br_sim_model(const br_sim *sim) {
    return sim->model;
}

const br_assembly *br_sim_assembly(const br_sim *sim) {
    return &sim->assembly;
}

double br_sim_time(const br_sim *sim) {
    return sim->state.at->t;
}

const double *br_sim_q(const br_sim *sim) {
    return sim->state.q;
}

const double *br_sim_v(const br_sim *sim) {
    return sim->state.v;
}

br_status br_sim_set_state(br_sim *sim, double time, const double *q, const double *v, br_error *error) {
    const br_tree *tree = &sim->model->tree;
    if (!isfinite(time) || !br_all_finite(tree->nq, q) || !br_all_finite(tree->nv, v))
        return br_fail(error, BR_INVALID, "state-not-finite", "the state holds a number that is not finite");
    sim->state.at->t = time;
    memmove(sim->state.q, q, (size_t)tree->nq * sizeof *q);
    memmove(sim->state.v, v, (size_t)tree->nv * sizeof *v);
    memset(sim->state.vdot, 0, (size_t)tree->nv * sizeof *v);
    br_tree_normalize(tree, sim->state.q);
    sim->at = 0, sim->reactions_valid = 0, sim->outside++, sim->state.at->has_vdot = 0;
    sim->t_eval = time, sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    br_sim_refresh(sim, 2);
    br_limits_settle(sim);
    br_sim_measure_loops(sim, sim->state.loop_q, sim->state.loop_q);
    if (sim->contacts) {
        sim->contacts->kept->count = 0, sim->state.at->contact_elastic = 0.0;
        br_contacts_look(sim);
    }
    br_frictions_forget(sim);
    br_motors_forget(sim);
    br_beams_look(sim);
    br_sim_update_energy(sim);
    br_ledger_start(sim);
    return ready_stepper(sim, error);
}

void br_sim_set_force(br_sim *sim, br_force_callback callback, void *context) {
    sim->callback = callback, sim->callback_context = context;
    sim->reactions_valid = 0, sim->outside++, sim->state.at->has_vdot = 0;
    br_motors_forget(sim);
}

void br_sim_set_event(br_sim *sim, br_event_callback callback, void *context) {
    sim->event = callback, sim->event_context = context;
}

// --- moving ------------------------------------------------------------------------------------------------

br_status br_model_runnable(const br_model *model, br_error *error) {
    const br_solver_settings *solver = &model->settings.solver;
    // The preset `paper` sets it for the contact stepper; the others go on without.
    if (solver->rotation_euler && !br_stepper_traits_of(solver->stepper)->impulses &&
        !model->settings.contact_paper)
        return br_fail_path(
            error, BR_INVALID, "run-rotation", "solver/rotation",
            "rotation: euler_zxy is a setting of the contact stepper; the %s stepper takes quaternion",
            br_stepper_name(solver->stepper));
    if (solver->method != BR_SOLVER_AUTO && !br_stepper_traits_of(solver->stepper)->impulses)
        return br_fail_path(
            error, BR_INVALID, "run-method", "solver/method",
            "method: %s solves the contact problems of the contact stepper; the %s stepper has none: "
            "leave method out, or use stepper: contact",
            br_words_method[solver->method], br_stepper_name(solver->stepper));
    if (solver->max_work > 0 &&
        (solver->method != BR_SOLVER_AUTO || !br_stepper_traits_of(solver->stepper)->impulses))
        return br_fail_path(error, BR_INVALID, "run-method", "solver/max_work",
                            "max_work bounds what the contact stepper solves by method: auto, and this is %s "
                            "%s: leave it out",
                            solver->method != BR_SOLVER_AUTO ? "method:" : "stepper:",
                            solver->method != BR_SOLVER_AUTO ? br_words_method[solver->method]
                                                             : br_stepper_name(solver->stepper));
    if ((solver->lcp_epsilon > 0.0 || solver->lcp_scale) && !br_stepper_traits_of(solver->stepper)->impulses)
        return br_fail_path(
            error, BR_INVALID, "run-method", solver->lcp_scale ? "solver/lcp_scale" : "solver/lcp_epsilon",
            "%s is about the contact problems of the contact stepper; the %s stepper has "
            "none: leave it out, or use stepper: contact",
            solver->lcp_scale ? "lcp_scale" : "lcp_epsilon", br_stepper_name(solver->stepper));
    if (solver->friction_fixed_point &&
        (!br_stepper_traits_of(solver->stepper)->impulses || !model->friction_joint))
        return br_fail_path(
            error, BR_INVALID, "run-method", "solver/friction_loads",
            "friction_loads: fixed_point is about joint friction in the contact stepper, and %s: leave "
            "it out",
            model->friction_joint ? "stepper is another" : "no joint of this model has friction");
    return br_steppers[solver->stepper]->refuse(model, error);
}

// What this version cannot represent is refused by name, never left out.
static br_status refuse(br_sim *sim, br_error *error) {
    if (sim->runnable) return BR_OK;
    br_status status = br_model_runnable(sim->model, error);
    if (status == BR_OK && sim->contacts) status = br_contacts_check_start(sim, error);
    sim->runnable = status == BR_OK;
    return status;
}

// A step later. Times that are whole steps stay so: they are counted, since a sum drifts from them with each addition.
static double one_step_later(double t, double h) {
    const double steps = round(t / h);
    return fabs(t / h - steps) <= br_clock_slack(t, h) ? (steps + 1.0) * h : t + h;
}

br_status br_sim_step(br_sim *sim, br_error *error) {
    return br_sim_advance(sim, one_step_later(sim->state.at->t, sim->model->settings.solver.step), error);
}

double br_restart_time(double t, double every) {
    if (!(every > 0.0)) return INFINITY;
    const double k = floor(t / every), next = (k + 1.0) * every;
    return next > t ? next : (k + 2.0) * every; // where t is a multiple that division rounded down
}

br_status br_sim_advance(br_sim *sim, double time, br_error *error) {
    if (!isfinite(time) || time < sim->state.at->t)
        return br_fail(error, BR_INVALID, "time-backwards", "cannot advance to t = %g s from t = %g s", time,
                       sim->state.at->t);
    if (time == sim->state.at->t) return BR_OK;
    const br_status possible = refuse(sim, error);
    if (possible != BR_OK) return possible;
    sim->reactions_valid = 0;
    return sim->stepper->advance(sim, time, error);
}

// --- reading -----------------------------------------------------------------------------------------------

// Readers see the state's own kinematics. The work is scratch: a const simulation may refresh it.
static br_sim *fresh(const br_sim *sim, int level) {
    br_sim *s = (br_sim *)sim;
    br_sim_refresh(s, level);
    s->q_eval = s->state.q, s->v_eval = s->state.v;
    return s;
}

br_pose br_sim_body_pose(const br_sim *sim, int body) {
    const br_model_body *b = &sim->model->body[body];
    return br_pose_mul(br_sim_link_pose(fresh(sim, 1), b->link), b->X_LB);
}

br_twist br_sim_body_twist(const br_sim *sim, int body) {
    const br_model_body *b = &sim->model->body[body];
    fresh(sim, 2);
    const br_vec3 arm = br_mat3_mul_vec(sim->work.pose[b->link].R_WL, b->X_LB.position);
    const br_twist V = sim->work.motion[b->link].V;
    return br_twist_of(V.angular, br_twist_at_point(V, arm));
}

void br_sim_joint_position(const br_sim *sim, int joint, double *q) {
    const br_model_joint *j = &sim->model->joint[joint];
    if (!j->kind) return;
    if (j->link >= 0)
        memcpy(q, sim->state.q + j->q_at, (size_t)j->kind->nq * sizeof *q);
    else
        br_sim_measure_loop(fresh(sim, 1), j, sim->state.loop_q + j->q_at, q);
}

void br_sim_joint_velocity(const br_sim *sim, int joint, double *v) {
    const br_model_joint *j = &sim->model->joint[joint];
    const br_sim *s = fresh(sim, 2);
    for (int k = 0; j->kind && k < j->kind->nv; k++) v[k] = br_coordinate_velocity(s, joint, k);
}

br_energy br_sim_energy(const br_sim *sim) {
    return *sim->energy;
}

br_ledger br_sim_ledger(const br_sim *sim) {
    br_ledger l = *sim->ledger;
    l.now = *sim->energy;
    return l;
}

// --- mathematics at the state ------------------------------------------------------------------------------

void br_sim_mass_matrix(br_sim *sim, double *M) {
    br_sim_refresh(sim, 1);
    br_tree_mass_matrix(&sim->model->tree, &sim->work, M);
}

void br_sim_inverse_dynamics(br_sim *sim, const double *vdot, double *tau) {
    br_sim_refresh(sim, 2);
    br_tree_inverse_dynamics(&sim->model->tree, &sim->work, sim->model->settings.gravity, vdot, NULL,
                             sim->transmitted, tau);
}

void br_sim_bias(br_sim *sim, double *bias) {
    br_sim_inverse_dynamics(sim, NULL, bias);
}

void br_sim_jacobian(br_sim *sim, int body, br_vec3 point_B, double *linear, double *angular) {
    const br_pose X_WB = br_sim_body_pose(sim, body);
    br_tree_jacobian(&sim->model->tree, &sim->work, sim->model->body[body].link, br_pose_point(X_WB, point_B),
                     linear, angular);
}

br_status br_sim_acceleration(br_sim *sim, double *vdot, br_error *error) {
    const br_status status = br_sim_instant(sim, error);
    if (status == BR_OK) memcpy(vdot, sim->vdot, (size_t)sim->model->tree.nv * sizeof *vdot);
    return status;
}
