// bristle check --matrix: which stepper takes which element, and each element beside each other one. Small models of
// each are read, asked and run for a few steps as any model is, so that the answer cannot differ from what a run does.
#ifndef BR_CLI_CHECK_MATRIX_H
#define BR_CLI_CHECK_MATRIX_H

// A part of a model: lines of its sections, NULL for none. @ becomes a name of its own, ~ its place along y.
typedef struct matrix_element {
    const char *name;
    const char *bodies, *joints, *drives, *constraints, *beams, *clearances;
    const char *pairs;  // with the ground; bodies then have a shape of material @m
    const char *law;    // of contact, for the whole model; NULL: any
    const char *driven; // drives that leave nothing open, for the kinematic stepper
    const char *body;   // that a spring ties to the other element's; NULL: @b
} matrix_element;

extern const matrix_element matrix_elements[]; // elements.c
extern const int matrix_element_count;

// Prints the matrix; the exit code.
int check_matrix(int json);

#endif
