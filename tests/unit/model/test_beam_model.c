// Beams and clearances as a model has them: meshes, names, frames, masses, what is added to bodies and joints.
#include <math.h>

#include "counting_allocator.h"
#include "flex/line.h"
#include "model/model.h"
#include "models.h"

static br_beam_def a_beam(const char *name, const br_vec3 *points, int count) {
    br_beam_def def = br_default_beam_def();
    def.name = name;
    def.points = points;
    def.point_count = count;
    def.section.EA = 1e6, def.section.GA_y = 3e5, def.section.GA_z = 4e5;
    def.section.GJ = 80.0, def.section.EI_y = 100.0, def.section.EI_z = 120.0;
    def.section.mass = 2.0;
    return def;
}

static const br_vec3 straight[2] = {{0.0, 0.0, 0.0}, {6.0, 0.0, 0.0}};

static void put_beam(br_builder *b, br_beam_def def) {
    br_error error = {0};
    if (br_builder_beam(b, &def, &error) != BR_OK) fail_msg("%s", error.message);
}

static br_clearance_def a_clearance(const char *name, br_clearance_type type, const char *first,
                                    const char *second) {
    br_clearance_def def = br_default_clearance_def();
    def.name = name;
    def.type = type;
    def.first = first;
    def.second = second;
    def.outer_radius = 0.021;
    def.inner_radius = 0.020;
    def.stiffness = 1e6;
    return def;
}

static void put_clearance(br_builder *b, br_clearance_def def) {
    br_error error = {0};
    if (br_builder_clearance(b, &def, &error) != BR_OK) fail_msg("%s", error.message);
}

static void put_force(br_builder *b, const char *name, const char *body) {
    br_load_def load = br_default_load_def();
    br_error error = {0};
    load.name = name;
    load.first = body;
    if (br_builder_load(b, &load, &error) != BR_OK) fail_msg("%s", error.message);
}

// The pose of the node's own frame at the start, from the tree's coordinates: free nodes of a spatial model stand alone.
static br_pose free_node(const br_model *m, int beam, int node) {
    const int link = m->beam[beam].link[node];
    const double *q = m->q_start + m->tree.link[link].q_at;
    assert_int_equal(m->joint[m->link_joint[link]].type, BR_JOINT_FREE);
    return br_pose_of(br_quat_of(q[3], q[4], q[5], q[6]), br_vec3_of(q[0], q[1], q[2]));
}

// --- meshes ------------------------------------------------------------------------------------------------

static void an_even_mesh_has_its_elements(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_beam_def def = a_beam("shaft", straight, 2);
    def.elements = 24;
    put_beam(b, def);
    put_force(b, "a", "shaft.s0.5");
    put_force(b, "b", "shaft.s0.0416667"); // the name of node 1, as a result has it
    put_force(b, "c", "shaft.s1");
    br_model *m = compiled(b);
    assert_int_equal(m->beams, 1);
    assert_int_equal(m->beam[0].nodes, 25);
    assert_int_equal(br_model_beam_elements(m, 0), 24);
    for (int k = 0; k <= 24; k++) {
        assert_true(m->beam[0].station[k] == k / 24.0); // to the bit, though a name was rounded
        const br_pose X = free_node(m, 0, k);
        assert_near(X.position.x, 6.0 * k / 24.0, 1e-14);
    }
    assert_string_equal(br_model_body_name(m, 0), "shaft.s0");
    assert_string_equal(br_model_body_name(m, 1), "shaft.s0.0416667");
    assert_string_equal(br_model_body_name(m, 24), "shaft.s1");
    assert_int_equal(br_model_body_beam(m, 24), 0);
    br_model_destroy(m);
}

static void named_stations_are_nodes(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_beam_def def = a_beam("shaft", straight, 2);
    def.elements = 10;
    put_beam(b, def);
    put_force(b, "a", "shaft.s0.33");
    put_force(b, "b", "shaft.s0.330"); // the same
    br_model *m = compiled(b);
    // 4 elements on 0.33, 7 on 0.67.
    assert_int_equal(m->beam[0].nodes, 12);
    assert_true(m->beam[0].station[4] == 0.33);
    assert_near(m->beam[0].station[1], 0.0825, 1e-15);
    double length = 0.0, mass = 0.0;
    for (int k = 0; k < 11; k++) length += m->beam[0].element[k].length;
    for (int k = 0; k < 12; k++) mass += br_model_body_mass(m, k);
    assert_near(length, 6.0, 1e-13);
    assert_near(mass, 12.0, 1e-13);
    assert_true(br_model_body_find(m, "shaft.s0.33") >= 0);
    br_model_destroy(m);
}

// Naming a node of an uneven mesh by its six digits changes nothing.
static void a_node_can_be_named_after_the_fact(void **state) {
    (void)state;
    static const br_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0.7, 0}, {1, 0.7, 0.4}};
    char name[BR_MAX_NAME] = "";
    int nodes = 0;
    for (int pass = 0; pass < 2; pass++) {
        br_builder *b = new_builder();
        br_beam_def def = a_beam("frame", corners, 4);
        def.elements = 13;
        put_beam(b, def);
        if (pass == 1) put_force(b, "f", name);
        br_model *m = compiled(b);
        if (pass == 0) nodes = m->beam[0].nodes;
        assert_int_equal(m->beam[0].nodes, nodes);
        snprintf(name, sizeof name, "%s", br_model_body_name(m, 3));
        br_model_destroy(m);
    }
}

static void stations_one_digit_apart_are_two_nodes(void **state) {
    (void)state;
    br_builder *b = new_builder();
    static const br_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {3.00001234, 0, 1}};
    put_beam(b, a_beam("frame", corners, 3));
    put_force(b, "f", "frame.s0.5");
    put_force(b, "g", "frame.s0.500001"); // one last digit away: two nodes
    br_model *m = compiled(b);
    assert_true(br_model_body_find(m, "frame.s0.500001") >= 0);
    br_model_destroy(m);
}

static void a_big_mesh_compiles(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_beam_def def = a_beam("cable", straight, 2);
    def.elements = 20000;
    put_beam(b, def);
    br_model *m = compiled(b);
    assert_int_equal(m->beam[0].nodes, 20001);
    assert_int_equal(br_model_body_find(m, "cable.s0.5"), 10000);
    br_model_destroy(m);
}

// --- frames ------------------------------------------------------------------------------------------------

// Strain of each element where the links are at the start: none, whatever the frames of the links are.
static double largest_strain(const br_model *m, int beam, const br_pose *X_WL) {
    double largest = 0.0;
    for (int k = 0; k + 1 < m->beam[beam].nodes; k++) {
        br_beam_ends ends;
        double strain[6];
        for (int i = 0; i < 2; i++) {
            const br_pose X = X_WL[m->beam[beam].link[k + i]];
            ends.x[i] = X.position;
            ends.R[i] = br_quat_to_mat3(X.rotation);
        }
        br_beam_strain(&m->beam[beam].element[k], &ends, strain);
        for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(strain[i]));
    }
    return largest;
}

// World poses of the links at q_start.
static void start_poses(const br_model *m, br_pose *X_WL) {
    for (int i = 0; i < m->tree.links; i++) {
        const br_link *link = &m->tree.link[i];
        br_joint_motion motion;
        memset(&motion, 0, sizeof motion);
        link->kind->pose(link->parameter, m->q_start + link->q_at, &motion);
        if (link->reversed) br_joint_reverse(link->kind->nv, &motion);
        const br_pose X_WP = link->parent < 0 ? br_pose_identity() : X_WL[link->parent];
        const br_pose X_PJ = br_pose_of(br_quat_from_mat3(link->R_PJ), link->p_PJ);
        const br_pose X_JL = br_pose_of(br_quat_from_mat3(motion.R_FM), motion.p_FM);
        X_WL[i] = br_pose_mul(br_pose_mul(X_WP, X_PJ), X_JL);
    }
}

enum { MOST_LINKS = 64 };

// Corners, curves, twist, attachments to bodies that stand at an angle, joints with frames of their own: at the start
// nothing is strained. 1e-12: rotations of a few elements of length 0.1, whose strains divide by it.
static void nothing_is_strained_at_the_start(void **state) {
    (void)state;
    static const br_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5}};
    static const br_vec3 bow[3] = {{0, 0, 1}, {1, 0.4, 1.3}, {2, 0, 1}};
    static const br_vec3 snake[4] = {{0, 2, 0}, {1, 2.5, 0}, {2, 2, 0.5}, {3, 2, 0}};
    for (int attached = 0; attached < 2; attached++) {
        br_builder *b = new_builder();
        br_body_def body = a_body("block", 1.3, -0.2, 0.4);
        body.pose.rotation = br_quat_exp(br_vec3_of(0.4, -0.7, 1.1));
        put_body(b, body);
        br_beam_def frame = a_beam("frame", corners, 3), arc = a_beam("arc", bow, 3),
                    wave = a_beam("wave", snake, 4);
        const br_attach_def fixed[2] = {{0.0, BR_WORLD}, {1.0, "block"}}, to_beam[1] = {{0.37, "frame.s0.5"}};
        arc.line = BR_LINE_ARC;
        wave.line = BR_LINE_SPLINE;
        arc.twist = 1.2;
        wave.up = br_vec3_of(0.1, 0.3, 1.0);
        if (attached) {
            frame.attach = fixed, frame.attach_count = 2;
            arc.attach = to_beam, arc.attach_count = 1;
        }
        put_beam(b, frame);
        put_beam(b, arc);
        put_beam(b, wave);
        if (attached) {
            br_pose X;
            assert_true(br_builder_pose(b, "wave.s0.25", &X));
            put_joint_at(b, a_joint("hinge", BR_JOINT_REVOLUTE, "block", "wave.s0.25"), X.position,
                         br_vec3_of(1.0, 2.0, -0.5));
            put_joint_at(b, a_joint("pin", BR_JOINT_REVOLUTE, "wave.s1", BR_WORLD), br_vec3_of(3.1, 2.0, 0.0),
                         br_vec3_of(0.0, 0.3, 1.0));
        }
        br_model *m = compiled(b);
        br_pose X_WL[MOST_LINKS];
        assert_true(m->tree.links <= MOST_LINKS);
        start_poses(m, X_WL);
        for (int k = 0; k < 3; k++) assert_near(largest_strain(m, k, X_WL), 0.0, 1e-12);
        assert_string_equal(br_model_notes(m), ""); // nothing had to be moved either
        br_model_destroy(m);
    }
}

// A link's frame is its joint's, so the same beam under other joints has other Q and p, and the same forces: the strain
// after one and the same motion of the nodes.
static void elements_know_their_links_frames(void **state) {
    (void)state;
    double strain[2][6];
    for (int hinged = 0; hinged < 2; hinged++) {
        br_builder *b = new_builder();
        br_beam_def def = a_beam("shaft", straight, 2);
        def.elements = 1;
        put_beam(b, def);
        if (hinged)
            put_joint_at(b, a_joint("R", BR_JOINT_SPHERICAL, BR_WORLD, "shaft.s1"), br_vec3_of(5.0, 1.0, 2.0),
                         br_vec3_of(1.0, 1.0, 1.0));
        br_model *m = compiled(b);
        const br_model_beam *beam = &m->beam[0];
        // Node 1 moved and turned; of either model, in the world.
        const br_pose moved = br_pose_of(br_quat_exp(br_vec3_of(0.2, 0.3, -0.4)), br_vec3_of(5.7, 0.6, 0.3));
        br_beam_ends ends;
        for (int i = 0; i < 2; i++) {
            const br_model_body *body = &m->body[beam->first_body + i];
            const br_pose X_WB = i ? moved : br_pose_identity();
            const br_pose X_WL = br_pose_mul(X_WB, br_pose_inverse(body->X_LB));
            ends.x[i] = X_WL.position;
            ends.R[i] = br_quat_to_mat3(X_WL.rotation);
        }
        br_beam_strain(&beam->element[0], &ends, strain[hinged]);
        if (hinged) assert_true(br_vec3_norm(beam->element[0].p[1]) > 1.0);
        br_model_destroy(m);
    }
    assert_true(fabs(strain[0][5]) > 0.01);
    for (int i = 0; i < 6; i++) assert_near(strain[1][i], strain[0][i], 1e-14); // products of a few rotations
}

// At a corner the node has the frame of the piece before it, and the element after it knows the turn.
static void corners_keep_their_angle(void **state) {
    (void)state;
    static const br_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    br_builder *b = new_builder();
    br_beam_def def = a_beam("frame", corners, 3);
    def.elements = 2;
    put_beam(b, def);
    br_model *m = compiled(b);
    assert_int_equal(m->beam[0].nodes, 3);
    const br_pose X = free_node(m, 0, 1);
    assert_near(br_pose_vector(X, br_vec3_unit(0)).x, 1.0, 1e-15);
    const br_vec3 after = br_mat3_column(m->beam[0].element[1].Q[0], 0);
    assert_near(after.y, 1.0, 1e-15);
    assert_near(after.x, 0.0, 1e-15);
    assert_near(br_mat3_column(m->beam[0].element[0].Q[1], 0).x, 1.0, 1e-15);
    br_model_destroy(m);
}

static void masses_are_halves_of_the_elements(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_beam_def def = a_beam("shaft", straight, 2);
    def.elements = 3;
    def.section.offset_z = 0.001;
    def.section.inertia[0] = 2e-3, def.section.inertia[1] = def.section.inertia[2] = 1e-3;
    put_beam(b, def);
    br_model *m = compiled(b);
    const double mass[4] = {2.0, 4.0, 4.0, 2.0};
    for (int k = 0; k < 4; k++) {
        assert_near(br_model_body_mass(m, k), mass[k], 1e-14);
        assert_near(m->body[k].com_B.z, 0.001, 1e-18);
        const br_link *link = &m->tree.link[m->beam[0].link[k]];
        // About the node's origin: polar inertia and the offset's part.
        assert_near(link->inertia_L.xx, mass[k] / 2.0 * 2e-3 + mass[k] * 1e-6, 1e-15);
    }
    br_model_destroy(m);
}

static void a_rigid_motion_is_the_nodes(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_beam_def def = a_beam("shaft", straight, 2);
    def.elements = 4;
    def.has_velocity = 1;
    def.velocity = br_vec3_of(0.0, 1.0, 0.0);
    def.angular_velocity = br_vec3_of(0.0, 0.0, 2.0);
    put_beam(b, def);
    br_model *m = compiled(b);
    for (int k = 0; k <= 4; k++) {
        const double *v = m->v_start + m->tree.link[m->beam[0].link[k]].v_at;
        assert_near(v[1], 1.0 + 2.0 * (1.5 * k - 3.0), 1e-13);
        assert_near(v[5], 2.0, 1e-14);
    }
    br_model_destroy(m);
}

// --- attachments -------------------------------------------------------------------------------------------

static void attachments_are_welds(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_body(b, a_body("disk", 3.0, 0.5, 0.0));
    br_beam_def def = a_beam("shaft", straight, 2);
    const br_attach_def attach[2] = {{0.0, BR_WORLD}, {0.5, "disk"}};
    def.attach = attach;
    def.attach_count = 2;
    put_beam(b, def);
    br_model *m = compiled(b);
    const int first = br_model_joint_find(m, "shaft.attach_0"),
              second = br_model_joint_find(m, "shaft.attach_0.5");
    assert_true(first >= 0 && second >= 0);
    assert_int_equal(br_model_joint_type(m, first), BR_JOINT_WELD);
    assert_int_equal(m->joint[first].first, -1);
    assert_int_equal(m->beam_node[m->joint[second].second], 1);
    assert_int_equal(m->beam_node[m->body[0].link], 0);
    assert_near(m->joint[second].X_AF.position.y, -0.5, 1e-15);
    assert_int_equal(br_model_nv(m), 6 + 9 * 6); // the disk with its node, nine free nodes, one fixed
    br_model_destroy(m);
}

// --- planar models -----------------------------------------------------------------------------------------

static void beams_of_planar_models_stay_in_the_plane(void **state) {
    (void)state;
    for (int plane = BR_PLANAR_XY; plane <= BR_PLANAR_YZ; plane++) {
        const br_vec3 n = br_planar_normal((br_planar)plane);
        br_builder *b = new_builder();
        br_settings settings = br_default_settings();
        settings.planar = (br_planar)plane;
        assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
        // Two directions in the plane, one of them along z where the plane has it.
        const br_vec3 u = br_vec3_of(n.y, n.z, n.x), w = br_vec3_of(n.z, n.x, n.y);
        const br_vec3 points[3] = {br_vec3_zero(), u, br_vec3_add(u, br_vec3_add_scaled(w, 0.5, u))};
        br_beam_def def = a_beam("frame", points, 3);
        const br_attach_def attach[1] = {{0.0, BR_WORLD}};
        def.attach = attach;
        def.attach_count = 1;
        def.elements = 4;
        put_beam(b, def);
        br_model *m = compiled(b);
        assert_int_equal(br_model_nv(m), 3 * (m->beam[0].nodes - 1));
        br_pose X_WL[MOST_LINKS];
        start_poses(m, X_WL);
        assert_near(largest_strain(m, 0, X_WL), 0.0, 1e-12);
        br_model_destroy(m);
    }
}

// --- clearances --------------------------------------------------------------------------------------------

static void a_journal_is_two_disks(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_body(b, a_body("pin", 0.0, 0.0, 0.0));
    br_clearance_def def = a_clearance("T", BR_CLEARANCE_JOURNAL, BR_WORLD, "pin");
    def.length = 0.08;
    def.X_AF = def.X_BM =
        br_pose_of(br_quat_from_axis_angle(br_vec3_unit(1), 0.5 * BR_PI), br_vec3_of(1, 0, 0));
    put_clearance(b, def);
    br_model *m = compiled(b);
    assert_int_equal(br_model_clearance_count(m), 2);
    assert_string_equal(br_model_clearance_name(m, 0), "T.a");
    assert_string_equal(br_model_clearance_name(m, 1), "T.b");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(br_model_clearance_type(m, k), BR_CLEARANCE_SPATIAL);
        assert_near(m->clearance[k].X_BM.position.x, 1.0 + (k ? 0.04 : -0.04),
                    1e-15); // z of the race is x here
        assert_near(m->clearance[k].X_AF.position.x, 1.0 + (k ? 0.04 : -0.04), 1e-15);
    }
    assert_int_equal(br_model_joint_count(m), 1); // pin.free
    br_model_destroy(m);
}

static void a_planar_clearance_brings_its_plane(void **state) {
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        br_builder *b = new_builder();
        br_settings settings = br_default_settings();
        settings.planar = planar ? BR_PLANAR_XY : BR_SPATIAL;
        assert_int_equal(br_builder_settings(b, &settings, NULL), BR_OK);
        put_body(b, a_body("pin", 0.0, 0.0, 0.0));
        put_clearance(b, a_clearance("T", BR_CLEARANCE_PLANAR, BR_WORLD, "pin"));
        br_model *m = compiled(b);
        assert_int_equal(br_model_joint_find(m, "T.plane") >= 0, !planar);
        assert_int_equal(br_model_nv(m), 3);
        assert_int_equal(m->clearance[0].law.kind, BR_NORMAL_LINEAR);
        assert_near(m->clearance[0].law.exponent, 1.0, 0.0);
        br_model_destroy(m);
    }
}

// Frames of the races are in those of the links: at the start both are where they were given.
static void races_are_where_they_were_put(void **state) {
    (void)state;
    br_builder *b = new_builder();
    put_beam(b, a_beam("shaft", straight, 2));
    br_body_def block = a_body("block", 5.0, 1.0, 0.0);
    block.pose.rotation = br_quat_exp(br_vec3_of(0.3, 0.2, 0.1));
    put_body(b, block);
    put_joint_at(b, a_joint("R", BR_JOINT_REVOLUTE, BR_WORLD, "block"), br_vec3_of(5.0, 2.0, 0.0),
                 br_vec3_of(1.0, 0.0, 1.0));
    br_clearance_def def = a_clearance("T", BR_CLEARANCE_SPATIAL, "block", "shaft.s1");
    const br_pose X_WT = br_pose_of(br_quat_exp(br_vec3_of(0.0, 1.2, 0.0)), br_vec3_of(6.0, 0.0, 0.0));
    br_pose X_W[2];
    assert_true(br_builder_pose(b, "block", &X_W[0]) && br_builder_pose(b, "shaft.s1", &X_W[1]));
    def.X_AF = br_pose_between(X_W[0], X_WT);
    def.X_BM = br_pose_between(X_W[1], X_WT);
    def.friction.law = BR_FRICTION_LUGRE;
    def.friction.mu_kinetic = 0.3;
    put_clearance(b, def);
    br_model *m = compiled(b);
    br_pose X_WL[MOST_LINKS];
    start_poses(m, X_WL);
    const br_model_clearance *c = &m->clearance[0];
    const br_pose F = br_pose_mul(X_WL[c->first], c->X_AF), M = br_pose_mul(X_WL[c->second], c->X_BM);
    assert_near(br_vec3_distance(F.position, X_WT.position), 0.0, 1e-14);
    assert_near(br_vec3_distance(M.position, X_WT.position), 0.0, 1e-14);
    assert_near(br_quat_angle(F.rotation, X_WT.rotation), 0.0,
                1e-7); // the angle of two quaternions: square root
    assert_near(br_quat_angle(M.rotation, X_WT.rotation), 0.0, 1e-7);
    assert_near(c->friction.mu_static, 0.3, 0.0);
    br_model_destroy(m);
}

static void bodies_of_a_clearance_never_collide(void **state) {
    (void)state;
    br_builder *b = new_builder();
    br_shape_def ball = {0};
    ball.type = BR_SHAPE_SPHERE;
    ball.size.x = 0.1;
    ball.pose = br_pose_identity();
    const char *names[2] = {"a", "b"};
    for (int k = 0; k < 2; k++) {
        br_body_def body = a_body(names[k], 0.0, 0.0, 0.0);
        body.shapes = &ball;
        body.shape_count = 1;
        put_body(b, body);
    }
    put_clearance(b, a_clearance("T", BR_CLEARANCE_SPHERICAL, "a", "b"));
    br_model *m = compiled(b);
    assert_int_equal(m->contacts_possible, 0);
    br_model_destroy(m);
}

// --- the hash ----------------------------------------------------------------------------------------------

static uint64_t hash_of(const br_beam_def *beam, const br_clearance_def *clearance,
                        const br_adaptive_settings *adaptive) {
    br_builder *b = new_builder();
    br_settings settings = br_default_settings();
    settings.solver.adaptive = *adaptive;
    br_error error = {0};
    if (br_builder_settings(b, &settings, &error) != BR_OK) fail_msg("%s", error.message);
    put_body(b, a_body("pin", 0.0, 0.0, 0.0));
    if (beam) put_beam(b, *beam);
    if (clearance) put_clearance(b, *clearance);
    br_model *m = compiled(b);
    const uint64_t hash = br_model_hash(m);
    br_model_destroy(m);
    return hash;
}

static void everything_that_decides_a_result_is_in_the_hash(void **state) {
    (void)state;
    enum { CASES = 24 };
    uint64_t seen[CASES];
    int count = 0;
    const br_beam_def beam = a_beam("shaft", straight, 2);
    const br_clearance_def race = a_clearance("T", BR_CLEARANCE_SPHERICAL, BR_WORLD, "pin");
    br_adaptive_settings off = br_default_adaptive_settings(), on = off;
    on.on = 1;
    seen[count++] = hash_of(NULL, NULL, &off);
    seen[count++] = hash_of(&beam, NULL, &off);
    seen[count++] = hash_of(NULL, &race, &off);
    seen[count++] = hash_of(&beam, &race, &off);
    br_beam_def b = beam;
    b.elements = 11, seen[count++] = hash_of(&b, NULL, &off), b = beam;
    b.damping = 1e-4, seen[count++] = hash_of(&b, NULL, &off), b = beam;
    b.twist = 0.1, seen[count++] = hash_of(&b, NULL, &off), b = beam;
    b.section.EI_z = 121.0, seen[count++] = hash_of(&b, NULL, &off), b = beam;
    b.section.offset_y = 1e-3, seen[count++] = hash_of(&b, NULL, &off), b = beam;
    b.up = br_vec3_unit(1), seen[count++] = hash_of(&b, NULL, &off), b = beam;
    const br_attach_def attach = {0.0, BR_WORLD};
    b.attach = &attach, b.attach_count = 1, seen[count++] = hash_of(&b, NULL, &off), b = beam;
    b.has_velocity = 1, seen[count++] = hash_of(&b, NULL, &off);
    br_clearance_def c = race;
    c.inner_radius = 0.0201, seen[count++] = hash_of(NULL, &c, &off), c = race;
    c.stiffness = 2e6, seen[count++] = hash_of(NULL, &c, &off), c = race;
    c.law = "hertz", seen[count++] = hash_of(NULL, &c, &off), c = race;
    c.friction.law = BR_FRICTION_LUGRE, c.friction.mu_static = 0.1, seen[count++] = hash_of(NULL, &c, &off);
    seen[count++] = hash_of(NULL, NULL, &on);
    br_adaptive_settings a = on;
    a.epsilon_p = 1e-6, seen[count++] = hash_of(NULL, NULL, &a), a = on;
    a.tolerance = 1e-6, seen[count++] = hash_of(NULL, NULL, &a), a = on;
    a.friction = 0, seen[count++] = hash_of(NULL, NULL, &a), a = on;
    a.smallest = 1e-9, seen[count++] = hash_of(NULL, NULL, &a);
    assert_true(count <= CASES);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (seen[i] == seen[k]) fail_msg("cases %d and %d have the same hash", k, i);
    a = off, a.epsilon_p = 1.0; // of steps that do not vary
    assert_true(hash_of(NULL, NULL, &a) == seen[0]);
}

// --- memory ------------------------------------------------------------------------------------------------

// Each allocation may fail: there is an error, nothing is lost, never a crash.
static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_builder *b = NULL;
        br_model *m = NULL;
        br_beam_def beam = a_beam("shaft", straight, 2);
        const br_attach_def attach = {0.0, BR_WORLD};
        beam.attach = &attach, beam.attach_count = 1, beam.elements = 40;
        br_clearance_def race = a_clearance("T", BR_CLEARANCE_JOURNAL, BR_WORLD, "shaft.s1");
        race.length = 0.1;
        br_status status = br_builder_create(&allocator, &b, NULL);
        if (status == BR_OK) status = br_builder_beam(b, &beam, NULL);
        if (status == BR_OK) status = br_builder_clearance(b, &race, NULL);
        if (status == BR_OK) status = br_model_create(b, &m, NULL);
        assert_int_equal(status, counter.failed ? BR_NO_MEMORY : BR_OK);
        br_model_destroy(m);
        br_builder_destroy(b);
        assert_int_equal(counter.live, 0);
        if (!counter.failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_even_mesh_has_its_elements),
        cmocka_unit_test(named_stations_are_nodes),
        cmocka_unit_test(a_node_can_be_named_after_the_fact),
        cmocka_unit_test(stations_one_digit_apart_are_two_nodes),
        cmocka_unit_test(a_big_mesh_compiles),
        cmocka_unit_test(nothing_is_strained_at_the_start),
        cmocka_unit_test(elements_know_their_links_frames),
        cmocka_unit_test(corners_keep_their_angle),
        cmocka_unit_test(masses_are_halves_of_the_elements),
        cmocka_unit_test(a_rigid_motion_is_the_nodes),
        cmocka_unit_test(attachments_are_welds),
        cmocka_unit_test(beams_of_planar_models_stay_in_the_plane),
        cmocka_unit_test(a_journal_is_two_disks),
        cmocka_unit_test(a_planar_clearance_brings_its_plane),
        cmocka_unit_test(races_are_where_they_were_put),
        cmocka_unit_test(bodies_of_a_clearance_never_collide),
        cmocka_unit_test(everything_that_decides_a_result_is_in_the_hash),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
