// The data of a report while it is gathered: report/read.c thins a result for the page, report/write.c writes it.
#ifndef BR_IO_REPORT_REPORT_H
#define BR_IO_REPORT_REPORT_H

#include "base/arena.h"
#include "bristle/report.h"
#include "io/yaml/yaml.h"

// Numbers on the page, in the block of bytes that all share.
typedef struct report_blob {
    const void *data;
    size_t count; // of numbers
    int bytes;    // of one: 1, 4, 8
    char type[3]; // "f4", "f8", "u4", "u1"
} report_blob;

enum {
    REPORT_POSE = 7,     // numbers of a body's pose in a frame
    REPORT_CONTACT = 12, // numbers of a contact, see viewer/README.md
    REPORT_MAX_EVENTS = 20000,
};

typedef struct report_event {
    double t, value;
    br_event_kind kind;
    const char *name;
} report_event;

typedef struct report_contacts {
    uint32_t *start; // [frames + 1]
    uint32_t *name;  // [count]
    unsigned char *state;
    float *values; // [count * REPORT_CONTACT]
    size_t count;
    int capacity;
    const char **names;
    int name_count, name_capacity;
} report_contacts;

// One result as the page shows it.
typedef struct report_result {
    br_result *source; // open while the page is made: names and texts are its own
    const br_result_header *header;
    const char *path;
    char label[128];
    char missing[BR_MAX_REPORT_MISSING]; // empty: nothing is
    const char *outcome;
    int has_end;
    br_result_end end;
    const char *trust;        // JSON; NULL: none
    const char *judgement;    // JSON; NULL: none
    const yaml_node *outputs; // of the model: what its author wants to see first; NULL: none
    long rows;
    double from, to; // s
    // plots
    int group; // rows to a pair of points; 1: every row is a point
    size_t points;
    double *t;     // [points]
    float *value;  // [channels * points], channel after channel
    int t_channel; // which channel is the time
    // the animation
    int has_scene; // and it is one
    int bodies, frames;
    int *pose_channel; // [bodies * REPORT_POSE]
    double *frame_t;   // [frames]
    float *pose;       // [frames * bodies * REPORT_POSE]
    report_contacts contacts;
    // events
    report_event *event;
    long events, kept_events;
    int event_capacity;
} report_result;

// Reads a result twice: how long it is, then what the page keeps of it. What is missing of it is said in the result; only a
// file that cannot be opened at all, or no memory, is an error. The source stays open.
br_status br_report_read(report_result *r, const br_report_options *options, br_arena *arena,
                         br_error *error);

// The names of a scene's bodies, in order, in the arena. count 0 when there are none, or the scene is none.
br_status br_report_bodies(const char *scene, br_arena *arena, const char ***names, int *count,
                           br_error *error);

#endif
