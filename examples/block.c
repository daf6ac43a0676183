// A block on a floor, pulled sideways: one contact, one time step of h = 10 ms, from rest.
//
//     M v = f + J^T p        v: the block's velocity (x, y, z) at the end of the step, z up
//                            f = M v_old + h (pull, 0, -m g): the momentum it would have without the contact
//     w = J v                the velocity of the contact: separation (n), then sliding along x and y (t1, t2)
//
// and Coulomb's law between w and the impulse p = h times force that the floor gives to the block: it only pushes
// (p_n >= 0), it holds as long as |p_t| <= mu p_n, and when the block slides p_t = -mu p_n w_t/|w_t|.
// Here mu m g = 9.81 N, so a pull of 5 N must stick and one of 15 N must slide with (15 - 9.81) h/m = 0.02595 m/s.
#include <bristle/bristle.h>

#include <stdio.h>

static int fail(const br_error *error) {
    fprintf(stderr, "block: %s\n", error->message);
    return 1;
}

int main(void) {
    const double mass = 2.0, mu = 0.5, g = 9.81, h = 0.01; // kg, -, m/s^2, s
    const double pulls[] = {5.0, 15.0};                    // N

    // One node of three velocities; its mass block; the contact's rows n, t1, t2 are its z, x and y.
    const int node_dim[] = {3}, mass_start[] = {0, 1}, mass_node[] = {0};
    const double M[] = {mass, 0, 0, 0, mass, 0, 0, 0, mass};
    const int jacobian_start[] = {0, 1}, jacobian_node[] = {0};
    const double J[] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    const double b[] = {0, 0, 0}; // the floor does not move and the gap is closed
    double f[3] = {0, 0, -h * mass * g};
    const br_law contact = {.kind = BR_LAW_CONE, .first_row = 0, .rows = 3, .friction_coefficient = mu};
    const br_velocity_form form = {1, node_dim,       mass_start,    mass_node, M,
                                   f, jacobian_start, jacobian_node, J};
    const br_problem problem = {
        .form = BR_FORM_VELOCITY, .velocity = form, .rows = 3, .laws = 1, .law = &contact, .offset = b};

    br_error error = {0};
    br_solver *solver = NULL;
    const br_solver_def def = br_default_solver_def();
    if (br_solver_create(&def, &solver, &error) != BR_OK) return fail(&error);
    if (br_solver_setup(solver, &problem, &error) != BR_OK) return fail(&error); // once for each pattern
    for (int k = 0; k < 2; k++) {
        double p[3], w[3], v[3];
        br_solution solution = {.p = p, .w = w, .v = v};
        br_solve_report report;
        f[0] = h * pulls[k]; // only values change, so the same solver goes on
        if (br_solver_solve(solver, &problem, &solution, &report, &error) != BR_OK) return fail(&error);
        printf("pull %2.0f N: %s, friction %6.2f N of at most %.2f N, velocity %.5f m/s\n", pulls[k],
               br_outcome_name(report.outcome), p[1] / h, mu * p[0] / h, v[0]);
    }
    br_solver_destroy(solver);
    return 0;
}
