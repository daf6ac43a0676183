// What a verdict says in words: the reactions that are not unique, and one sentence on what would settle the
// matter.
#include "trust/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
    char *at;
    size_t room;
} text;

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(t->at, t->room, format, list);
    va_end(list);
    const size_t used = length < 0 ? 0 : (size_t)length < t->room ? (size_t)length : t->room - 1;
    t->at += used;
    t->room -= used;
}

// --- reactions by name ----------------------------------------------------------------------------------------

typedef struct name_line {
    text t;
    int count, left; // names that are there, and that found no place
} name_line;

static void add_name(name_line *line, const char *name) {
    if (strlen(name) + 24 > line->t.room)
        line->left++;
    else
        say(&line->t, "%s%s", line->count++ ? ", " : "", name);
}

// Whether a column is part of a reaction that has a name of its own.
static int is_read(const br_balance *b, int column) {
    for (int r = 0; r < b->readings; r++)
        if (b->reading[r].form[column] != 0.0) return 1;
    return 0;
}

// Reactions as their channels have them, then what has no such channel: couplings, friction, contacts.
void br_trust_name_not_unique(const br_balance *b, const br_case *c, const int *column,
                              br_trust_interval *out) {
    const size_t used = strlen(out->not_unique);
    name_line line = {.t = {out->not_unique + used, sizeof out->not_unique - used}, .count = used > 0};
    for (int r = 0; r < b->readings; r++)
        if (!br_case_form_unique(c, b->reading[r].form, column)) add_name(&line, b->reading[r].name);
    for (int k = 0; k < c->b->columns; k++)
        if (!br_case_column_unique(c, k) && !is_read(b, column[k])) add_name(&line, c->b->name[k]);
    if (line.left) say(&line.t, " and %d more", line.left);
}

// --- lists of names -------------------------------------------------------------------------------------------

enum { MAX_LISTED = 4 };

typedef struct name_list {
    const char *name[MAX_LISTED];
    int length[MAX_LISTED];
    int count, more;
    const char *last; // of those that found no place: contacts of one pair come one after the other
} name_list;

static void list_add(name_list *list, const char *name, size_t length) {
    for (int k = 0; k < list->count; k++)
        if ((size_t)list->length[k] == length && !memcmp(list->name[k], name, length)) return;
    if (list->count == MAX_LISTED) {
        list->more += !list->last || strncmp(list->last, name, length) != 0;
        list->last = name;
        return;
    }
    list->name[list->count] = name;
    list->length[list->count++] = (int)length;
}

static void say_list(text *t, const name_list *list) {
    for (int k = 0; k < list->count; k++) {
        const int last = k == list->count - 1 && !list->more;
        say(t, "%s%.*s", k == 0 ? "" : last ? " and " : ", ", list->length[k], list->name[k]);
    }
    if (list->more) say(t, " and %d more", list->more);
}

static name_list pads_at_rest(const br_case *c) {
    name_list list = {.count = 0};
    for (int i = 0; i < c->rest; i++)
        list_add(&list, c->b->pad[c->pad[i]].name, strlen(c->b->pad[c->pad[i]].name));
    return list;
}

// Pads whose force or load is open.
static name_list open_pads(const br_case *c) {
    name_list list = {.count = 0};
    for (int i = 0; i < c->b->pads; i++) {
        const br_balance_pad *p = &c->b->pad[i];
        int open = !br_case_load_unique(c, i);
        for (int k = 0; k < p->directions && !p->sliding; k++)
            open |= !br_case_column_unique(c, p->column + k);
        if (open) list_add(&list, p->name, strlen(p->name));
    }
    return list;
}

static int is_pad_of(const br_balance *b, const char *name, size_t length) {
    for (int i = 0; i < b->pads; i++)
        if (strlen(b->pad[i].name) == length && !memcmp(b->pad[i].name, name, length)) return 1;
    return 0;
}

// The joint in "joint.force.x".
static size_t joint_length(const char *name) {
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

// Joints whose compliance would decide: those with open reactions, first choice the ones without friction of
// their own.
static name_list open_joints(const br_case *c) {
    name_list list = {.count = 0};
    for (int with_friction = 0; with_friction < 2; with_friction++) {
        for (int k = 0; k < c->b->bilateral; k++) {
            if (br_case_column_unique(c, k)) continue;
            const char *name = c->b->name[k];
            const size_t length = joint_length(name);
            if (is_pad_of(c->b, name, length) == with_friction) list_add(&list, name, length);
        }
        if (list.count) return list;
    }
    return open_pads(c);
}

static int goes(const br_trust_force *f) {
    return f->state == BR_ELEMENT_SLIDING || f->state == BR_ELEMENT_ROLLING || f->state == BR_ELEMENT_MOVING;
}

// Elements of one verdict that are stuck, as a list.
static name_list stuck_with(const br_balance *b, const br_trust_interval *out, br_verdict verdict) {
    name_list list = {.count = 0};
    for (int i = 0, at = 0; i < b->pads; at += b->pad[i].directions, i++)
        if (b->pad[i].directions > 0 && out->force[at].state == BR_ELEMENT_STUCK &&
            out->force[at].verdict == verdict)
            list_add(&list, b->pad[i].name, strcspn(b->pad[i].name, "#"));
    return list;
}

// What rests; where something goes, that, and apart from it what rests, verdict by verdict. Contacts of one pair of shapes count once.
void br_trust_name_pads(const br_balance *b, br_trust_interval *out) {
    text t = {out->of, sizeof out->of}, s = {out->by_name, sizeof out->by_name};
    name_list list = {.count = 0};
    int going = 0, any = 0, differ = 0;
    out->of[0] = out->by_name[0] = '\0';
    for (int k = 0; k < out->forces; k++) going |= goes(&out->force[k]);
    for (int i = 0, at = 0; i < b->pads; at += b->pad[i].directions, i++)
        if (b->pad[i].directions > 0 && goes(&out->force[at]) == going)
            list_add(&list, b->pad[i].name, strcspn(b->pad[i].name, "#"));
    say_list(&t, &list);
    for (int k = 0; k < out->forces; k++) differ |= out->force[k].verdict != out->force[0].verdict;
    for (br_verdict v = BR_VERDICTS; (going || differ) && v-- > BR_MOVES;) {
        const name_list stuck = stuck_with(b, out, v);
        if (stuck.count == 0) continue;
        if (any++) say(&s, ", ");
        say_list(&s, &stuck);
        say(&s, " %s", br_verdict_name(v));
    }
}

// --- the sentence ---------------------------------------------------------------------------------------------

static void say_compliance(text *t, const br_case *c, const char *what) {
    const name_list joints = open_joints(c), pads = open_pads(c);
    say(t, "measure or model the compliance of ");
    say_list(t, &joints);
    say(t, ": it decides how ");
    if (pads.count)
        say_list(t, &pads);
    else
        say(t, "they");
    say(t, " share the load%s", what);
}

static void settle_undetermined(text *t, const br_case *c) {
    if (c->family.unknowns > 0) {
        say_compliance(t, c, ", and with it whether they slide");
        return;
    }
    const name_list pads = pads_at_rest(c);
    say(t, "lower mu_static of ");
    say_list(t, &pads);
    say(t, " or stiffen the mechanism: rest and sliding both satisfy Coulomb's law, and only how it came to "
           "rest "
           "decides");
}

static void settle_slides(text *t, const br_case *c, const br_trust_interval *out) {
    const name_list pads = pads_at_rest(c);
    if (isinf(out->c_star)) {
        say(t, "change the loads: no friction coefficient of ");
        say_list(t, &pads);
        say(t, " would hold them");
        return;
    }
    say(t, "raise mu_static of ");
    say_list(t, &pads);
    if (c->rest == 1)
        say(t, " from %.4g to more than %.4g, or lower the load", c->b->pad[c->pad[0]].mu_static,
            c->b->pad[c->pad[0]].mu_static * out->c_star);
    else
        say(t, " to more than %.4g times its value, or lower the load", out->c_star);
}

static br_verdict hardest_of(const br_trust_interval *of) {
    br_verdict hardest = of->verdict;
    for (int k = 0; k < of->forces; k++)
        if (of->force[k].verdict > hardest) hardest = of->force[k].verdict;
    return hardest;
}

static void settle_several(text *t, const br_case *c) {
    name_list pads = {.count = 0};
    for (int i = 0; i < c->b->pads; i++)
        if (c->b->pad[i].directions > 0) list_add(&pads, c->b->pad[i].name, strcspn(c->b->pad[i].name, "#"));
    say(t, "lower the friction of ");
    say_list(t, &pads);
    say(t, ": it is so large beside the loads it changes that more than one motion obeys Coulomb's law, and "
           "rigid bodies do "
           "not say which");
}

void br_trust_settle(const br_case *c, const br_onset *onset, int several, const br_trust_interval *of,
                     br_trust_interval *out) {
    text t = {out->settle, sizeof out->settle};
    out->settle[0] = '\0';
    const int open = open_pads(c).count > 0;
    switch (hardest_of(of)) {
    case BR_UNDETERMINED:
        settle_undetermined(&t, c);
        break;
    case BR_SLIDES_CERTAIN:
        settle_slides(&t, c, of);
        break;
    case BR_SLIDES_NOT_UNIQUE:
        if (several)
            settle_several(&t, c);
        else
            say_compliance(&t, c, ", and with it the motion");
        break;
    case BR_STICKS_METASTABLE:
        say(&t,
            "keep shocks away or raise mu_kinetic: it rests, but once %s slides kinetic friction does not "
            "stop it under "
            "these loads",
            c->b->pad[onset->pad].name);
        if (open) say(&t, "; "), say_compliance(&t, c, "");
        break;
    case BR_STICKS_ROBUST:
        if (open)
            say(&t, "nothing for the motion; to know the forces, "), say_compliance(&t, c, "");
        else
            say(&t, "nothing to settle");
        break;
    default:
        say(&t, "nothing to settle");
        break;
    }
}
