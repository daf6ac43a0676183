// MuJoCo: elliptic cones, the Newton solver; with its own defaults, and with the stiffest contact that did best here of
// those tried. Its contact is soft by design: what sticks creeps. Its `noslip` pass takes most of the creep out.
#include "contact_bench.h"

#ifdef BENCH_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace {

constexpr int noslip_iterations = 10;
constexpr double thickness = 1e-4; // m, half, of the cylinder that stands for a disk

struct world {
    mjModel *model = nullptr;
    mjData *data = nullptr;
    int first = 1; // body that is read
    int bodies = 1;
};

__attribute__((format(printf, 1, 2))) std::string text(const char *format, ...) {
    char line[1024];
    va_list values;
    va_start(values, format);
    std::vsnprintf(line, sizeof line, format, values);
    va_end(values);
    return line;
}

std::string geometry(const contact_body &b, const char *surface) {
    if (b.shape == CONTACT_BOX)
        return text("<geom type='box' size='%.17g %.17g %.17g' %s/>", b.size[0] / 2, b.size[1] / 2,
                    b.size[2] / 2, surface);
    if (b.shape == CONTACT_SPHERE) return text("<geom type='sphere' size='%.17g' %s/>", b.size[0], surface);
    return text("<geom type='cylinder' size='%.17g %.17g' zaxis='0 1 0' %s/>", b.size[0], thickness, surface);
}

std::string xml_of(const contact_scene *s, bool stiff) {
    const int contacts = 20 * (s->bodies + 1); // memory for them
    const double constant = s->tuning ? s->tuning->time_constant : 0;
    const std::string tuned = constant > 0 ? text("solref='%.17g 1'", constant) : "";
    const std::string surface = text("friction='%.17g 0 0' condim='3' %s", s->mu,
                                     stiff ? "solref='0.01 1' solimp='0.999 0.9999 0.001'" : tuned.c_str());
    const char *cone = s->tuning && constant == 0 ? "pyramidal" : "elliptic";
    std::string xml =
        text("<mujoco><option timestep='%.17g' gravity='%.17g %.17g %.17g' cone='%s' impratio='%d'/>\n"
             "<size nconmax='%d' njmax='%d'/><worldbody>\n<geom type='plane' size='0 0 1' %s/>\n",
             s->step, s->gravity[0], s->gravity[1], s->gravity[2], cone, stiff ? 10 : 1, contacts,
             3 * contacts, surface.c_str());
    for (int k = 0; k < s->bodies; k++) {
        const contact_body &b = s->body[k];
        xml += text("<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>"
                    "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                    b.position[0], b.position[1], b.position[2], b.rotation[0], b.rotation[1], b.rotation[2],
                    b.rotation[3], b.mass, b.inertia[0], b.inertia[1], b.inertia[2]);
        xml += geometry(b, surface.c_str()) + "</body>\n";
    }
    return xml + "</worldbody></mujoco>";
}

// The parser takes a file name; the virtual file system is how a text in memory gets one.
mjModel *parse(const std::string &xml, char *error, int size) {
    auto files = std::make_unique<mjVFS>();
    const char *name = "scene.xml";
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], xml.data(), xml.size());
    mjModel *model = mj_loadXML(name, files.get(), error, size);
    mj_deleteVFS(files.get());
    return model;
}

void *make(const contact_scene *scene, bool stiff) {
    if (scene->walls > 1) return nullptr;
    char error[256] = "";
    mjModel *model = scene->file ? mj_loadXML(scene->file, nullptr, error, sizeof error)
                                 : parse(xml_of(scene, stiff), error, sizeof error);
    if (!model) {
        std::fprintf(stderr, "MuJoCo: %s\n", error);
        return nullptr;
    }
    model->opt.noslip_iterations = stiff ? noslip_iterations : 0;
    if (scene->file) model->opt.cone = mjCONE_ELLIPTIC;
    auto *w = new world{model, mj_makeData(model), 1, scene->bodies};
    if (scene->file) return w;
    for (int k = 0; k < scene->bodies; k++) {
        const contact_body &b = scene->body[k];
        mjtNum *v = w->data->qvel + 6 * k, turned[3];
        mjtNum back[4];
        mju_copy(v, b.velocity, 3);
        mju_negQuat(back, b.rotation);
        mju_rotVecQuat(turned, b.angular, back); // angular velocity of a free joint is in body axes
        mju_copy(v + 3, turned, 3);
    }
    return w;
}

void *make_plain(const contact_scene *scene) {
    return make(scene, false);
}

void *make_stiff(const contact_scene *scene) {
    return scene->file ? nullptr : make(scene, true); // a file says itself how stiff
}

void step(void *opaque) {
    auto *w = static_cast<world *>(opaque);
    mj_step(w->model, w->data);
}

// qpos of free joints: position and quaternion; what xpos holds is of the step before.
void read(void *opaque, contact_state *state) {
    auto *w = static_cast<world *>(opaque);
    for (int k = 0; k < w->bodies; k++) {
        mju_copy(state[k].position, w->data->qpos + 7 * k, 3);
        mju_copy(state[k].rotation, w->data->qpos + 7 * k + 3, 4);
        mju_copy(state[k].velocity, w->data->qvel + 6 * k, 3);
    }
}

int contacts(void *opaque) {
    return static_cast<world *>(opaque)->data->ncon;
}

void destroy(void *opaque) {
    auto *w = static_cast<world *>(opaque);
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    delete w;
}

} // namespace

extern "C" const contact_engine contact_mujoco = {
    "MuJoCo",
    "mj_step (Newton), elliptic cones, otherwise its defaults; the humanoid's contacts as its file has them",
    make_plain,
    step,
    read,
    contacts,
    destroy};
extern "C" const contact_engine contact_mujoco_stiff = {
    "MuJoCo stiff", "the same with solref 10 ms, solimp 0.999 0.9999, impratio 10, 10 iterations of noslip",
    make_stiff,     step,
    read,           contacts,
    destroy};

#else
extern "C" const contact_engine contact_mujoco = absent_contact_engine("MuJoCo");
extern "C" const contact_engine contact_mujoco_stiff = absent_contact_engine("MuJoCo stiff");
#endif
