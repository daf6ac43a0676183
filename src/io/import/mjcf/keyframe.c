// MJCF keyframes: states by name, of which the model may start from one. Every one is checked; MuJoCo refuses a model
// whose keyframes do not fit it, too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"
#include "io/text/text.h"

static const mjcf_known key_known[] = {
    {"name", MJCF_USED, 0},
    {"qpos", MJCF_USED, 0},
    {"qvel", MJCF_USED, 0},
    {"ctrl", MJCF_USED, 0},
    {"time", BR_IMPORT_LOOKS, "a run begins at 0"},
    {"act", MJCF_USED, 0},
    {"mpos", MJCF_USED, 0},
    {"mquat", MJCF_USED, 0},
    {NULL, 0, NULL},
};

static int positions(const mjcf_joint *j) {
    return j->type == MJCF_FREE ? 7 : j->type == MJCF_BALL ? 4 : 1;
}

static int velocities(const mjcf_joint *j) {
    return j->type == MJCF_FREE ? 6 : j->type == MJCF_BALL ? 3 : 1;
}

static int count_actuators(const mjcf *m) {
    int count = 0;
    for (const io_xml_node *s = m->root->first; s; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "actuator") == 0 ? s->first : NULL; c; c = c->next)
            count++;
    return count;
}

static br_status read_list(mjcf *m, const io_xml_node *key, const char *name, int expected, double **out) {
    int count = 0;
    *out = NULL;
    if (!br_io_xml_get(key, name)) return BR_OK;
    const br_status status = br_mjcf_list(m, (mjcf_element){key, -1}, name, out, &count);
    if (status != BR_OK) return status;
    if (count == expected) return BR_OK;
    return br_mjcf_fail(m, key, "mjcf-count",
                        "<key> %s has %d number%s, expected %d, as many as the model has %s", name, count,
                        count == 1 ? "" : "s", expected,
                        strcmp(name, "ctrl") == 0  ? "actuators"
                        : strcmp(name, "act") == 0 ? "actuators with a state"
                        : name[0] == 'm'           ? "numbers for bodies of mocap"
                        : name[1] == 'p'           ? "position coordinates"
                                                   : "velocity coordinates");
}

// qpos0: what a keyframe without qpos means.
static void reference(const mjcf *m, const mjcf_joint *j, double *q) {
    const br_pose X = m->body[j->body].X_PB; // in the world, where a free joint is
    const double pose[7] = {X.position.x, X.position.y, X.position.z, X.rotation.w,
                            X.rotation.x, X.rotation.y, X.rotation.z};
    const double turn[4] = {1.0, 0.0, 0.0, 0.0};
    memcpy(q,
           j->type == MJCF_FREE   ? pose
           : j->type == MJCF_BALL ? turn
                                  : &j->ref,
           (size_t)positions(j) * sizeof *q);
}

static br_status set_joints(mjcf *m, const io_xml_node *key, const double *q, const double *v) {
    for (int k = 0; k < m->joints; k++) {
        mjcf_joint *j = &m->joint[k];
        const int nq = positions(j), nv = velocities(j);
        reference(m, j, j->q);
        if (q) memcpy(j->q, q, (size_t)nq * sizeof *q), q += nq;
        if (v) memcpy(j->v, v, (size_t)nv * sizeof *v), v += nv;
        if (nq < 4) continue;
        const double *turn = j->q + nq - 4;
        const br_quat unit = br_quat_of(turn[0], turn[1], turn[2], turn[3]);
        if (!(br_quat_norm(unit) > 1e-6))
            return br_mjcf_fail(m, key, "mjcf-axis",
                                "<key> qpos: the quaternion of '%.60s' is zero, expected a rotation",
                                j->name ? j->name : m->body[j->body].name);
    }
    m->keyed = 1;
    return BR_OK;
}

static void place_mocaps(mjcf *m, const double *place, const double *turn) {
    for (int k = 0; k < m->bodies; k++) {
        mjcf_body *b = &m->body[k];
        const double *p = place && b->mocap ? place + (size_t)3 * (size_t)(b->mocap - 1) : NULL,
                     *q = turn && b->mocap ? turn + (size_t)4 * (size_t)(b->mocap - 1) : NULL;
        if (p) b->X_PB_start.position = br_vec3_of(p[0], p[1], p[2]);
        if (q && br_quat_norm(br_quat_of(q[0], q[1], q[2], q[3])) > 1e-6)
            b->X_PB_start.rotation = br_quat_normalize(br_quat_of(q[0], q[1], q[2], q[3]));
    }
}

typedef struct sizes {
    int nq, nv, nu, na;
} sizes;

static br_status read_key(mjcf *m, const io_xml_node *key, const sizes *n, int chosen) {
    double *q, *v, *control, *activation, *place, *turn;
    if (strcmp(key->name, "key") != 0)
        return br_mjcf_note(m, key, NULL, BR_IMPORT_MOTION, "this reader does not know the element");
    br_status status = BR_OK;
    if (chosen) status = br_mjcf_check(m, (mjcf_element){key, -1}, key_known);
    if (status == BR_OK) status = read_list(m, key, "qpos", n->nq, &q);
    if (status == BR_OK) status = read_list(m, key, "qvel", n->nv, &v);
    if (status == BR_OK) status = read_list(m, key, "ctrl", n->nu, &control);
    if (status == BR_OK) status = read_list(m, key, "act", n->na, &activation);
    if (status == BR_OK) status = read_list(m, key, "mpos", 3 * m->mocaps, &place);
    if (status == BR_OK) status = read_list(m, key, "mquat", 4 * m->mocaps, &turn);
    if (status != BR_OK || !chosen) return status;
    m->control = control;
    m->controls = control ? n->nu : 0;
    place_mocaps(m, place, turn);
    m->activation = activation;
    m->activations = activation ? n->na : 0;
    return set_joints(m, key, q, v);
}

// By its name, or, where none has it, by its number from 0.
static const io_xml_node *find_key(const mjcf *m, const char *wish) {
    char *end;
    const long number = strtol(wish, &end, 10);
    const io_xml_node *by_number = NULL;
    int k = 0;
    for (const io_xml_node *s = m->root->first; s; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "keyframe") == 0 ? s->first : NULL; c; c = c->next, k++) {
            const char *name = br_io_xml_get(c, "name");
            if (name && strcmp(name, wish) == 0) return c;
            if (*wish && *end == '\0' && k == number) by_number = c;
        }
    return by_number;
}

enum { LISTED = 160 }; // letters of names in a message

static int list_keys(const mjcf *m, char out[LISTED], const char **words, int most) {
    size_t used = 0;
    int count = 0;
    out[0] = '\0';
    for (const io_xml_node *s = m->root->first; s; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "keyframe") == 0 ? s->first : NULL; c;
             c = c->next, count++) {
            char number[16], shown[IO_SHOWN];
            const char *name = br_io_xml_get(c, "name");
            snprintf(number, sizeof number, "%d", count);
            br_io_show(
                (io_token){name ? name : number, (name ? name : number) + strlen(name ? name : number)},
                shown);
            if (name && count < most) words[count] = name;
            if (used + strlen(shown) + 8 < LISTED)
                used += (size_t)snprintf(out + used, LISTED - used, "%s%s", used ? ", " : "", shown);
            else if (strcmp(out + used - 3, "...") != 0)
                used += (size_t)snprintf(out + used, LISTED - used, ", ...");
        }
    return count;
}

static br_status unknown_key(const mjcf *m, const char *wish) {
    enum { MOST = 64 };
    const char *words[MOST];
    char list[LISTED], shown[IO_SHOWN];
    for (int k = 0; k < MOST; k++) words[k] = "";
    const int count = list_keys(m, list, words, MOST);
    const char *near = br_nearest_word(wish, words, (size_t)(count < MOST ? count : MOST));
    const io_xml_node *place = m->root;
    for (const io_xml_node *s = m->root->first; s; s = s->next)
        if (strcmp(s->name, "keyframe") == 0) place = s;
    br_io_show((io_token){wish, wish + strlen(wish)}, shown);
    if (near)
        return br_mjcf_fail(m, place, "import-keyframe", "there is no keyframe '%s'; did you mean '%.60s'?",
                            shown, near);
    return br_mjcf_fail(m, place, "import-keyframe", "there is no keyframe '%s'; %s%s", shown,
                        count ? "there are: " : "the model has none", list);
}

br_status br_mjcf_read_keyframes(mjcf *m) {
    const char *wish = m->options.keyframe;
    const io_xml_node *chosen = wish ? find_key(m, wish) : NULL, *section = NULL;
    sizes n = {0, 0, count_actuators(m), 0};
    br_status status = wish && !chosen ? unknown_key(m, wish) : BR_OK;
    if (status == BR_OK) status = br_mjcf_count_states(m, &n.na);
    for (int k = 0; k < m->joints; k++) n.nq += positions(&m->joint[k]), n.nv += velocities(&m->joint[k]);
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next) {
        if (strcmp(s->name, "keyframe") != 0) continue;
        if (!section && s->first) section = s;
        for (const io_xml_node *c = s->first; c && status == BR_OK; c = c->next)
            status = read_key(m, c, &n, c == chosen);
    }
    if (status != BR_OK || chosen || !section) return status;
    char list[LISTED];
    const char *none[1];
    list_keys(m, list, none, 0);
    return br_mjcf_note(
        m, section, NULL, BR_IMPORT_NUMERICS,
        "the model starts at its reference position; --set import.keyframe=NAME starts from one of: %s",
        list);
}

double br_mjcf_start(const mjcf *m, int joint) {
    return m->keyed ? m->joint[joint].q[0] : m->joint[joint].ref;
}
