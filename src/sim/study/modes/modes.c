// Modes of a simulation: borrows its implicit stepper, linearizes, tells what was found, see bristle/modes.h.
#include "sim/study/modes/modes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "sim/stepper/implicit/element_clearance.h"

#define BR_FAR_ABOVE 4.0      // squared frequency over squared speed
#define BR_BENT_A_LITTLE 1e-4 // of the length, rad: for differences
#define BR_BENT_MUCH 0.03     // of the extent: first order is not enough
#define BR_EPS_BALANCED 1e-6  // of the largest forces on a body: less is not worth a note

br_modes_def br_default_modes_def(void) {
    return (br_modes_def){.count = 10};
}

const char *br_whirl_name(br_whirl whirl) {
    return whirl == BR_WHIRL_FORWARD ? "forward" : whirl == BR_WHIRL_BACKWARD ? "backward" : "";
}

static const char no_memory[] = "no memory for the modes";

br_arena *br_mode_memory(const br_modes_def *def) {
    br_arena first;
    br_arena_init(&first, def->allocator);
    br_arena *own = BR_TAKE(&first, br_arena, 1);
    if (own)
        *own = first; // it holds itself: nothing else may use `first` any more
    else
        br_arena_free(&first);
    return own;
}

void br_mode_memory_free(void *memory) {
    if (!memory) return;
    br_arena arena = *(br_arena *)memory;
    br_arena_free(&arena);
}

// --- sessions ----------------------------------------------------------------------------------------------

// What elements tell of the last step is evaluated again: the stepper may be in the middle of a run.
static void evaluate_again(br_implicit *f, const double *state) {
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
    if (f->state_count > 0) memcpy(f->state, state, (size_t)f->state_count * sizeof *state);
    br_implicit_look(f);
    br_implicit_evaluate(f);
}

static void give_back(br_mode_session *s, br_sim *sim) {
    br_implicit *f = sim->implicit;
    br_borrow_end(&s->borrowed, sim);
    if (f->outside == sim->outside + 1) evaluate_again(f, s->borrowed.state);
    br_borrow_state(&s->borrowed, sim);
    sim->at = 0;
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v;
    sim->reactions_valid = 0;
    br_sim_refresh(sim, 2);
}

void br_mode_close(br_mode_session *s, br_sim *sim) {
    if (s->borrowed.node) give_back(s, sim);
    br_arena_free(&s->scratch);
    br_arena_free(&s->arena);
}

static void note(char *notes, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void note(char *notes, size_t size, const char *format, ...) {
    const size_t used = strlen(notes);
    va_list args;
    va_start(args, format);
    if (used + 1 < size) vsnprintf(notes + used, size - used, format, args);
    va_end(args);
    const size_t now = strlen(notes);
    if (now + 1 < size) notes[now] = '\n', notes[now + 1] = '\0';
}

static void note_left_out(const br_linear *l, char *notes, size_t size) {
    const br_model *m = l->f->sim->model;
    if (m->friction_joint) note(notes, size, "friction of joint '%s' is left out", m->friction_joint);
    for (int i = 0; i < m->clearances; i++)
        if (m->clearance[i].friction.law != BR_FRICTION_NONE && !l->skip[l->f->first_clearance + i] &&
            br_clearance_read(&l->f->element[l->f->first_clearance + i]).gap <= 0.0)
            note(notes, size, "friction of clearance '%s' is left out", m->clearance[i].name);
    if (m->contacts_possible) note(notes, size, "contacts between shapes are left out");
    for (int j = 0; j < m->joints; j++)
        if (m->joint[j].limited) {
            note(notes, size, "limits of joint '%s' are left out", m->joint[j].name);
            break;
        }
    for (int i = 0; i < m->clearances; i++) {
        const int element = l->f->first_clearance + i;
        if (!l->skip[element] && br_clearance_read(&l->f->element[element]).gap > 0.0)
            note(notes, size, "clearance '%s' is open and holds nothing; --pin %s holds it where it is",
                 m->clearance[i].name, m->clearance[i].name);
    }
}

static br_status check_def(const br_modes_def *def, br_error *error) {
    if (def->count < 1 || def->count > 100000)
        return br_fail(error, BR_INVALID, "mode-count", "%d modes are asked for, expected 1 or more",
                       def->count);
    if (!isfinite(def->spin) || !br_vec3_is_finite(def->axis) || !br_vec3_is_finite(def->about))
        return br_fail(error, BR_INVALID, "mode-axis", "the spin and its axis must be finite numbers");
    return BR_OK;
}

// Modes far above the speed yield to centrifugal forces as they do at rest: blades stretch and are stiffened. Those near it or
// below do not, an unbalanced shaft bows otherwise on each side of its critical speed: it is kept straight. Differences are
// taken at speeds as large as the frequencies, as long as the shape changes little.
br_status br_mode_spin(br_mode_session *s, double spin, br_error *error) {
    br_linear *l = &s->l;
    br_arena_reset(&s->scratch);
    l->spin = spin, l->bent = 0.0;
    double *force = BR_TAKE(l->scratch, double, l->n + 1), *y = BR_TAKE(l->scratch, double, l->n + 1),
           size = 0.0;
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    br_linear_centrifugal(l, force);
    if (spin != 0.0) br_linear_bend(l, force, BR_FAR_ABOVE * spin * spin, y);
    for (int k = 0; k < l->n; k++) {
        size = fmax(size, fabs(y[k]) / (k % 6 < 3 ? l->length : 1.0));
        if (k % 6 < 3) l->bent = fmax(l->bent, spin * spin * fabs(y[k]));
    }
    const double w = br_linear_lowest(l), step = w * w;
    return br_linear_lift(l, y, step * size > BR_BENT_A_LITTLE ? BR_BENT_A_LITTLE / size : step, error);
}

br_status br_mode_open(br_mode_session *s, br_sim *sim, const br_modes_def *def, int turning, char *notes,
                       size_t size, br_error *error) {
    br_linear *l = &s->l;
    memset(s, 0, sizeof *s);
    br_arena_init(&s->arena, def->allocator), br_arena_init(&s->scratch, def->allocator);
    notes[0] = '\0';
    br_status status = check_def(def, error);
    if (status == BR_OK && !sim->implicit) status = br_implicit_create(sim, error);
    if (status != BR_OK) return status;
    if (!br_borrow(&s->borrowed, &s->arena, sim)) return br_no_memory(error, no_memory);
    l->f = sim->implicit, l->arena = &s->arena, l->scratch = &s->scratch;
    status = br_linear_prepare(l, def, error);
    if (status == BR_OK && turning) status = br_linear_axis(l, def, error);
    if (status == BR_OK && turning) status = br_linear_turns(l, notes, size, error);
    if (status != BR_OK) return status;
    br_linear_mass(l);
    status = br_linear_rows(l, error);
    // About a shaft that is not straight, or not balanced, turning as a whole would not be seen as free: it is held.
    if (status == BR_OK && turning && br_linear_turns_freely(l)) {
        l->held = 1;
        status = br_linear_rows(l, error);
    }
    if (status == BR_OK) note_left_out(l, notes, size);
    if (status == BR_OK) status = br_linear_factor_rows(l, error);
    if (status == BR_OK) status = br_linear_stiffness(l, error);
    if (status == BR_OK) status = br_linear_basis(l, 4 * (def->count + 6), error);
    if (status == BR_OK && turning) status = br_mode_spin(s, 0.0, error);
    if (status == BR_OK && turning) status = br_linear_drag(l, error);
    return status;
}

// --- telling -----------------------------------------------------------------------------------------------

// Beside the shaft, what turns forwards with it at `imaginary` is seen at spin + imaginary, what turns backwards at spin -
// imaginary: forwards where that has the sign of the spin.
static void tell_whirl(const br_linear *l, const br_found *found, br_mode *out) {
    double share[3];
    br_linear_whirl(l, found, share);
    const double across = share[0] + share[1];
    out->fixed = out->imaginary, out->circular = 1.0;
    if (share[2] > across) return;
    const int plus = share[0] >= share[1];
    const double seen = plus ? l->spin + found->imaginary : l->spin - found->imaginary;
    out->circular = across > 0.0 ? fmax(share[0], share[1]) / across : 0.0;
    out->fixed = fabs(seen);
    out->whirl = seen * l->spin >= 0.0 ? BR_WHIRL_FORWARD : BR_WHIRL_BACKWARD;
}

void br_mode_tell(const br_linear *l, const br_found *found, br_mode *out) {
    const double size = br_hypot(found->real, found->imaginary);
    *out = (br_mode){.real = found->real,
                     .imaginary = found->imaginary,
                     .frequency = found->imaginary / (2.0 * BR_PI),
                     .damping = size > 0.0 ? 0.0 - found->real / size : 0.0,
                     .rigid = found->rigid,
                     .rounding = found->rounding};
    if (found->real == 0.0) out->damping = 0.0;
    if (l->spin != 0.0 && !found->rigid) tell_whirl(l, found, out);
    if (l->spin == 0.0) out->fixed = out->imaginary;
}

static br_vec3 read3(const double *x) {
    return br_vec3_of(x[0], x[1], x[2]);
}

static void shape_of_bodies(const br_linear *l, const br_found *found, br_mode_point *out) {
    const br_model *m = l->f->sim->model;
    for (int b = 0; b < m->bodies; b++) {
        const br_node *n = &l->f->node[m->body[b].link];
        const double *x = found->x + 6 * (size_t)m->body[b].link,
                     *y = found->x_i + 6 * (size_t)m->body[b].link;
        const br_vec3 arm = br_mat3_mul_vec(n->R1, br_vec3_sub(m->body[b].X_LB.position, n->com));
        out[b].turn = read3(x + 3), out[b].turn_i = read3(y + 3);
        out[b].move = br_vec3_add(read3(x), br_vec3_cross(out[b].turn, arm));
        out[b].move_i = br_vec3_add(read3(y), br_vec3_cross(out[b].turn_i, arm));
    }
}

// The largest component becomes 1, real: of all moves, or of turns where moves are nothing to them.
static void normalize(const br_linear *l, br_mode_point *p, int bodies) {
    double best = 0.0, re = 1.0, im = 0.0, turn_best = 0.0, turn_re = 1.0, turn_im = 0.0;
    for (int k = 0; k < 3 * bodies; k++) {
        const br_mode_point *q = &p[k / 3];
        const double a = br_vec3_get(q->move, k % 3), b = br_vec3_get(q->move_i, k % 3);
        const double c = br_vec3_get(q->turn, k % 3), d = br_vec3_get(q->turn_i, k % 3);
        // The first of equals is taken, whatever rounding says.
        if (br_hypot(a, b) > best * (1.0 + 1e-9)) best = br_hypot(a, b), re = a, im = b;
        if (br_hypot(c, d) > turn_best * (1.0 + 1e-9)) turn_best = br_hypot(c, d), turn_re = c, turn_im = d;
    }
    if (best < 1e-6 * turn_best * l->length) re = turn_re, im = turn_im, best = turn_best;
    if (!(best > 0.0)) return;
    re /= best * best, im /= -best * best; // times the conjugate over the square
    for (int b = 0; b < bodies; b++) {
        const br_mode_point q = p[b];
        p[b].move = br_vec3_sub(br_vec3_scale(re, q.move), br_vec3_scale(im, q.move_i));
        p[b].move_i = br_vec3_add(br_vec3_scale(re, q.move_i), br_vec3_scale(im, q.move));
        p[b].turn = br_vec3_sub(br_vec3_scale(re, q.turn), br_vec3_scale(im, q.turn_i));
        p[b].turn_i = br_vec3_add(br_vec3_scale(re, q.turn_i), br_vec3_scale(im, q.turn));
    }
}

static void tell_balance(const br_linear *l, br_modes *out) {
    double largest = 0.0, stiff = 0.0, force = 0.0, torque = 0.0;
    const br_implicit *f = l->f;
    const br_model *m = f->sim->model;
    for (int i = 0; i < f->nodes; i++) {
        const double *u = l->unbalanced + 6 * (size_t)i;
        const double size = br_hypot(br_vec3_norm(read3(u)), br_vec3_norm(read3(u + 3)) / l->length);
        largest = fmax(largest, f->node[i].pushed);
        if (size <= out->unbalanced) continue;
        out->unbalanced = size, force = br_vec3_norm(read3(u)), torque = br_vec3_norm(read3(u + 3));
        snprintf(out->unbalanced_body, sizeof out->unbalanced_body, "%s", m->body[m->link_body[i]].name);
    }
    for (int p = 0; p < l->pairs; p++)
        for (int k = 0; k < 3; k++) stiff = fmax(stiff, fabs(l->pair[p].a[BR_MODE_K][7 * k]));
    // Positions are rounded, and stiff springs turn that into forces.
    if (out->unbalanced > BR_EPS_BALANCED * largest + 64.0 * DBL_EPSILON * stiff * f->sim->extent)
        note(out->notes, sizeof out->notes,
             "this is no equilibrium: nothing balances %.3g N and %.3g N m about its centre of mass on body "
             "'%s'; --static finds one first",
             force, torque, out->unbalanced_body);
    if (l->spin != 0.0 && l->bent > BR_BENT_MUCH * f->sim->extent)
        note(out->notes, sizeof out->notes,
             "centrifugal forces deform it by %.3g m at this speed, too far for stiffness to first order",
             l->bent);
}

static int by_fixed(const br_mode *a, const br_mode *b) {
    const double p = br_hypot(a->real, a->fixed), q = br_hypot(b->real, b->fixed);
    return p != q ? (p < q ? -1 : 1) : 0;
}

// By insertion, modes and what was found alike: order[k] is the k-th.
static void sort_modes(const br_mode *mode, int count, int rigid, int *order) {
    for (int k = 0; k < count; k++) {
        int at = k;
        for (; at > rigid && by_fixed(&mode[k], &mode[order[at - 1]]) < 0; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

static br_status modes_tell(br_linear *l, const br_modes_def *def, const br_found *found, int count,
                            br_modes *out, br_error *error) {
    const br_model *m = l->f->sim->model;
    br_arena *memory = out->memory;
    br_mode *mode = BR_TAKE(l->scratch, br_mode, count + 1);
    int *order = BR_TAKE(l->scratch, int, count + 1);
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    while (out->rigid < count && found[out->rigid].rigid) out->rigid++;
    for (int k = 0; k < count; k++) br_mode_tell(l, &found[k], &mode[k]);
    sort_modes(mode, count, l->spin != 0.0 ? out->rigid : count, order);
    out->count = count - out->rigid > def->count ? out->rigid + def->count : count;
    out->bodies = m->bodies;
    out->freedom = l->free, out->rows = l->rows, out->redundant = l->rows - l->rank, out->basis = l->basis;
    out->mode = BR_TAKE(memory, br_mode, out->count + 1);
    out->shape = BR_TAKE(memory, br_mode_point, (size_t)out->count * (size_t)m->bodies + 1);
    if (!br_arena_ok(memory)) return br_no_memory(error, no_memory);
    for (int k = 0; k < out->count; k++) {
        br_mode_point *shape = out->shape + (size_t)k * (size_t)m->bodies;
        out->mode[k] = mode[order[k]];
        shape_of_bodies(l, &found[order[k]], shape);
        normalize(l, shape, m->bodies);
    }
    tell_balance(l, out);
    return BR_OK;
}

br_status br_modes_find(br_sim *sim, const br_modes_def *def, br_modes *out, br_error *error) {
    br_mode_session s;
    br_modes modes = {0};
    br_found *found = NULL;
    int count = 0;
    br_status status = br_mode_open(&s, sim, def, def->spin != 0.0, modes.notes, sizeof modes.notes, error);
    if (status == BR_OK && def->spin != 0.0) status = br_mode_spin(&s, def->spin, error);
    if (status == BR_OK) status = br_linear_eigen(&s.l, &found, &count, error);
    if (status == BR_OK && !(modes.memory = br_mode_memory(def))) status = br_no_memory(error, no_memory);
    if (status == BR_OK) status = modes_tell(&s.l, def, found, count, &modes, error);
    br_mode_close(&s, sim);
    if (status == BR_OK)
        *out = modes;
    else
        br_modes_free(&modes);
    return status;
}

void br_modes_free(br_modes *modes) {
    br_mode_memory_free(modes->memory);
    memset(modes, 0, sizeof *modes);
}
