// The MJCF file and what it includes, and where the files are that it names.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/import/mjcf/mjcf.h"
#include "io/text/beside.h"
#include "io/text/text.h"

static br_status find_folder(mjcf *m, const char *path) {
    char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    m->included[m->files++] = br_copy_text(&m->arena, real ? real : path); // it cannot include itself
    if (slash) *slash = '\0';
    m->folder = br_copy_text(&m->arena, slash ? real : "");
    free(real);
    return m->folder && m->included[0] ? BR_OK : br_mjcf_no_memory(m);
}

io_beside br_mjcf_locate(const mjcf *m, const char *name, char out[PATH_MAX]) {
    return m->options.outside ? br_io_find_anywhere(m->folder, name, out)
                              : br_io_find_beside(m->folder, name, out);
}

// Folds `folder/../` away, in place; 0: the path leaves where it begins.
static int fold(char *path) {
    char *out = path;
    for (const char *p = path; *p;) {
        const size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            if (out == path) return 0;
            for (out--; out > path && out[-1] != '/';) out--;
        } else if (n > 0 && !(n == 1 && p[0] == '.')) {
            memmove(out, p, n);
            out += n;
            if (p[n]) *out++ = '/';
        }
        p += n + (p[n] == '/');
    }
    *out = '\0';
    return out > path;
}

io_beside br_mjcf_locate_from(const mjcf *m, const io_xml_node *node, const char *name, char out[PATH_MAX]) {
    const io_beside found = br_mjcf_locate(m, name, out);
    const size_t n = strlen(m->folder);
    const char *slash = strrchr(node->file, '/');
    char below[PATH_MAX];
    if (found == IO_BESIDE_FOUND || found == IO_BESIDE_UNUSABLE || !slash ||
        strncmp(node->file, m->folder, n) != 0 || node->file[n] != '/' || slash == node->file + n)
        return found;
    const int length = snprintf(below, sizeof below, "%.*s/%s", (int)(slash - node->file - (long)n - 1),
                                node->file + n + 1, name);
    char other[PATH_MAX];
    if (length <= 0 || (size_t)length >= sizeof below || !fold(below) ||
        br_mjcf_locate(m, below, other) != IO_BESIDE_FOUND)
        return found;
    memcpy(out, other, sizeof other);
    return IO_BESIDE_FOUND;
}

// The file that an include names, when it is within the model's folder: by its name, and with links followed.
static br_status resolve(const mjcf *m, const io_xml_node *node, const char *name, char out[PATH_MAX]) {
    char shown[IO_SHOWN];
    struct stat s;
    br_io_show((io_token){name, name + strlen(name)}, shown);
    switch (br_mjcf_locate_from(m, node, name, out)) {
    case IO_BESIDE_FOUND:
        if (stat(out, &s) == 0 && S_ISREG(s.st_mode)) return BR_OK;
        return br_mjcf_fail(m, node, "mjcf-include",
                            "<include> of '%s': it is a pipe, device or folder, expected a file",
                            shown); // a pipe would be waited for
    case IO_BESIDE_OUTSIDE:
        return br_mjcf_fail(
            m, node, "mjcf-include-outside",
            "<include> of '%s': it is outside the model's folder; --set import.outside=true allows it",
            shown);
    case IO_BESIDE_UNUSABLE:
        return br_mjcf_fail(m, node, "mjcf-include", "<include> has no usable file name");
    case IO_BESIDE_MISSING:
        return br_mjcf_fail(m, node, "mjcf-include",
                            "<include> of '%s': there is no such file beside the model", shown);
    default:
        return br_mjcf_fail(m, node, "mjcf-include-outside",
                            "<include> of '%s': it is a link to outside the model's folder; --set "
                            "import.outside=true allows it",
                            shown);
    }
}

static br_status remember(mjcf *m, const io_xml_node *node, const char *real) {
    for (int k = 0; k < m->files; k++)
        if (strcmp(m->included[k], real) == 0)
            return br_mjcf_fail(m, node, "mjcf-include", "<include>: this file was already read once");
    if (m->files >= MJCF_MAX_FILES)
        return br_mjcf_fail(m, node, "mjcf-include", "<include>: more than %d files", MJCF_MAX_FILES);
    m->included[m->files] = br_copy_text(&m->arena, real);
    return m->included[m->files++] ? BR_OK : br_mjcf_no_memory(m);
}

static br_status check_root(const mjcf *m, const io_xml_node *root, int included) {
    if (strcmp(root->name, "mujoco") == 0 || (included && strcmp(root->name, "mujocoinclude") == 0))
        return BR_OK;
    char shown[IO_SHOWN];
    br_io_show((io_token){root->name, root->name + strlen(root->name)}, shown);
    if (strcmp(root->name, "robot") == 0)
        return br_mjcf_fail(m, root, "mjcf-urdf", "this is a URDF file (<robot>), expected MJCF (<mujoco>)");
    return br_mjcf_fail(m, root, "mjcf-root", "the file begins with <%s>, expected <mujoco>", shown);
}

static br_status expand(mjcf *m, io_xml_node *parent, int depth);

// Puts the children of the included file where the include stands.
static br_status splice(mjcf *m, io_xml_node *parent, io_xml_node *before, io_xml_node *node, int depth,
                        io_xml_node **next) {
    char real[PATH_MAX];
    io_xml_node *root;
    const char *name = br_io_xml_get(node, "file");
    br_status status = name ? resolve(m, node, name, real)
                            : br_mjcf_fail(m, node, "mjcf-include", "<include> names no file");
    if (status == BR_OK && node->first)
        status = br_mjcf_fail(m, node, "mjcf-include", "<include> must be empty");
    if (status == BR_OK) status = remember(m, node, real);
    if (status == BR_OK) status = br_io_xml_load(real, &m->arena, &root, m->error);
    if (status == BR_OK) status = check_root(m, root, 1);
    if (status == BR_OK) status = expand(m, root, depth);
    if (status != BR_OK) return status;
    for (io_xml_node *c = root->first; c; c = c->next) c->parent = parent;
    io_xml_node *first = root->first ? root->first : node->next;
    if (root->last) root->last->next = node->next;
    if (before)
        before->next = first;
    else
        parent->first = first;
    if (parent->last == node) parent->last = root->last ? root->last : before;
    *next = root->last ? root->last : before; // go on after what was put in; it is expanded already
    return BR_OK;
}

static br_status expand(mjcf *m, io_xml_node *parent, int depth) {
    if (depth > BR_MAX_XML_DEPTH)
        return br_mjcf_fail(m, parent, "xml-too-deep", "elements are nested more than %d deep",
                            BR_MAX_XML_DEPTH);
    io_xml_node *before = NULL;
    for (io_xml_node *c = parent->first; c; c = before ? before->next : parent->first) {
        br_status status;
        if (strcmp(c->name, "include") == 0) {
            status = splice(m, parent, before, c, depth, &before);
        } else {
            status = expand(m, c, depth + 1);
            before = c;
        }
        if (status != BR_OK) return status;
    }
    return BR_OK;
}

br_status br_mjcf_load_other(mjcf *m, const char *path, io_xml_node **root) {
    br_status status = br_io_xml_load(path, &m->arena, root, m->error);
    if (status == BR_OK) status = check_root(m, *root, 0);
    return status == BR_OK ? expand(m, *root, 1) : status;
}

br_status br_mjcf_load(mjcf *m, const char *path) {
    io_xml_node *root;
    m->included = BR_TAKE(&m->arena, const char *, MJCF_MAX_FILES);
    if (!m->included) return br_mjcf_no_memory(m);
    br_status status = br_io_xml_load(path, &m->arena, &root, m->error);
    if (status == BR_OK) status = find_folder(m, path);
    if (status == BR_OK) status = check_root(m, root, 0);
    if (status == BR_OK) status = expand(m, root, 1);
    if (status == BR_OK) m->root = root;
    return status == BR_OK ? br_mjcf_begin_scope(m, root, m->included[0]) : status;
}
