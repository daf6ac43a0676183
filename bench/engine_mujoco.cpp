// MuJoCo: mass matrix by composite bodies, sparse factorization, loops as soft equality constraints.
#include "engine_bench.h"

#ifdef BENCH_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace {

struct world {
    mjModel *model = nullptr;
    mjData *data = nullptr;
};

__attribute__((format(printf, 1, 2))) std::string text(const char *format, ...) {
    char line[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(line, sizeof line, format, values);
    va_end(values);
    return line;
}

// The parser takes a file name; the virtual file system is how a text in memory gets one.
void *load(const std::string &xml, const char *name) {
    auto files = std::make_unique<mjVFS>();
    char error[256] = "";
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], xml.data(), xml.size());
    mjModel *model = mj_loadXML(name, files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model) {
        std::fprintf(stderr, "MuJoCo: %s\n", error);
        return nullptr;
    }
    model->opt.timestep = STEP_SIZE;
    model->opt.disableflags |= mjDSBL_CONTACT;
    return new world{model, mj_makeData(model)};
}

// As URDF, whose links are listed and not nested: the XML parser refuses MJCF bodies 500 deep.
void *make_chain(int links) {
    std::string xml = "<robot name='chain'><link name='base'/>\n";
    for (int i = 0; i < links; i++) {
        xml +=
            text("<link name='l%d'><inertial><origin xyz='0 0 %.17g'/><mass value='%.17g'/>"
                 "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/></inertial></link>\n",
                 i, -ROD_LENGTH / 2, ROD_MASS, ROD_INERTIA, ROD_INERTIA, ROD_AXIAL_INERTIA);
        xml += text("<joint name='j%d' type='continuous'><parent link='%s'/><child link='l%d'/>"
                    "<origin xyz='0 0 %.17g'/><axis xyz='%s'/></joint>\n",
                    i, i ? text("l%d", i - 1).c_str() : "base", i, i ? -ROD_LENGTH : 0.0,
                    chain_axis(i) ? "0 1 0" : "1 0 0");
    }
    return load(xml + "</robot>", "chain.urdf");
}

void set_state(void *opaque, const double *q, const double *v) {
    auto *w = static_cast<world *>(opaque);
    mj_resetData(w->model, w->data);
    mju_copy(w->data->qpos, q, w->model->nq);
    mju_copy(w->data->qvel, v, w->model->nv);
}

// solref, solimp: as stiff as MuJoCo lets them be at this step (time constant 2 h, impedance 0.9999). Its
// defaults are ten times softer in time and let the loops open by centimetres.
void *make_fourbar(int loops) {
    const std::string inertia =
        text("mass='%.17g' diaginertia='%.17g %.17g %.17g'", ROD_MASS, ROD_INERTIA, ROD_INERTIA, ROD_INERTIA);
    std::string xml = text("<mujoco><option gravity='0 %.17g 0'/><worldbody>\n", -GRAVITY), equality;
    for (int i = 0; i <= loops; i++) {
        xml += text("<body name='u%d' pos='%.17g 0 0'><joint axis='0 0 1'/><inertial pos='0 %.17g 0' %s/>\n",
                    i, i * ROD_LENGTH, ROD_LENGTH / 2, inertia.c_str());
        if (i < loops) {
            xml += text(
                "<body name='l%d' pos='0 %.17g 0'><joint axis='0 0 1'/><inertial pos='%.17g 0 0' %s/></body>",
                i, ROD_LENGTH, ROD_LENGTH / 2, inertia.c_str());
            equality += text("<connect body1='l%d' body2='u%d' anchor='%.17g 0 0' solref='%.17g 1' "
                             "solimp='0.9999 0.9999 0.001'/>\n",
                             i, i + 1, ROD_LENGTH, 2 * STEP_SIZE);
        }
        xml += "</body>\n";
    }
    auto *w = static_cast<world *>(
        load(xml + "</worldbody><equality>" + equality + "</equality></mujoco>", "fourbar.xml"));
    if (w) fourbar_start(loops, w->data->qpos, w->data->qvel);
    return w;
}

void get_state(void *opaque, double *q, double *v) {
    auto *w = static_cast<world *>(opaque);
    mju_copy(q, w->data->qpos, w->model->nq);
    mju_copy(v, w->data->qvel, w->model->nv);
}

void forward(void *opaque, const double *q, const double *v, const double *tau, double *a) {
    auto *w = static_cast<world *>(opaque);
    mju_copy(w->data->qpos, q, w->model->nq);
    mju_copy(w->data->qvel, v, w->model->nv);
    mju_copy(w->data->qfrc_applied, tau, w->model->nv);
    mj_forward(w->model, w->data);
    mju_copy(a, w->data->qacc, w->model->nv);
}

void step(void *opaque) {
    auto *w = static_cast<world *>(opaque);
    mj_step(w->model, w->data);
}

void destroy(void *opaque) {
    auto *w = static_cast<world *>(opaque);
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    delete w;
}

} // namespace

extern "C" const engine engine_mujoco = {
    "MuJoCo",
    "mj_forward, mj_step (Euler, Newton); loops: equality connect, solref 2 h,"
    " solimp 0.9999",
    make_chain,
    make_fourbar,
    set_state,
    get_state,
    forward,
    step,
    destroy};

#else
extern "C" const engine engine_mujoco = absent_engine("MuJoCo");
#endif
