// Where the energy of an implicit step goes.
//
//     W_x       work of the forces booked under x over the step: mean force times (dx, turn). Mean: that of the scheme
//               (energy-decaying), or of both ends (generalized-alpha).
//     W_i       the same of what inertia asks for; W_i = sum of W_x up to the residual of Newton's method
//     scheme    energy-decaying: what it takes by its own formulas. -W_scheme (element_beam.c), what the projection of
//               velocities took, and the third-order defect of bushings that turn (element_load.c). Everything else has
//               exact work, so `unaccounted` is a check of all forces against their energies
//               generalized-alpha, which has no such formula: (W_i - change of kinetic) + (-W_elastic - change of elastic)
//               + (-W_gravity - change of potential) - W_rows, so `unaccounted` is how far equations were not solved
#include "sim/core/ledger_share.h"
#include "sim/stepper/implicit/touching.h"

static double work(const br_implicit *f, const br_wrench *end, const br_wrench *start) {
    double sum = 0.0;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        br_wrench F = end[i];
        if (!f->decaying) F = br_wrench_scale(0.5, br_wrench_add(F, start[i]));
        sum += br_twist_dot(br_twist_of(n->turn, n->dx), F);
    }
    return sum;
}

double br_implicit_given(const br_implicit *f) {
    return work(f, f->book[BR_BOOK_INPUT], br_book_last(f, BR_BOOK_INPUT));
}

void br_implicit_energy(br_implicit *f, br_energy *out) {
    const br_vec3 g = f->sim->model->settings.gravity;
    double kinetic = 0.0, potential = 0.0, elastic = 0.0;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        kinetic += 0.5 * n->mass * br_vec3_norm_squared(n->u1) +
                   0.5 * br_vec3_dot(n->w1, br_sym3_mul_vec(n->inertia, n->w1));
        potential -= n->mass * br_vec3_dot(g, n->x1);
    }
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        if (e->kind->energy) elastic += e->kind->energy(f, e);
        if (e->kind->kinetic) kinetic += e->kind->kinetic(f, e);
    }
    *out = (br_energy){kinetic, potential, elastic, kinetic + potential + elastic};
}

static double node_kinetic(const br_node *n, br_vec3 u, br_vec3 w) {
    return 0.5 * n->mass * br_vec3_norm_squared(u) + 0.5 * br_vec3_dot(w, br_sym3_mul_vec(n->inertia, w));
}

// What generalized-alpha made of each body's inertia and weight; all else has to do with forces between them.
static void share(const br_implicit *f, double scheme) {
    const br_vec3 g = f->sim->model->settings.gravity;
    double rest = scheme;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_wrench both =
            br_wrench_sub(br_wrench_add(f->inertia[i], f->inertia_last[i]),
                          br_wrench_add(f->book[BR_BOOK_GRAVITY][i], br_book_last(f, BR_BOOK_GRAVITY)[i]));
        const double work = 0.5 * br_twist_dot(br_twist_of(n->turn, n->dx), both);
        const double part = work - (node_kinetic(n, n->u1, n->w1) - node_kinetic(n, n->u0, n->w0)) +
                            n->mass * br_vec3_dot(g, n->dx);
        br_shares_add(f->sim, n->link, part);
        rest -= part;
    }
    br_shares_add(f->sim, br_shares_elastic(f->sim), rest);
}

void br_implicit_book(br_implicit *f, br_energy before, double taken, double pushed) {
    br_sim *sim = f->sim;
    br_ledger *l = sim->ledger;
    double W[BR_BOOKS];
    for (int b = 0; b < BR_BOOKS; b++) W[b] = work(f, f->book[b], br_book_last(f, b));
    const double inertia = work(f, f->inertia, f->inertia_last);
    const br_energy *now = sim->energy;
    double scheme = -W[BR_BOOK_SCHEME] + taken + pushed + f->defect;
    if (!f->decaying) // no closed form: what the ends' forces make of the step, term by term
        scheme += (inertia - (now->kinetic + taken - before.kinetic)) +
                  (-W[BR_BOOK_ELASTIC] - (now->elastic - before.elastic)) +
                  (-W[BR_BOOK_GRAVITY] - (now->potential - before.potential)) - W[BR_BOOK_ROWS];
    const struct br_touching *c = f->touching;
    const double input = W[BR_BOOK_INPUT] + pushed, damping = -W[BR_BOOK_DAMPING] + (c ? c->damping : 0.0),
                 friction = -W[BR_BOOK_FRICTION] + (c ? c->friction : 0.0);
    if (c) scheme += c->scheme, f->impact += c->impact;
    if (!f->decaying) share(f, scheme);
    l->now = *now;
    l->input += input, l->damping += damping, l->friction += friction, l->scheme += scheme;
    l->impact += f->impact;
    l->unaccounted += input - damping - friction - f->impact - scheme - (now->total - before.total);
    sim->state.at->work_done += fabs(input);
}
