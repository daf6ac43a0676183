// What the files of bristle hold share.
#ifndef BR_CLI_HOLD_H
#define BR_CLI_HOLD_H

#include "bristle/hold.h"
#include "model.h"

enum { HOLD_MAX_LOADS = 32, HOLD_MAX_DIRECTIONS = 3600 };

typedef struct hold_request {
    const char *path, *polar, *plane;
    const char *load[HOLD_MAX_LOADS];
    char *names; // the text behind `load`
    int loads, json, alone, has_at, directions;
    double at, budget;
    int has_until;
    double until, sample; // s: along a motion, and how often; sample 0: 100 times
    cli_overrides overrides;
} hold_request;

// The margin along one direction of a plane.
typedef struct hold_ray {
    double angle; // rad from the plane's first axis
    double sure, possible;
    int exhaustive;
} hold_ray;

typedef struct hold_job {
    br_model *model;
    br_sim *sim;
    br_hold_report report;
    int looks, felt,
        idle; // along a motion: how many, with something at rest that feels the load, with a load of zero
    int rays;
    hold_ray *ray;
    char plane[4];
} hold_job;

// The margin over directions of a plane, into j->ray. polar.c
br_status hold_turn(const hold_request *r, hold_job *j, br_error *error);
br_status hold_draw(const hold_request *r, const hold_job *j, br_error *error); // to r->polar

void hold_text(const hold_request *r, const hold_job *j); // text.c
void hold_json(const hold_request *r, const hold_job *j);

#endif
