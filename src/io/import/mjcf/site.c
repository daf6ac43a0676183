// MJCF sites: points with axes on bodies, which become frames of them. Constraints may be between sites.
#include <string.h>

#include "io/import/mjcf/mjcf.h"

static const mjcf_known site_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"pos", MJCF_USED, 0},
    {"quat", MJCF_USED, 0},
    {"axisangle", MJCF_USED, 0},
    {"euler", MJCF_USED, 0},
    {"xyaxes", MJCF_USED, 0},
    {"zaxis", MJCF_USED, 0},
    {"fromto", MJCF_USED, 0},
    {"type", MJCF_USED, 0}, // from here on for pictures and sensors
    {"size", MJCF_USED, 0},
    {"group", MJCF_USED, 0},
    {"material", BR_IMPORT_LOOKS, "for pictures only"},
    {"rgba", BR_IMPORT_LOOKS, "for pictures only"},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {NULL, 0, NULL},
};

// Along a line: the middle, z from its end to its beginning, as geoms have it.
static br_status site_along(const mjcf *m, mjcf_element e, br_pose *X) {
    double line[6];
    int count;
    br_status status = br_mjcf_numbers(m, e, "fromto", 6, 6, line, &count);
    if (status != BR_OK || count == 0) return status;
    const br_vec3 a = br_vec3_of(line[0], line[1], line[2]), b = br_vec3_of(line[3], line[4], line[5]);
    br_vec3 z = br_vec3_sub(a, b);
    status = br_mjcf_unit(m, e.node, "fromto", &z);
    if (status == BR_OK)
        *X = br_pose_of(br_quat_from_mat3(br_tangent_basis(z)), br_vec3_scale(0.5, br_vec3_add(a, b)));
    return status;
}

br_status br_mjcf_read_site(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF) {
    const char *given = br_io_xml_get(node, "name");
    mjcf_element e;
    mjcf_site site = {.body = body};
    br_status status = br_mjcf_element_of(m, node, class, &e);
    site.element = e;
    if (status == BR_OK) status = br_mjcf_check(m, e, site_known);
    if (status == BR_OK) status = br_mjcf_pose(m, e, &site.pose);
    if (status == BR_OK) status = site_along(m, e, &site.pose);
    if (status != BR_OK || !given || !given[0]) return status; // nobody can name it
    if (X_BF) site.pose = br_pose_mul(*X_BF, site.pose);
    if (br_names_find(&m->given_sites, given) >= 0)
        return br_mjcf_fail(m, node, "mjcf-duplicate-name", "a <site> named '%.60s' was already given",
                            given);
    br_names none = {0};
    status = br_mjcf_free_name(m, &none, given, &site.name);
    if (status != BR_OK) return status;
    if (!BR_GROW(&m->arena, m->site, m->sites, m->site_capacity) ||
        br_names_add(&m->given_sites, &m->arena, given) != BR_OK)
        return br_mjcf_no_memory(m);
    m->site[m->sites++] = site;
    if (body < 0) return BR_OK;
    mjcf_body *b = &m->body[body];
    if (b->sites++ == 0)
        b->first_site = m->sites;
    else
        m->site[b->last_site - 1].next = m->sites;
    b->last_site = m->sites;
    return BR_OK;
}
