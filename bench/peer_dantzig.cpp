// ODE's Dantzig solver, through the header that DART installs: box friction, bounds taken from one frictionless pass.
// The diagonal gets DART's constraint force mixing, without which redundant contacts leave it nothing to pivot on.
#include "peer.h"

#ifdef BENCH_HAVE_DANTZIG

#include <dart/external/odelcpsolver/lcp.h>

#include <limits>
#include <vector>

namespace {

constexpr double force_mixing = 1e-5; // of the diagonal, as DART's contact constraint does

struct dantzig_state {
    const delassus *W;
    int n, stride;
    std::vector<double> dense, A, x, b, w, lo, hi;
    std::vector<int> findex;
};

void *prepare(const delassus *W, double, int) {
    auto *s = new dantzig_state;
    s->W = W;
    s->n = CONTACT_DIM * W->contacts;
    s->stride = s->n > 1 ? ((s->n - 1) | 3) + 1 : s->n; // rows padded to four
    s->dense.assign(static_cast<size_t>(s->n) * s->stride, 0.0);
    delassus_to_dense(W, s->dense.data(), s->stride);
    for (int i = 0; i < s->n; i++) s->dense[static_cast<size_t>(i) * s->stride + i] *= 1 + force_mixing;
    return s;
}

void reset(void *opaque) {
    auto *s = static_cast<dantzig_state *>(opaque);
    s->A = s->dense;
    s->x.assign(s->n, 0.0);
    s->w.assign(s->n, 0.0);
    s->b.resize(s->n);
    s->lo.resize(s->n);
    s->hi.resize(s->n);
    s->findex.resize(s->n);
    for (int i = 0; i < s->n; i++) {
        const bool normal = i % CONTACT_DIM == 0;
        const double mu = s->W->mu[i / CONTACT_DIM];
        s->b[i] = -s->W->q[i];
        s->lo[i] = normal ? 0.0 : -mu;
        s->hi[i] = normal ? std::numeric_limits<double>::infinity() : mu;
        s->findex[i] = normal ? -1 : i - i % CONTACT_DIM;
    }
}

int solve(void *opaque, double *p, int *iterations) {
    auto *s = static_cast<dantzig_state *>(opaque);
    const bool solved =
        dart::external::ode::dSolveLCP(s->n, s->A.data(), s->x.data(), s->b.data(), s->w.data(), 0,
                                       s->lo.data(), s->hi.data(), s->findex.data());
    for (int i = 0; i < s->n; i++) p[i] = s->x[i];
    *iterations = 0;
    return solved;
}

void release(void *opaque) {
    delete static_cast<dantzig_state *>(opaque);
}

} // namespace

#else
static constexpr decltype(peer::prepare) prepare = nullptr;
static constexpr decltype(peer::reset) reset = nullptr;
static constexpr decltype(peer::solve) solve = nullptr;
static constexpr decltype(peer::release) release = nullptr;
#endif

extern "C" const peer peer_dantzig = {
    "Dantzig",  "ODE's, as DART ships it: box friction, bounds from a frictionless pass",
    PEER_OTHER, {{"dense W", 1200}},
    prepare,    reset,
    solve,      release};
