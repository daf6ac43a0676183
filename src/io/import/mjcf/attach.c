// <attach>: a body, a frame or the whole world of another file, or of this one, put where the element stands. Done on the tree of elements
// before anything else is read: copies whose names, and names of what they refer to, begin with the prefix. What the other file says outside
// of its world comes along where everything that it refers to does: tendons, actuators, equalities, contacts and sensors; its
// assets and default classes always. Its options and keyframes do not count, as in MuJoCo. Angles and meshes are read by the other
// file's <compiler> (mjcf_scope).
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/import/mjcf/mjcf.h"

enum { MJCF_MAX_ATTACHED = 1 << 20 }; // elements that attaching may make in all

static const mjcf_known attach_known[] = {
    {"model", MJCF_USED, 0},  {"body", MJCF_USED, 0}, {"frame", MJCF_USED, 0},
    {"prefix", MJCF_USED, 0}, {NULL, 0, NULL},
};

// Attributes that name something of the world, and those that name assets and classes, which a file shares with its own parts.
static const char *const world_references[] = {
    "joint",   "joint1",   "joint2",   "jointinparent", "body",      "body1",      "body2",
    "site",    "site1",    "site2",    "geom",          "geom1",     "geom2",      "tendon",
    "tendon1", "tendon2",  "sidesite", "refsite",       "cranksite", "slidersite", "objname",
    "refname", "actuator", "sensor",   "target",        NULL};
static const char *const shared_references[] = {"class",  "childclass", "mesh",    "material",
                                                "hfield", "texture",    "texname", NULL};

typedef struct attaching {
    mjcf *m;
    const io_xml_node *element; // the <attach>
    const char *prefix;
    int own;        // of this file itself: assets and classes are shared
    br_names named; // in the world of what is attached, and tendons and actuators of it
    long *made;
} attaching;

static int is_listed(const char *name, const char *const *list) {
    while (*list && strcmp(*list, name) != 0) list++;
    return *list != NULL;
}

static br_status collect_names(attaching *a, const io_xml_node *node) {
    const char *name = br_io_xml_get(node, "name");
    br_status status = BR_OK;
    if (name && br_names_find(&a->named, name) < 0 && br_names_add(&a->named, &a->m->arena, name) != BR_OK)
        return br_mjcf_no_memory(a->m);
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) status = collect_names(a, c);
    return status;
}

// Whether all that an element outside of the world refers to is attached.
static int is_known(const attaching *a, const io_xml_node *node) {
    for (int k = 0; k < node->attributes; k++)
        if (is_listed(node->attribute[k].name, world_references) &&
            strcmp(node->attribute[k].value, "world") != 0 &&
            br_names_find(&a->named, node->attribute[k].value) < 0)
            return 0;
    for (const io_xml_node *c = node->first; c; c = c->next)
        if (!is_known(a, c)) return 0;
    return 1;
}

// --------------------------------------------------------------------------------------------------------- copies

static const char *prefixed(attaching *a, const char *name, br_status *status) {
    const size_t size = strlen(a->prefix) + strlen(name) + 1;
    char *out = BR_TAKE(&a->m->arena, char, size);
    if (!out) {
        *status = br_mjcf_no_memory(a->m);
        return name;
    }
    snprintf(out, size, "%s%s", a->prefix, name);
    return out;
}

static int is_renamed(const attaching *a, const io_xml_attribute *x) {
    if (strcmp(x->name, "name") == 0) return 1;
    if (is_listed(x->name, shared_references)) return !a->own;
    return is_listed(x->name, world_references) && br_names_find(&a->named, x->value) >= 0;
}

static void append(io_xml_node *parent, io_xml_node *child) {
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

static br_status copy(attaching *a, const io_xml_node *node, io_xml_node **out) {
    io_xml_node *made = BR_TAKE(&a->m->arena, io_xml_node, 1);
    io_xml_attribute *attribute = BR_TAKE(&a->m->arena, io_xml_attribute, node->attributes + 1);
    br_status status = BR_OK;
    if (!made || !attribute) return br_mjcf_no_memory(a->m);
    if (++*a->made > MJCF_MAX_ATTACHED)
        return br_mjcf_fail(a->m, a->element, "mjcf-range", "<attach> makes more than %d elements",
                            (int)MJCF_MAX_ATTACHED);
    *made = *node;
    made->first = made->last = made->next = NULL;
    for (int k = 0; k < node->attributes; k++) {
        attribute[k] = node->attribute[k];
        if (is_renamed(a, &attribute[k])) attribute[k].value = prefixed(a, attribute[k].value, &status);
    }
    made->attribute = attribute;
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        io_xml_node *child = NULL;
        if (c == a->element)
            return br_mjcf_fail(a->m, c, "mjcf-attach-cycle",
                                "<attach> is inside of what it attaches, which would have no end");
        status = copy(a, c, &child);
        if (status == BR_OK) append(made, child);
    }
    *out = made;
    return status;
}

// The copy's array of attributes has room for one more.
static void set_attribute(io_xml_node *node, const char *name, const char *value) {
    io_xml_attribute *attribute = (io_xml_attribute *)node->attribute;
    attribute[node->attributes++] = (io_xml_attribute){name, value};
}

// ------------------------------------------------------------------------------------------- what comes along

static int comes_along(const char *section) {
    static const char *const sections[] = {"tendon", "actuator", "equality", "contact", "sensor", NULL};
    return is_listed(section, sections);
}

// An asset without a name has that of its file.
static br_status name_by_file(attaching *a, const io_xml_node *asset, io_xml_node *made) {
    const char *file = br_io_xml_get(asset, "file");
    if (!file || br_io_xml_get(asset, "name")) return BR_OK;
    const char *slash = strrchr(file, '/'), *begin = slash ? slash + 1 : file, *dot = strrchr(begin, '.');
    char stem[BR_MAX_NAME];
    br_status status = BR_OK;
    snprintf(stem, sizeof stem, "%.*s", dot && dot - begin < BR_MAX_NAME ? (int)(dot - begin) : BR_MAX_NAME,
             begin);
    set_attribute(made, "name", prefixed(a, stem, &status));
    return status;
}

// A section with those of its elements that come along. *out NULL: none does.
static br_status copy_section(attaching *a, const io_xml_node *section, int whole, io_xml_node **out) {
    io_xml_node *made = BR_TAKE(&a->m->arena, io_xml_node, 1);
    br_status status = BR_OK;
    if (!made) return br_mjcf_no_memory(a->m);
    *made = *section;
    made->first = made->last = made->next = NULL;
    for (const io_xml_node *c = section->first; c && status == BR_OK; c = c->next) {
        io_xml_node *child = NULL;
        if (whole ? strcmp(c->name, "model") == 0 : !is_known(a, c)) continue;
        if (!whole) status = collect_names(a, c); // actuators may name tendons
        if (status == BR_OK) status = copy(a, c, &child);
        if (status == BR_OK && whole) status = name_by_file(a, c, child);
        if (status == BR_OK) append(made, child);
    }
    *out = made->first ? made : NULL;
    return status;
}

// Its main class is a class here, which all that is attached begins with.
static br_status copy_defaults(attaching *a, const io_xml_node *section, io_xml_node **out) {
    br_status status = copy(a, section, out);
    if (status != BR_OK || br_io_xml_get(section, "class")) return status;
    set_attribute(*out, "class", prefixed(a, "main", &status));
    return status;
}

// Sections of `from` as sections of `root`, before its own: so their actuators count first, as MuJoCo has them.
static br_status bring_sections(attaching *a, const io_xml_node *from, io_xml_node *root) {
    io_xml_node *last_new = NULL, *end = root->last;
    br_status status = BR_OK;
    for (const io_xml_node *s = from->first; s && status == BR_OK; s = s->next) {
        io_xml_node *section = NULL;
        const int along = comes_along(s->name),
                  shared = !a->own && (!strcmp(s->name, "asset") || !strcmp(s->name, "default"));
        if (shared && s->name[0] == 'd')
            status = copy_defaults(a, s, &section);
        else if (along || shared)
            status = copy_section(a, s, shared, &section);
        if (status == BR_OK && section) {
            section->parent = root;
            section->next = last_new ? last_new->next : root->first;
            if (last_new)
                last_new->next = section;
            else
                root->first = section;
            last_new = section;
            if (!root->last) root->last = section;
        }
        if (s == end) break; // of this file itself: not what was just brought
    }
    return status;
}

// ------------------------------------------------------------------------------------------------- what is named

static io_xml_node *find_named(io_xml_node *node, const char *kind, const char *name) {
    for (io_xml_node *c = node->first; c; c = c->next) {
        const char *own = br_io_xml_get(c, "name");
        if (strcmp(c->name, kind) == 0 && own && strcmp(own, name) == 0) return c;
        io_xml_node *found = find_named(c, kind, name);
        if (found) return found;
    }
    return NULL;
}

static br_status find_part(attaching *a, io_xml_node *root, io_xml_node **out) {
    const char *body = br_io_xml_get(a->element, "body"), *frame = br_io_xml_get(a->element, "frame");
    const char *name = body ? body : frame, *kind = body ? "body" : "frame";
    *out = NULL;
    if (body && frame)
        return br_mjcf_fail(a->m, a->element, "mjcf-structure",
                            "<attach> names a body and a frame, expected one of them");
    if (!name && a->own)
        return br_mjcf_fail(a->m, a->element, "mjcf-missing",
                            "<attach> names no model, and no body or frame of this one");
    if (!name) return BR_OK;
    for (io_xml_node *s = root->first; s && !*out; s = s->next)
        if (strcmp(s->name, "worldbody") == 0) *out = find_named(s, kind, name);
    if (*out) return BR_OK;
    return br_mjcf_fail(a->m, a->element, "mjcf-unknown-name",
                        "<attach> %s: there is no '%.60s' in the world of %s", kind, name,
                        a->own ? "this file" : root->file);
}

// A frame that holds the world's elements, where the whole of a file is attached.
static br_status copy_world(attaching *a, const io_xml_node *root, io_xml_node **out) {
    io_xml_node *frame = BR_TAKE(&a->m->arena, io_xml_node, 1);
    io_xml_attribute *attribute = BR_TAKE(&a->m->arena, io_xml_attribute, 1);
    br_status status = BR_OK;
    if (!frame || !attribute) return br_mjcf_no_memory(a->m);
    *frame = *a->element;
    frame->name = "frame";
    frame->attributes = 0, frame->attribute = attribute;
    frame->first = frame->last = NULL;
    frame->scope = root->scope;
    for (const io_xml_node *s = root->first; s && status == BR_OK; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "worldbody") == 0 ? s->first : NULL; c && status == BR_OK;
             c = c->next) {
            io_xml_node *child = NULL;
            status = copy(a, c, &child);
            if (status == BR_OK) append(frame, child);
        }
    *out = frame;
    return status;
}

static br_status name_all(attaching *a, const io_xml_node *root, const io_xml_node *part) {
    br_status status = BR_OK;
    if (part) return collect_names(a, part);
    for (const io_xml_node *s = root->first; s && status == BR_OK; s = s->next)
        if (strcmp(s->name, "worldbody") == 0) status = collect_names(a, s);
    return status;
}

// --------------------------------------------------------------------------------------------------- other files

static br_status attach_all(mjcf *m, io_xml_node *root, long *made);

static void set_scope(io_xml_node *node, int scope) {
    node->scope = scope;
    for (io_xml_node *c = node->first; c; c = c->next) set_scope(c, scope);
}

// <model> of <asset>; its name is that of the file where it has none.
static br_status find_model(attaching *a, const io_xml_node *root, const char *name,
                            const io_xml_node **out) {
    for (const io_xml_node *s = root->first; s; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "asset") == 0 ? s->first : NULL; c; c = c->next) {
            const char *given = br_io_xml_get(c, "name"), *file = br_io_xml_get(c, "file");
            if (strcmp(c->name, "model") != 0 || !file) continue;
            const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
            const size_t length = strcspn(base, ".");
            *out = c;
            if (given ? strcmp(given, name) == 0 : strlen(name) == length && strncmp(base, name, length) == 0)
                return BR_OK;
        }
    return br_mjcf_fail(a->m, a->element, "mjcf-unknown-name",
                        "<attach> model: there is no <model> '%.60s' among the assets", name);
}

static br_status resolve_model(mjcf *m, const io_xml_node *model, char out[PATH_MAX]) {
    const char *file = br_io_xml_get(model, "file");
    struct stat s;
    switch (br_mjcf_locate_from(m, model, file, out)) {
    case IO_BESIDE_FOUND:
        if (stat(out, &s) == 0 && S_ISREG(s.st_mode)) return BR_OK;
        return br_mjcf_fail(m, model, "mjcf-include",
                            "<model> file '%.100s': it is a pipe, device or folder, expected a file", file);
    case IO_BESIDE_OUTSIDE:
    case IO_BESIDE_LINK:
        return br_mjcf_fail(
            m, model, "mjcf-include-outside",
            "<model> file '%.100s': it is outside the model's folder; --set import.outside=true allows it",
            file);
    default:
        return br_mjcf_fail(m, model, "mjcf-include",
                            "<model> file '%.100s': there is no such file beside the model", file);
    }
}

// The other file, once read for all its attachments, with what it attaches itself.
static br_status open_model(attaching *a, const io_xml_node *root, const char *name, io_xml_node **out) {
    mjcf *m = a->m;
    char path[PATH_MAX];
    const io_xml_node *model = NULL;
    br_status status = find_model(a, root, name, &model);
    if (status == BR_OK) status = resolve_model(m, model, path);
    if (status != BR_OK) return status;
    for (int k = 0; k < m->scopes; k++) {
        if (strcmp(m->scope[k].path, path) != 0) continue;
        if (m->scope[k].open)
            return br_mjcf_fail(
                m, a->element, "mjcf-attach-cycle",
                "<attach> of '%.60s': that file attaches this one, or is it itself, which would have no end",
                name);
        *out = (io_xml_node *)m->scope[k].root;
        return BR_OK;
    }
    if (m->scopes >= MJCF_MAX_FILES)
        return br_mjcf_fail(m, a->element, "mjcf-include", "<attach>: more than %d files", MJCF_MAX_FILES);
    const char *kept = br_copy_text(&m->arena, path);
    if (!kept) return br_mjcf_no_memory(m);
    status = br_mjcf_load_other(m, path, out);
    if (status == BR_OK) status = br_mjcf_begin_scope(m, *out, kept);
    if (status != BR_OK) return status;
    const int scope = m->scopes - 1;
    set_scope(*out, scope);
    m->scope[scope].open = 1;
    status = attach_all(m, *out, a->made);
    m->scope[scope].open = 0;
    return status;
}

// ------------------------------------------------------------------------------------------------------- one of them

static br_status attach_one(mjcf *m, io_xml_node *root, const io_xml_node *element, long *made,
                            io_xml_node **out) {
    const char *model = br_io_xml_get(element, "model"), *prefix = br_io_xml_get(element, "prefix");
    attaching a = {.m = m, .element = element, .prefix = prefix ? prefix : "", .own = !model, .made = made};
    io_xml_node *from = root, *part = NULL;
    br_status status = br_mjcf_check(m, (mjcf_element){element, -1}, attach_known);
    if (status == BR_OK && element->first)
        status = br_mjcf_fail(m, element, "mjcf-structure", "<attach> must be empty");
    if (status == BR_OK && !prefix)
        status = br_mjcf_fail(m, element, "mjcf-missing",
                              "<attach> has no prefix, which keeps its names apart from the others");
    if (status == BR_OK && model) status = open_model(&a, root, model, &from);
    if (status == BR_OK) status = find_part(&a, from, &part);
    if (status == BR_OK) status = name_all(&a, from, part);
    if (status == BR_OK) status = part ? copy(&a, part, out) : copy_world(&a, from, out);
    if (status != BR_OK) return status;
    if (!a.own && !br_io_xml_get(*out, "childclass")) {
        const io_xml_node *s = from->first;
        while (s && (strcmp(s->name, "default") != 0 || s->scope != from->scope)) s = s->next;
        const char *main = s ? br_io_xml_get(s, "class") : NULL;
        if (s) set_attribute(*out, "childclass", prefixed(&a, main ? main : "main", &status));
    }
    return status == BR_OK ? bring_sections(&a, from, root) : status;
}

static br_status attach_below(mjcf *m, io_xml_node *root, io_xml_node *parent, int depth, long *made) {
    io_xml_node *before = NULL;
    br_status status = BR_OK;
    if (depth > BR_MAX_XML_DEPTH)
        return br_mjcf_fail(m, parent, "xml-too-deep", "elements are nested more than %d deep",
                            BR_MAX_XML_DEPTH);
    for (io_xml_node *c = parent->first; c && status == BR_OK; before = c, c = c->next) {
        if (strcmp(c->name, "attach") != 0) {
            status = attach_below(m, root, c, depth + 1, made);
            continue;
        }
        io_xml_node *with = NULL;
        status = attach_one(m, root, c, made, &with);
        if (status != BR_OK) return status;
        with->parent = parent;
        with->next = c->next;
        if (before)
            before->next = with;
        else
            parent->first = with;
        if (parent->last == c) parent->last = with;
        c = with;
        status =
            attach_below(m, root, c, depth + 1, made); // of this file's own parts: what they attach in turn
    }
    return status;
}

static br_status attach_all(mjcf *m, io_xml_node *root, long *made) {
    br_status status = BR_OK;
    for (io_xml_node *s = root->first; s && status == BR_OK; s = s->next)
        if (strcmp(s->name, "worldbody") == 0) status = attach_below(m, root, s, 1, made);
    return status;
}

br_status br_mjcf_attach(mjcf *m) {
    long made = 0;
    m->scope[0].open = 1;
    return attach_all(m, (io_xml_node *)m->root, &made);
}
