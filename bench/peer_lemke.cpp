// DART's Lemke on the polygon LCP: for each contact p_n, one unknown for each of four directions, and the slip speed.
//
//     w = [ N^T W N   N^T W D   0 ] z + [ N^T q ]
//         [ D^T W N   D^T W D   E ]     [ D^T q ]
//         [ mu        -E^T      0 ]     [   0   ]
#include "peer.h"

#ifdef BENCH_HAVE_LEMKE

#include <dart/lcpsolver/Lemke.hpp>

#include <vector>

namespace {

constexpr int directions = 4;
constexpr double cosine[directions] = {1, 0, -1, 0}, sine[directions] = {0, 1, 0, -1};

struct lemke_state {
    int contacts;
    Eigen::MatrixXd M;
    Eigen::VectorXd q, z;
};

// Row of W's space that unknown k of the LCP pushes along: columns n, then the directions.
Eigen::MatrixXd generators(int contacts) {
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(CONTACT_DIM * contacts, (1 + directions) * contacts);
    for (int c = 0; c < contacts; c++) {
        G(CONTACT_DIM * c, c) = 1;
        for (int k = 0; k < directions; k++) {
            const int column = contacts + directions * c + k;
            G(CONTACT_DIM * c + 1, column) = cosine[k];
            G(CONTACT_DIM * c + 2, column) = sine[k];
        }
    }
    return G;
}

void *prepare(const delassus *W, double, int) {
    const int nc = W->contacts, rows = CONTACT_DIM * nc, unknowns = (1 + directions) * nc;
    auto *s = new lemke_state;
    s->contacts = nc;
    std::vector<double> dense(static_cast<size_t>(rows) * rows, 0.0);
    delassus_to_dense(W, dense.data(), rows);
    const Eigen::Map<Eigen::MatrixXd> full(dense.data(), rows, rows); // symmetric: row-major is column-major
    const Eigen::Map<const Eigen::VectorXd> q(W->q, rows);
    const Eigen::MatrixXd G = generators(nc);
    s->M = Eigen::MatrixXd::Zero(unknowns + nc, unknowns + nc);
    s->M.topLeftCorner(unknowns, unknowns) = G.transpose() * full * G;
    s->q = Eigen::VectorXd::Zero(unknowns + nc);
    s->q.head(unknowns) = G.transpose() * q;
    for (int c = 0; c < nc; c++) {
        s->M(unknowns + c, c) = W->mu[c];
        for (int k = 0; k < directions; k++) {
            s->M(nc + directions * c + k, unknowns + c) = 1;
            s->M(unknowns + c, nc + directions * c + k) = -1;
        }
    }
    return s;
}

void reset(void *opaque) {
    auto *s = static_cast<lemke_state *>(opaque);
    s->z = Eigen::VectorXd::Zero(s->q.size());
}

int solve(void *opaque, double *p, int *iterations) {
    auto *s = static_cast<lemke_state *>(opaque);
    const int error = dart::lcpsolver::Lemke(s->M, s->q, &s->z);
    for (int c = 0; c < s->contacts; c++) {
        p[CONTACT_DIM * c] = s->z[c];
        p[CONTACT_DIM * c + 1] = p[CONTACT_DIM * c + 2] = 0;
        for (int k = 0; k < directions; k++) {
            const double along = s->z[s->contacts + directions * c + k];
            p[CONTACT_DIM * c + 1] += cosine[k] * along;
            p[CONTACT_DIM * c + 2] += sine[k] * along;
        }
    }
    *iterations = 0;
    return error == 0 && dart::lcpsolver::validate(s->M, s->z, s->q);
}

void release(void *opaque) {
    delete static_cast<lemke_state *>(opaque);
}

} // namespace

#else
static constexpr decltype(peer::prepare) prepare = nullptr;
static constexpr decltype(peer::reset) reset = nullptr;
static constexpr decltype(peer::solve) solve = nullptr;
static constexpr decltype(peer::release) release = nullptr;
#endif

extern "C" const peer peer_lemke = {"Lemke",    "DART's, on the friction polygon of four directions",
                                    PEER_OTHER, {{"dense polygon LCP", 100}},
                                    prepare,    reset,
                                    solve,      release};
