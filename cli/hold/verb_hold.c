// bristle hold MODEL --load NAME: how much more of a load until it slips.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/result.h"
#include "hold/hold.h"

enum { USUAL_DIRECTIONS = 72, USUAL_LOOKS = 100 };

static const char no_memory[] = "no memory for what holds";

// ------------------------------------------------------------------------------------------------------- arguments

// Takes every `--load A,B` out of argv, so that the option may be repeated.
static int take_loads(int *argc, char **argv, hold_request *r) {
    size_t room = 1;
    for (int k = 1; k < *argc; k++) room += strlen(argv[k]) + 1;
    char *to = r->names = calloc(room, 1);
    int kept = 1;
    if (!to) return 0;
    for (int k = 1; k < *argc; k++) {
        const char *list = NULL;
        if (strcmp(argv[k], "--load") == 0 && k + 1 < *argc)
            list = argv[++k];
        else if (strncmp(argv[k], "--load=", 7) == 0)
            list = argv[k] + 7;
        if (!list) {
            argv[kept++] = argv[k];
            continue;
        }
        strcpy(to, list);
        for (char *word = strtok(to, ","); word; word = strtok(NULL, ",")) {
            if (r->loads == HOLD_MAX_LOADS) {
                cli_usage_error("hold", "more than %d loads", HOLD_MAX_LOADS);
                return 0;
            }
            r->load[r->loads++] = word;
        }
        to += strlen(list) + 1;
    }
    *argc = kept;
    return 1;
}

static int check_motion(hold_request *r, const char *until, const char *sample, int at) {
    if (until && !cli_parse_positive("hold", "--until", until, &r->until)) return 0;
    if (sample && !cli_parse_positive("hold", "--sample", sample, &r->sample)) return 0;
    if (until && (at || r->polar)) {
        cli_usage_error("hold",
                        "--until is about a motion, --at and --polar are about one instant; give one");
        return 0;
    }
    if (sample && !until) {
        cli_usage_error("hold", "--sample is how often to look along a motion: give --until T");
        return 0;
    }
    return 1;
}

static int hold_parse_request(int argc, char **argv, hold_request *r) {
    const char *until = NULL, *sample = NULL, *at = NULL, *budget = NULL, *directions = NULL, *set = NULL,
               *load = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    r->directions = USUAL_DIRECTIONS;
    if (!cli_take_overrides("hold", &argc, argv, &r->overrides) || !take_loads(&argc, argv, r)) return 0;
    const cli_option options[] = {
        {"--load", &load, NULL}, // taken above; named here for the nearest spelling
        {"--at", &at, &r->has_at},
        {"--until", &until, &r->has_until},
        {"--sample", &sample, NULL},
        {"--alone", NULL, &r->alone},
        {"--polar", &r->polar, NULL},
        {"--plane", &r->plane, NULL},
        {"--directions", &directions, NULL},
        {"--budget", &budget, NULL},
        {"--json", NULL, &r->json},
        {"--set", &set, NULL}, // the same
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), &r->path, 1, &count))
        return 0;
    if (count == 0) {
        cli_usage_error("hold", "expected a model file");
        return 0;
    }
    if (at && !cli_parse_not_negative("hold", "--at", at, &r->at)) return 0;
    if (!check_motion(r, until, sample, at != NULL)) return 0;
    if (budget && !cli_parse_positive("hold", "--budget", budget, &r->budget)) return 0;
    if (directions &&
        !cli_parse_whole("hold", "--directions", directions, 4, HOLD_MAX_DIRECTIONS, &r->directions))
        return 0;
    if (r->polar && r->loads != 1) {
        cli_usage_error("hold", "--polar turns one load; name it with --load");
        return 0;
    }
    if (r->polar && cli_same_target(r->polar, r->path)) {
        cli_usage_error("hold", "--polar would overwrite the model");
        return 0;
    }
    if (!r->polar && (r->plane || directions)) {
        cli_usage_error("hold", "--plane and --directions are for --polar FILE");
        return 0;
    }
    r->budget *= 1e6;
    return 1;
}

// ------------------------------------------------------------------------------------------------------------ verb

static br_hold_options options_of(const hold_request *r) {
    br_hold_options options = br_default_hold_options();
    options.load = r->load, options.loads = r->loads;
    options.alone = r->alone;
    options.budget = r->budget;
    return options;
}

// The factor from the load as it is to where it no longer sticks for certain; -INFINITY: there it is already.
static double margin_of(const br_hold_report *h) {
    if (!h->felt) return INFINITY;
    if (!h->held || !h->certain || !(h->sure[0] < 1.0)) return -INFINITY;
    return h->sure[1];
}

// Along the motion: j->report becomes that of the look with the least margin.
static br_status hold_follow(const hold_request *r, hold_job *j, br_error *error) {
    const double sample = r->sample > 0.0 ? r->sample : r->until / USUAL_LOOKS;
    const double step = br_model_settings(j->model)->solver.step;
    const double grid = cli_traits(j->model)->chooses_steps ? 0.0 : step;
    const br_hold_options options = options_of(r);
    for (double k = 0; k * sample <= r->until * (1.0 + 1e-12); k++) {
        br_hold_report h;
        double t = fmin(k * sample, r->until);
        if (grid > 0.0) t = fmin(grid * floor(t / grid + 0.5), r->until);
        br_status status = t > br_sim_time(j->sim) ? br_sim_advance(j->sim, t, error) : BR_OK;
        if (status == BR_OK) status = br_hold(j->sim, &options, &h, error);
        const int idle = status == BR_INVALID && error->code && strcmp(error->code, "hold-nothing") == 0;
        if (status != BR_OK && !idle) return status;
        j->looks++, j->idle += idle;
        if (idle) continue;
        j->felt += h.felt;
        if (j->looks - j->idle == 1 || margin_of(&h) < margin_of(&j->report)) {
            const br_hold_report before = j->report;
            j->report = h, h = before;
        }
        br_hold_report_free(&h);
    }
    return j->looks > j->idle ? BR_OK : BR_INVALID; // *error: there was no load at any of them
}

static br_status hold_find(const hold_request *r, hold_job *j, br_error *error) {
    br_status status =
        br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &j->model, NULL, error);
    if (status == BR_OK) status = br_model_runnable(j->model, error);
    if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status == BR_OK && r->at > 0.0) status = br_sim_advance(j->sim, r->at, error);
    if (status != BR_OK) return status;
    if (r->has_until) return hold_follow(r, j, error);
    const br_hold_options options = options_of(r);
    status = br_hold(j->sim, &options, &j->report, error);
    if (status == BR_OK && r->polar) status = hold_turn(r, j, error);
    if (status == BR_OK && r->polar) status = hold_draw(r, j, error);
    return status;
}

static int verb_hold(int argc, char **argv) {
    hold_request r;
    hold_job j;
    br_error error;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!hold_parse_request(argc, argv, &r)) {
        if (!r.names) cli_usage_error("hold", "%s", no_memory);
        free(r.names);
        return EXIT_USAGE;
    }
    int code = EXIT_FINE;
    if (hold_find(&r, &j, &error) != BR_OK)
        code = cli_fail(&error, r.path);
    else
        (r.json ? hold_json : hold_text)(&r, &j);
    br_hold_report_free(&j.report);
    br_sim_destroy(j.sim);
    br_model_destroy(j.model);
    free(j.ray);
    free(r.names);
    return code;
}

const cli_verb cli_verb_hold = {
    .name = "hold",
    .summary = "how much more of a load until it slips: sticks for certain up to, slides for certain beyond",
    .help =
        "bristle hold MODEL [--load NAME] [options]\n\n"
        "Factors on a load between which friction holds the model as it starts, everything else as it is. "
        "Friction is not\n"
        "associated, so there are two: up to the first it sticks for certain, beyond the second it slides "
        "for "
        "certain.\n"
        "Between them a disturbance decides (mu_kinetic below mu_static), or forces that nobody can know. "
        "Downwards\n"
        "the same: a lower end above 0 is a load that is needed to hold. With it: which joint or contact "
        "goes "
        "first, and\n"
        "the least mu of each that holds.\n\n"
        "  --load NAME          a load, a drive with an effort, or gravity; A,B or repeated: several with "
        "one "
        "factor.\n"
        "                       Without it every force and torque of `loads`, together\n"
        "  --at T               the state that a run has at T seconds\n"
        "  --until T            along the motion to T seconds: told is the instant with the least margin, "
        "and when\n"
        "  --sample S           how often to look, in seconds; default: 100 times\n"
        "  --alone              the least mu of each element alone, the others as they are, too\n"
        "  --polar FILE         a picture (SVG): the load, as large as it is, turned through a plane\n"
        "  --plane xy|xz|yz     which plane; default: that of a planar model, else xy\n"
        "  --directions N       how many directions (default 72)\n"
        "  --set NAME=VALUE     changes a parameter or a key of the file; repeatable\n"
        "  --budget N           ends the search after N million counted operations, about N ms (default "
        "20000)\n"
        "  --json               one JSON object on stdout\n\n"
        "Exit codes: 0 fine, 1 usage, model or file, 2 a step failed.\n",
    .run = verb_hold,
};
