// What the implicit stepper is made of: a node per link, the elements, the pattern of the matrix.
//
// A node's block holds its six unknowns and the forces of the rows of the joint that carries it (and of drives along that
// joint): so every pivot block is regular, whatever order they are eliminated in. Rows that close loops have blocks of
// their own, kept to the end.
#include <string.h>

#include "base/error.h"
#include "sim/stepper/implicit/element_beam.h"
#include "sim/stepper/implicit/element_bounded.h"
#include "sim/stepper/implicit/element_stick.h"
#include "sim/stepper/implicit/touching.h"
#include "sim/stepper/refuse.h"
#include "sim/stepper/stepper.h"

br_element *br_element_add(br_implicit *f, const br_element_kind *kind, int index, const int *nodes,
                           int node_count, int own_link, int rows, int states) {
    br_element *e = &f->element[f->elements];
    if (f->elements == f->capacity || node_count + 1 > BR_MAX_SLOTS) return NULL;
    e->kind = kind, e->index = index, e->rows = rows, e->states = states;
    for (int k = 0; k < node_count; k++)
        e->slot[k] = (br_slot){.node = nodes[k], .block = nodes[k], .offset = 0, .size = 6};
    e->slots = node_count;
    if (rows > 0) {
        br_slot *s = &e->slot[e->slots++];
        *s = (br_slot){.node = -1, .block = own_link, .offset = 0, .size = rows};
        if (own_link >= 0) {
            s->offset = 6 + f->node[own_link].rows;
            f->node[own_link].rows += rows;
        } else {
            s->block = f->nodes + f->loose++;
        }
    }
    e->ref = BR_TAKE(f->arena, br_block_ref, e->slots * e->slots + 1);
    if (!e->ref) return NULL;
    f->row_count += rows, f->state_count += states;
    f->elements++;
    return e;
}

br_status br_element_share(br_implicit *f, br_element *e, const br_element *rows) {
    e->slot[e->slots++] = rows->slot[rows->slots - 1];
    e->ref = BR_TAKE(f->arena, br_block_ref, e->slots * e->slots);
    return e->ref ? BR_OK : BR_NO_MEMORY;
}

static void make_nodes(br_implicit *f) {
    const br_model *m = f->sim->model;
    for (int i = 0; i < f->nodes; i++) {
        const br_link *link = &m->tree.link[i];
        br_node *n = &f->node[i];
        n->link = i;
        if (link->mass > 0.0) n->com = br_vec3_scale(1.0 / link->mass, link->moment_L);
        if (m->beam_node && m->beam_node[i]) continue; // its mass comes with the elements
        n->mass = link->mass;
        // From the link's origin to the centre of mass.
        const br_sym3 shift = br_sym3_scale(-link->mass, br_sym3_of_point(n->com));
        n->inertia = br_sym3_add(link->inertia_L, shift);
    }
    br_beam_masses(f);
    f->world.R0 = f->world.R1 = f->world.R = br_mat3_identity();
    f->world.start = &f->world_state;
    f->world.start->q = f->world.q1 = br_quat_identity();
    f->world.link = -1;
}

static int count_elements(const br_model *m) {
    int n = 2 + m->joints * (1 + 2 * BR_MAX_JOINT_V) + m->couplings + 2 * m->drives + m->constraints +
            m->loads + m->clearances + 2 * m->joints * (1 + BR_MAX_JOINT_V);
    for (int i = 0; i < m->beams; i++) n += m->beam[i].nodes;
    return n;
}

static br_status take_memory(br_implicit *f) {
    br_arena *a = f->arena;
    const br_model *m = f->sim->model;
    f->nodes = m->tree.links;
    f->node = BR_TAKE(a, br_node, f->nodes);
    f->capacity = count_elements(m);
    f->element = BR_TAKE(a, br_element, f->capacity);
    f->joint_element = BR_TAKE(a, int, m->joints);
    f->arrives = BR_TAKE(a, int, m->joints);
    f->inertia = BR_TAKE(a, br_wrench, f->nodes), f->inertia_aside = BR_TAKE(a, br_wrench, f->nodes);
    int taken = f->node && f->element && f->joint_element && f->arrives && f->inertia && f->inertia_aside;
    for (int b = 0; taken && b < BR_BOOKS; b++) {
        f->book[b] = BR_TAKE(a, br_wrench, f->nodes), f->book_aside[b] = BR_TAKE(a, br_wrench, f->nodes);
        taken = f->book[b] && f->book_aside[b];
    }
    f->values_start = BR_TAKE(a, double, m->variables + 1);
    if (!f->values_start) return BR_NO_MEMORY;
    for (int j = 0; taken && j < m->joints; j++) f->joint_element[j] = -1;
    return taken ? BR_OK : BR_NO_MEMORY;
}

static br_status make_elements(br_implicit *f, br_error *error) {
    br_status (*const make[])(br_implicit *, br_error *) = {
        br_elements_joints,    br_elements_bounded,     br_elements_sticks,    br_elements_drives,
        br_elements_couplings, br_elements_constraints, br_elements_armatures, br_elements_springs,
        br_elements_loads,     br_elements_beams,       br_elements_frictions, br_elements_clearances};
    br_status status = BR_OK;
    for (size_t k = 0; status == BR_OK && k < sizeof make / sizeof *make; k++) status = make[k](f, error);
    return status;
}

// Nodes and elements point into the block of the state, also after it has moved.
static void hand_out(void *context) {
    br_implicit *f = context;
    for (int i = 0; i < f->nodes; i++) f->node[i].start = &f->node_state[i];
    int row = 0, state = 0;
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        e->force = f->lambda + row, e->row_rate = f->row_rate + row, e->row_target = f->row_target + row,
        e->impulse = f->impulse + row, e->state = f->state + state;
        row += e->rows, state += e->states;
    }
}

// A step writes forces and states of elements while it tries, the rest once it stands.
static br_status ask_parts(br_implicit *f) {
    const int rows = f->row_count, nodes = f->nodes;
    const unsigned tried = BR_PART_STATE, stands = BR_PART_STATE | BR_PART_STEADY;
    const br_state_part parts[] = {
        {"implicit control", 0, sizeof(br_implicit_control), 1, 1, BR_PART_SAVED | BR_PART_STEADY,
         &f->control, NULL, NULL},
        {"implicit nodes", 0, sizeof(br_node_state), nodes, nodes, stands, &f->node_state, NULL, NULL},
        {"implicit forces", 0, sizeof(double), rows, rows, tried, &f->lambda, NULL, NULL},
        {"implicit states", 0, sizeof(double), f->state_count, f->state_count, tried, &f->state, NULL, NULL},
        {"implicit impulses", 0, sizeof(double), rows, rows, stands, &f->impulse, NULL, NULL},
        {"carry rates", 0, sizeof(double), rows, rows, stands, &f->carry_rate, NULL, NULL},
        {"carry impulses", 0, sizeof(double), rows, rows, stands, &f->carry_impulse, NULL, NULL},
        {"implicit books", 0, BR_BOOKS * sizeof(br_wrench), nodes, nodes, stands, &f->book_last, NULL, NULL},
        {"implicit inertia", 0, sizeof(br_wrench), nodes, nodes, stands, &f->inertia_last, NULL, NULL},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (br_state_ask(&f->sim->block, &parts[k]) != BR_OK) return BR_NO_MEMORY;
    br_state_on_move(&f->sim->block, hand_out, f);
    hand_out(f);
    return BR_OK;
}

static br_status take_rows(br_implicit *f) {
    br_arena *a = f->arena;
    f->lambda_aside = BR_TAKE(a, double, f->row_count + 1);
    f->row_rate = BR_TAKE(a, double, f->row_count + 1), f->row_target = BR_TAKE(a, double, f->row_count + 1);
    f->open = BR_TAKE(a, double, f->row_count + 1);
    f->state_aside = BR_TAKE(a, double, f->state_count + 1);
    if (!f->lambda_aside || !f->row_rate || !f->row_target || !f->open || !f->state_aside)
        return BR_NO_MEMORY;
    return ask_parts(f);
}

static int add_pairs(const br_element *e, int (*pair)[2], int count) {
    for (int a = 0; a < e->slots; a++)
        for (int b = 0; b < a; b++) {
            const int i = e->slot[a].block, j = e->slot[b].block;
            if (i < 0 || j < 0 || i == j) continue;
            if (pair) pair[count][0] = i, pair[count][1] = j;
            count++;
        }
    return count;
}

static br_status analyze(br_implicit *f, br_error *error) {
    br_arena *a = f->arena;
    const int blocks = f->nodes + f->loose;
    int pairs = 0;
    for (int k = 0; k < f->elements; k++) pairs = add_pairs(&f->element[k], NULL, pairs);
    int *dims = BR_TAKE(a, int, blocks + 1), *at = BR_TAKE(a, int, blocks + 1);
    int(*pair)[2] = (int(*)[2])br_arena_take(a, (size_t)pairs + 1, sizeof *pair);
    f->diagonal = BR_TAKE(a, br_block_ref, blocks + 1);
    f->loose_rows = BR_TAKE(a, int, f->loose + 1);
    if (!dims || !at || !pair || !f->diagonal || !f->loose_rows) return BR_NO_MEMORY;
    for (int i = 0; i < f->nodes; i++) dims[i] = 6 + f->node[i].rows;
    int count = 0;
    for (int k = 0; k < f->elements; k++) {
        const br_element *e = &f->element[k];
        count = add_pairs(e, pair, count);
        if (e->rows > 0 && e->slot[e->slots - 1].block >= f->nodes)
            dims[e->slot[e->slots - 1].block] = e->rows;
    }
    for (int i = 0; i < f->loose; i++) f->loose_rows[i] = dims[f->nodes + i];
    const br_status status =
        br_block_analyze_last(a, blocks, dims, pairs, (const int(*)[2])pair, f->loose, &f->matrix, error);
    if (status != BR_OK) return status;
    for (int i = 0; i < blocks; i++) {
        at[i] = f->unknowns, f->unknowns += dims[i];
        f->diagonal[i] = br_block_at(f->matrix, BR_BLOCK_GENERAL, i, i);
    }
    f->residual = BR_TAKE(a, double, f->unknowns + 1), f->solution = BR_TAKE(a, double, f->unknowns + 1);
    if (!f->residual || !f->solution) return BR_NO_MEMORY;
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        for (int s = 0; s < e->slots; s++) {
            if (e->slot[s].block < 0) continue;
            e->slot[s].at = at[e->slot[s].block] + e->slot[s].offset;
            for (int c = 0; c < e->slots; c++) {
                if (e->slot[c].block < 0) continue;
                br_block_ref ref =
                    br_block_at(f->matrix, BR_BLOCK_GENERAL, e->slot[s].block, e->slot[c].block);
                ref.value += e->slot[s].offset * ref.row_stride + e->slot[c].offset * ref.col_stride;
                e->ref[s * e->slots + c] = ref;
            }
        }
    }
    return BR_OK;
}

// A typical mass, for the scale of equations.
static void choose_scales(br_implicit *f) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < f->nodes; i++)
        if (f->node[i].mass > 0.0) sum += f->node[i].mass, count++;
    f->mass = count > 0 ? sum / count : 1.0;
    f->length = fmax(f->sim->length_scale, 1e-6 * f->sim->extent);
}

br_status br_implicit_create(br_sim *sim, br_error *error) {
    const br_status possible = br_refuse_tendons(sim->model, error);
    if (possible != BR_OK) return possible;
    // Its Newton iteration closes every row, which such rows do not allow.
    if (sim->branch.contradiction > 0.0)
        return br_fail(
            error, BR_NUMERICAL, "implicit-contradiction",
            "redundant joints contradict each other by %.3g (m or rad; joint '%s'), and the implicit stepper "
            "closes "
            "every row. Make lengths that must be equal agree, or take the contact or the reference stepper",
            sim->branch.contradiction, br_group_name(sim, sim->branch.contradicts));
    br_implicit *f = BR_TAKE(&sim->arena, br_implicit, 1);
    br_status status = f ? BR_OK : BR_NO_MEMORY;
    if (f) {
        f->sim = sim, f->arena = &sim->arena, f->load_factor = 1.0;
        status = take_memory(f);
    }
    if (status == BR_OK) {
        make_nodes(f);
        status = make_elements(f, error);
    }
    if (status == BR_OK) status = take_rows(f);
    if (status == BR_OK) status = analyze(f, error);
    if (status == BR_OK) status = br_touching_create(f, error);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "no memory for the implicit stepper");
    if (status != BR_OK) return status;
    const br_solver_settings *s = &sim->model->settings.solver;
    f->decaying = s->energy_decaying;
    f->reads_state = sim->model->reads_state;
    f->control->h_next = s->step;
    f->control->h_error = f->control->h_contact = f->control->h_friction = INFINITY;
    choose_scales(f);
    br_implicit_scheme(f, s->step);
    sim->implicit = f;
    sim->own = &br_stepper_implicit;
    return BR_OK;
}

// rho = rho_infinity: alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1), second order with the least dissipation of
// low frequencies [Chung and Hulbert]. The energy-decaying scheme takes (1 - rho)/(1 + rho) of the strain's change.
void br_implicit_scheme(br_implicit *f, double h) {
    const double rho = f->sim->model->settings.solver.rho_infinity;
    f->h = h;
    f->keep = (1.0 - rho) / (1.0 + rho);
    f->alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), f->alpha_f = rho / (rho + 1.0);
    f->gamma = 0.5 + f->alpha_f - f->alpha_m;
    f->beta = 0.25 * (1.0 + f->alpha_f - f->alpha_m) * (1.0 + f->alpha_f - f->alpha_m);
    if (f->instant) {
        f->half = 1.0, f->rate_move = 0.0, f->mass_move = 1.0;
    } else if (f->decaying) {
        f->half = 0.5, f->rate_move = 1.0 / h, f->mass_move = 2.0 / (h * h);
    } else {
        f->half = 1.0, f->rate_move = f->gamma / (f->beta * h);
        f->mass_move = (1.0 - f->alpha_m) / ((1.0 - f->alpha_f) * f->beta * h * h);
    }
    f->scale = 1.0 / (f->mass_move * f->mass);
}
