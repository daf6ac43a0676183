// The constraint rows of a model: which groups there are, what they load, and their generic products, see sim.h.
#include "sim/rows/group.h"
#include "sim/rows/springs.h"

#include <string.h>

#include "base/error.h"
#include "sim/friction/step.h"
#include "tree/spatial.h"

void br_group_clear(br_group *g) {
    memset(g->F, 0, (size_t)(g->rows * g->entries) * sizeof *g->F);
    memset(g->coefficient, 0, (size_t)(g->rows * g->dofs) * sizeof *g->coefficient);
}

double br_group_velocity(const br_group *g, int row, const br_twist *V, const double *v) {
    double sum = 0.0;
    const br_wrench *F = g->F + row * g->entries;
    for (int e = 0; e < g->entries; e++) sum += br_twist_dot(V[g->link[e]], F[e]);
    const double *c = g->coefficient + row * g->dofs;
    for (int d = 0; d < g->dofs; d++) sum += c[d] * v[g->dof[d]];
    return sum;
}

void br_sim_find_products(br_sim *sim) {
    const br_tree *tree = &sim->model->tree;
    for (int i = 0; i < tree->links; i++) {
        const int parent = tree->link[i].parent;
        const br_twist zeta = sim->work.motion[i].zeta;
        sim->A_products[i] =
            parent < 0 ? zeta
                       : br_twist_add(br_twist_shift(sim->A_products[parent], sim->work.pose[i].r), zeta);
    }
}

// Of the last solve's evaluation, see br_sim_solve.
double br_group_products(const br_sim *sim, const br_group *g, int row) {
    double sum = 0.0;
    for (int e = 0; e < g->entries; e++)
        sum += br_twist_dot(sim->A_products[g->link[e]], g->F[row * g->entries + e]);
    return sum;
}

// The spring is at l + .. + theta^2 h^2 d2l/dt2. The damper's rate at the evaluation, theta h after the step's start, is
//
//     J v + theta h J vdot + (2 theta - 1) h dJ/dt v,     dJ/dt v = J A_products - bias
//
// with J of the positions (1 - theta) h v ahead: for theta 1/2 these have turned J already, and d2l/dt2 = J vdot +
// dJ/dt v would turn it twice, an error of first order.
double br_implicit_bias(const br_sim *sim, const br_group *g, int row, double k, double d, double bias) {
    const double h = sim->h, theta = sim->theta;
    const br_softening soft = br_soften_row(sim, g, row, k, d);
    const double spring = soft.at_turn * h * h * k, damper = soft.by_turn * h * d;
    const double products = br_group_products(sim, g, row);
    const double turned = 2.0 - 1.0 / theta,
                 of_damper = products + (turned + soft.lag * (1.0 - turned)) * (bias - products);
    return (spring * bias + damper * of_damper) / (spring + damper);
}

double br_group_rate(const br_sim *sim, const br_group *g, int row, const double *v) {
    double sum = 0.0;
    const br_wrench *F = g->F + row * g->entries;
    for (int e = 0; e < g->entries; e++) sum += br_twist_dot(sim->work.motion[g->link[e]].V, F[e]);
    const double *c = g->coefficient + row * g->dofs;
    for (int d = 0; d < g->dofs; d++) sum += c[d] * v[g->dof[d]];
    return sum;
}

// A holds accelerations minus gravity; the rows ask for true ones.
double br_group_acceleration(const br_sim *sim, const br_group *g, int row, const br_twist *A,
                             const double *vdot) {
    double sum = br_group_velocity(g, row, A, vdot);
    const br_wrench *F = g->F + row * g->entries;
    for (int e = 0; e < g->entries; e++) sum += br_vec3_dot(F[e].force, sim->model->settings.gravity);
    return sum;
}

void br_group_sweep(br_sim *sim, br_group *g) {
    const br_tree *tree = &sim->model->tree;
    for (int r = 0; r < g->rows; r++) {
        double *y = g->y + r * g->path_nv, *z = g->z + r * g->path_nv;
        memset(y, 0, (size_t)g->path_nv * sizeof *y);
        for (int d = 0; d < g->dofs; d++) y[g->dof_at[d]] += g->coefficient[r * g->dofs + d];
        for (int e = 0; e < g->entries; e++) {
            br_wrench *F = &sim->work.force[g->link[e]];
            *F = br_wrench_add(*F, g->F[r * g->entries + e]);
        }
        br_tree_sweep(tree, &sim->work, g->path, g->path_count, y, z);
    }
}

// --- names -------------------------------------------------------------------------------------------------

const char *br_group_label_loop(const br_sim *sim, const br_group *g) {
    return sim->model->joint[sim->model->loop[g->element].joint].name;
}

const char *br_group_label_coupling(const br_sim *sim, const br_group *g) {
    return sim->model->joint[sim->model->coupling[g->element].joint].name;
}

const char *br_group_label_drive(const br_sim *sim, const br_group *g) {
    return sim->model->drive[g->element].name;
}

const char *br_group_label_constraint(const br_sim *sim, const br_group *g) {
    return sim->model->constraint[g->element].name;
}

const char *br_group_label_joint(const br_sim *sim, const br_group *g) {
    return sim->model->joint[g->element].name;
}

const char *br_group_label_load(const br_sim *sim, const br_group *g) {
    return sim->model->load[g->element].name;
}

const char *br_group_label_beam(const br_sim *sim, const br_group *g) {
    const br_model_beam *beam = sim->model->beam;
    for (int k = g->element; k >= beam->nodes - 1; beam++) k -= beam->nodes - 1;
    return beam->name;
}

const char *br_group_name(const br_sim *sim, const br_group *g) {
    return g->kind->label(sim, g);
}

// --- creation ----------------------------------------------------------------------------------------------

// A group while it is being put together.
typedef struct draft {
    br_group group;
    int link[2 * BR_MAX_GROUP_PARTS], dof[2 * BR_MAX_GROUP_PARTS];
    br_coordinate coordinate[BR_MAX_GROUP_PARTS];
} draft;

static void add_links(draft *d, int first, int second) {
    if (first >= 0) d->link[d->group.entries++] = first;
    if (second >= 0) d->link[d->group.entries++] = second;
}

static void add_coordinate(const br_sim *sim, draft *d, int joint_index, int k) {
    const br_model_joint *joint = &sim->model->joint[joint_index];
    br_coordinate *c = &d->coordinate[d->group.coordinate_count++];
    *c = (br_coordinate){joint_index, k, d->group.dofs, d->group.entries};
    if (joint->tendon >= 0) {
        const br_model_tendon *t = &sim->model->tendon[joint->tendon];
        for (int i = 0; i < t->dofs; i++) d->dof[d->group.dofs++] = t->dof[i];
        for (int i = 0; i < t->links; i++) d->link[d->group.entries++] = t->link[i];
    } else if (joint->link >= 0) {
        d->dof[d->group.dofs++] = joint->v_at + k;
    } else {
        add_links(d, joint->first, joint->second);
    }
}

// What a coordinate takes of a draft's places.
static int coordinate_parts(const br_sim *sim, int joint) {
    const int tendon = joint < 0 ? -1 : sim->model->joint[joint].tendon;
    if (tendon < 0) return 1;
    const br_model_tendon *t = &sim->model->tendon[tendon];
    return t->links > t->dofs ? t->links : t->dofs;
}

// Marks a link and its ancestors.
static void mark(const br_tree *tree, int link, unsigned char *on) {
    for (; link >= 0 && !on[link]; link = tree->link[link].parent) on[link] = 1;
}

void br_group_lay_out(const br_sim *sim, br_group *g, unsigned char *on, int *path) {
    const br_tree *tree = &sim->model->tree;
    memset(on, 0, (size_t)tree->links);
    for (int e = 0; e < g->entries; e++) mark(tree, g->link[e], on);
    for (int k = 0; k < g->dofs; k++) mark(tree, br_tree_owner(tree, g->dof[k]), on);
    g->path = path, g->path_count = g->path_nv = 0;
    for (int i = tree->links - 1; i >= 0; i--) {
        if (!on[i]) continue;
        if (path) path[g->path_count] = i;
        g->path_count++;
        for (int k = 0; k < g->dofs; k++) {
            const int local = g->dof[k] - tree->link[i].v_at;
            if (tree->link[i].kind->nv > 0 && local >= 0 && local < tree->link[i].kind->nv)
                g->dof_at[k] = g->path_nv + local;
        }
        g->path_nv += tree->link[i].kind->nv;
    }
}

// Copies a draft into the arena: arrays of its sizes, and its path through the tree.
static br_status groups_keep(br_sim *sim, const draft *d, unsigned char *on, br_group *out) {
    br_arena *arena = &sim->arena;
    br_group g = d->group;
    g.link = BR_TAKE(arena, int, g.entries);
    g.dof = BR_TAKE(arena, int, g.dofs);
    g.dof_at = BR_TAKE(arena, int, g.dofs);
    g.coordinates = BR_TAKE(arena, br_coordinate, g.coordinate_count);
    g.F = BR_TAKE(arena, br_wrench, g.rows * g.entries);
    g.coefficient = BR_TAKE(arena, double, g.rows *g.dofs);
    double *numbers = BR_TAKE(arena, double, 7 * g.rows);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    memcpy(g.link, d->link, (size_t)g.entries * sizeof *g.link);
    memcpy(g.dof, d->dof, (size_t)g.dofs * sizeof *g.dof);
    memcpy(g.coordinates, d->coordinate, (size_t)g.coordinate_count * sizeof *g.coordinates);
    g.phi = numbers, g.u = numbers + g.rows, g.gamma = numbers + 2 * g.rows,
    g.compliance = numbers + 3 * g.rows, g.force = numbers + 4 * g.rows, g.softness = numbers + 5 * g.rows,
    g.drift = numbers + 6 * g.rows;

    g.apart = sim->limits_apart && g.kind == &br_group_limit;
    if (g.apart) {
        *out = g;
        return BR_OK;
    }
    br_group_lay_out(sim, &g, on, NULL);
    g.path = BR_TAKE(arena, int, g.path_count);
    if (!g.path) return BR_NO_MEMORY;
    br_group_lay_out(sim, &g, on, g.path);
    g.y = BR_TAKE(arena, double, g.rows *g.path_nv);
    g.z = BR_TAKE(arena, double, g.rows *g.path_nv);
    if (!br_arena_ok(arena)) return BR_NO_MEMORY;
    if (g.kind == &br_group_loop && br_loop_cache_create(sim, &g) != BR_OK) return BR_NO_MEMORY;
    *out = g;
    return BR_OK;
}

static draft groups_begin(const br_group_kind *kind, int element, int rows) {
    draft d;
    memset(&d, 0, sizeof d);
    d.group.kind = kind, d.group.element = element, d.group.rows = rows;
    return d;
}

static draft draft_of_loop(const br_sim *sim, int i) {
    const br_model_loop *loop = &sim->model->loop[i];
    const br_model_joint *joint = &sim->model->joint[loop->joint];
    draft d = groups_begin(joint->kind ? &br_group_loop : &br_group_distance, i, loop->rows);
    d.group.exact = d.group.has_position = 1;
    add_links(&d, joint->first, joint->second);
    return d;
}

static draft draft_of_coupling(const br_sim *sim, int i) {
    const br_model_coupling *c = &sim->model->coupling[i];
    draft d = groups_begin(&br_group_coupling, i, 1);
    d.group.exact = d.group.has_position = 1;
    add_coordinate(sim, &d, c->joint_1, c->coordinate_1);
    add_coordinate(sim, &d, c->joint_2, c->coordinate_2);
    return d;
}

// Effort drives, and servos without a largest effort on tree joints, are forces and no rows (rows = 0 here).
static draft draft_of_drive(const br_sim *sim, int i) {
    const br_model_drive *drive = &sim->model->drive[i];
    const int bounded = isfinite(drive->max_effort), servo = drive->type == BR_DRIVE_SERVO;
    const int rows =
        drive->type == BR_DRIVE_EFFORT || (servo && !bounded && sim->model->joint[drive->joint].link >= 0)
            ? 0
            : 1;
    draft d = groups_begin(servo ? &br_group_servo : &br_group_motion, i, rows);
    d.group.exact = !servo && !bounded;
    d.group.has_position = drive->type == BR_DRIVE_POSITION;
    d.group.bound = bounded ? BR_BOUND_BOX : BR_BOUND_FREE;
    d.group.limit = drive->max_effort;
    add_coordinate(sim, &d, drive->joint, drive->coordinate);
    return d;
}

static br_status draft_of_constraint(const br_sim *sim, int i, draft *d, br_error *error) {
    const br_model_constraint *c = &sim->model->constraint[i];
    *d = groups_begin(&br_group_constraint, i, 1);
    d->group.exact = 1;
    int parts = 0;
    for (int k = 0; k < c->terms; k++) parts += coordinate_parts(sim, c->term[k].joint);
    if (parts > BR_MAX_GROUP_PARTS)
        return br_fail(error, BR_TOO_LARGE, "constraint-terms",
                       "constraint '%s' has %d terms%s; at most %d can be taken", c->name, parts,
                       parts > c->terms ? ", counting what its tendons run over" : "", BR_MAX_GROUP_PARTS);
    for (int k = 0; k < c->terms; k++) {
        if (c->term[k].joint >= 0) {
            add_coordinate(sim, d, c->term[k].joint, c->term[k].coordinate);
        } else {
            d->coordinate[d->group.coordinate_count++] = (br_coordinate){-1, 0, 0, d->group.entries};
            add_links(d, c->term[k].link, -1);
        }
    }
    return BR_OK;
}

static draft draft_of_rub(const br_sim *sim, int i) {
    const br_rub *rub = &sim->frictions->rub[i];
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    draft d = groups_begin(&br_group_rub, i, rub->pad.directions);
    d.group.bound = BR_BOUND_BOX;
    d.group.limit = INFINITY;
    if (joint->link < 0) add_links(&d, joint->first, joint->second);
    for (int k = 0; joint->link >= 0 && k < joint->kind->nv; k++) d.dof[d.group.dofs++] = joint->v_at + k;
    return d;
}

static int loop_has_spring(const br_model_joint *joint) {
    return joint->kind && joint->kind->nv > 0 && joint->sprung && joint->tendon < 0;
}

typedef struct collector {
    br_sim *sim;
    unsigned char *on;
    int count; // groups so far; on the first pass nothing is kept
    int store;
    br_status status;
} collector;

static void collect(collector *c, const draft *d) {
    if (d->group.rows == 0 || c->status != BR_OK) return;
    if (c->store) c->status = groups_keep(c->sim, d, c->on, &c->sim->group[c->count]);
    c->count++;
}

static void collect_limit(collector *c, int joint, int k, double side) {
    draft d = groups_begin(&br_group_limit, joint, 1);
    d.group.bound = BR_BOUND_LOWER;
    d.group.side = side;
    add_coordinate(c->sim, &d, joint, k);
    collect(c, &d);
}

static void collect_loads_and_limits(collector *c) {
    const br_model *m = c->sim->model;
    for (int i = 0; i < m->loads; i++) {
        if (m->load[i].type != BR_LOAD_SPRING && m->load[i].type != BR_LOAD_BUSHING) continue;
        const int line = m->load[i].type == BR_LOAD_SPRING;
        draft d = groups_begin(line ? &br_group_spring : &br_group_bushing, i, line ? 1 : 6);
        add_links(&d, m->load[i].first, m->load[i].second);
        if (d.group.entries > 0) collect(c, &d);
    }
    for (int i = 0; i < m->loops; i++) {
        const br_model_joint *joint = &m->joint[m->loop[i].joint];
        if (!loop_has_spring(joint)) continue;
        draft d = groups_begin(&br_group_loop_spring, i, joint->kind->nv);
        add_links(&d, joint->first, joint->second);
        collect(c, &d);
    }
    for (int i = 0; i < m->tendons; i++) {
        if (!m->joint[m->tendon[i].joint].sprung) continue;
        draft d = groups_begin(&br_group_tendon, i, 1);
        add_coordinate(c->sim, &d, m->tendon[i].joint, 0);
        collect(c, &d);
    }
    for (int j = 0; j < m->joints; j++)
        for (int k = 0; m->joint[j].limited && m->joint[j].kind && k < m->joint[j].kind->nv; k++) {
            if (isfinite(m->joint[j].lower[k])) collect_limit(c, j, k, 1.0);
            if (isfinite(m->joint[j].upper[k])) collect_limit(c, j, k, -1.0);
        }
}

// Elements of beams, of the contact stepper; the implicit one has its own.
static void collect_beams(collector *c) {
    const br_model *m = c->sim->model;
    int element = 0;
    if (!br_sim_traits(c->sim)->impulses) return;
    for (int i = 0; i < m->beams; i++)
        for (int k = 0; k + 1 < m->beam[i].nodes; k++) {
            draft d = groups_begin(&br_group_beam, element++, 6);
            add_links(&d, m->beam[i].link[k], m->beam[i].link[k + 1]);
            collect(c, &d);
        }
}

static br_status collect_all(collector *c, br_error *error) {
    const br_model *m = c->sim->model;
    draft d;
    for (int i = 0; i < m->loops; i++) d = draft_of_loop(c->sim, i), collect(c, &d);
    for (int i = 0; i < m->couplings; i++) d = draft_of_coupling(c->sim, i), collect(c, &d);
    for (int i = 0; i < m->constraints; i++) {
        const br_status status = draft_of_constraint(c->sim, i, &d, error);
        if (status != BR_OK) return status;
        collect(c, &d);
    }
    // Exact motions before bounded ones: the exact groups come first.
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m->drives; i++) {
            d = draft_of_drive(c->sim, i);
            if (d.group.exact == (pass == 0)) collect(c, &d);
        }
    collect_beams(c);
    collect_loads_and_limits(c);
    for (int i = 0; br_sim_rubs_by_rows(c->sim) && i < c->sim->frictions->count; i++)
        d = draft_of_rub(c->sim, i), collect(c, &d);
    return c->status;
}

br_status br_groups_create(br_sim *sim, br_error *error) {
    collector c = {.sim = sim};
    br_status status = collect_all(&c, error);
    if (status != BR_OK) return status;
    sim->group = BR_TAKE(&sim->arena, br_group, c.count);
    c.on = BR_TAKE(&sim->arena, unsigned char, sim->model->tree.links);
    if (!br_arena_ok(&sim->arena)) return br_no_memory(error, "no memory for constraint rows");
    sim->groups = c.count;
    c.count = 0, c.store = 1;
    sim->limits_apart = br_bounded_keeps_apart(sim);
    status = collect_all(&c, error);
    if (status == BR_NO_MEMORY)
        return br_fail(error, status, "out-of-memory", "no memory for constraint rows");
    return status;
}
