// bristle plot: which arguments are results and which are channels.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bristle/export.h"
#include "model.h"
#include "plot/job.h"

static const double GROUPS_PER_PIXEL = 2; // of the figure's width
enum { LEAST_GROUPS = 2048, PATH_GROUPS = 8192, MOST_GROUPS = 32768 };

void plot_note(plot_job *j, const char *format, ...) {
    va_list args;
    if (j->note_count == PLOT_MAX_NOTES) return;
    va_start(args, format);
    vsnprintf(j->note[j->note_count++], PLOT_NOTE, format, args);
    va_end(args);
}

void plot_free(plot_job *j) {
    for (int k = 0; k < j->curve_count; k++) {
        result_series_free(&j->curve[k].series);
        result_path_free(&j->curve[k].path);
    }
    for (int k = 0; k < j->source_count; k++) br_result_close(j->source[k].result);
    free(j);
}

// ---------------------------------------------------------------------------------------------------------- patterns

static int match_count(const br_result_header *h, const char *pattern) {
    int n = 0;
    for (int k = 0; k < h->channel_count; k++) n += br_name_matches(pattern, h->channels[k].name);
    return n;
}

static int is_anywhere(const plot_job *j, const char *pattern) {
    for (int k = 0; k < j->source_count; k++)
        if (match_count(br_result_about(j->source[k].result), pattern) > 0) return 1;
    return 0;
}

// ----------------------------------------------------------------------------------------------------------- results

static int ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static int exists(const char *path) {
    struct stat s;
    return stat(path, &s) == 0;
}

static int looks_like_file(const char *word) {
    return strchr(word, '/') || ends_with(word, ".result") || ends_with(word, ".h5") ||
           ends_with(word, ".hdf5");
}

static int open_source(plot_job *j, const char *path, br_error *error) {
    plot_source *s = &j->source[j->source_count];
    if (br_result_open(path, NULL, &s->result, error) != BR_OK) return 0;
    s->path = path;
    j->source_count++;
    return 1;
}

// The file's name without folder and ending, or the path as given where that is not enough to tell two apart.
static void label_sources(plot_job *j) {
    static const char *const endings[] = {".result", ".h5", ".hdf5"};
    for (int k = 0; k < j->source_count; k++) {
        const char *slash = strrchr(j->source[k].path, '/'), *name = slash ? slash + 1 : j->source[k].path;
        size_t n = strlen(name);
        for (int e = 0; e < 3; e++)
            if (ends_with(name, endings[e])) n = strlen(name) - strlen(endings[e]);
        snprintf(j->source[k].label, PLOT_LABEL, "%.*s", (int)n, name);
    }
    for (int k = 0; k < j->source_count; k++)
        for (int i = 0; i < j->source_count; i++)
            if (i != k && strcmp(j->source[k].label, j->source[i].label) == 0) {
                snprintf(j->source[k].label, PLOT_LABEL, "%.*s", PLOT_LABEL - 1, j->source[k].path);
                snprintf(j->source[i].label, PLOT_LABEL, "%.*s", PLOT_LABEL - 1, j->source[i].path);
            }
}

static int too_many(const char *what, int most) {
    cli_usage_error("plot", "more than %d %s; make several figures", most, what);
    return 0;
}

// A file that is there is a result. Should it be none, its name may still be that of a channel.
int plot_open_sources(const plot_request *r, plot_job *j, const char **patterns, int *pattern_count) {
    br_error error, refused[4];
    int refused_word[4], refused_count = 0, n = 0;
    memset(&error, 0, sizeof error);
    memset(refused, 0, sizeof refused);
    for (int k = 0; k < r->word_count; k++) {
        if (!exists(r->word[k])) continue;
        if (j->source_count == PLOT_MAX_RESULTS) return too_many("results", PLOT_MAX_RESULTS);
        if (open_source(j, r->word[k], &error)) continue;
        if (refused_count == 4) return cli_fail(&error, r->word[k]), 0;
        refused_word[refused_count] = k;
        refused[refused_count++] = error;
    }
    for (int k = 0; k < refused_count; k++)
        if (!is_anywhere(j, r->word[refused_word[k]]))
            return cli_fail(&refused[k], r->word[refused_word[k]]), 0;
    for (int k = 0; k < r->word_count; k++) {
        int is_source = 0;
        for (int i = 0; i < j->source_count; i++) is_source |= j->source[i].path == r->word[k];
        if (is_source) continue;
        const int missing =
            j->source_count == 0 || (looks_like_file(r->word[k]) && !is_anywhere(j, r->word[k]));
        if (missing && !open_source(j, r->word[k], &error)) return cli_fail(&error, r->word[k]), 0;
        patterns[n++] = r->word[k];
    }
    *pattern_count = n;
    label_sources(j);
    return 1;
}

// ---------------------------------------------------------------------------------------------------------- channels

static const char *nearest(const br_result_header *h, const char *name) {
    const char **words = malloc(((size_t)h->channel_count + 1) * sizeof *words);
    if (!words) return NULL;
    for (int k = 0; k < h->channel_count; k++) words[k] = h->channels[k].name;
    const char *near = br_nearest_word(name, words, (size_t)h->channel_count);
    free(words);
    return near;
}

// "hinge has position, velocity, ...": what comes behind the first dot, as far as there is room. 0: no channel begins so.
static int list_parts(const br_result_header *h, const char *name, char *out, size_t size) {
    const size_t prefix = strcspn(name, ".");
    size_t used = 0;
    int more = 0;
    for (int k = 0; name[prefix] == '.' && k < h->channel_count; k++) {
        if (strncmp(h->channels[k].name, name, prefix + 1) != 0) continue;
        const char *part = h->channels[k].name + prefix + 1;
        more |= used + strlen(part) + prefix + 24 > size;
        if (more) break;
        if (used == 0)
            used = (size_t)snprintf(out, size, "; %.*s has ", (int)prefix, name);
        else
            used += (size_t)snprintf(out + used, size - used, ", ");
        used += (size_t)snprintf(out + used, size - used, "%s", part);
    }
    if (used > 0 && more) snprintf(out + used, size - used, ", ...");
    return used > 0;
}

static int unknown_channel(const plot_job *j, const char *name) {
    enum { MOST_TAIL = 300 };
    const br_result_header *h = br_result_about(j->source[0].result);
    br_error error = {.status = BR_INVALID, .code = "channel-unknown"};
    char parts[PLOT_LABEL], tail[PLOT_LABEL];
    snprintf(parts, sizeof parts, "%.*s.*", PLOT_LABEL - 4, name);
    const int n = match_count(h, parts);
    const char *near = strchr(name, '*') ? NULL : nearest(h, name);
    if (n > 0)
        snprintf(tail, sizeof tail, "; '%.200s' are %d", parts, n);
    else if (near)
        snprintf(tail, sizeof tail, "; did you mean %.200s?", near);
    else if (!list_parts(h, name, tail, MOST_TAIL))
        snprintf(tail, sizeof tail, "; there are %d, and bristle plot %.200s lists them", h->channel_count,
                 j->source[0].path);
    snprintf(error.message, sizeof error.message, "no channel %s '%.160s'%.*s",
             strchr(name, '*') ? "is like" : "has the name", name, MOST_TAIL, tail);
    cli_fail(&error, j->source[0].path);
    return 0;
}

static int add_channel(plot_job *j, const br_result_channel *c) {
    for (int k = 0; k < j->channel_count; k++)
        if (strcmp(j->channel[k].name, c->name) == 0 && strcmp(j->channel[k].unit, c->unit) == 0) return 1;
    if (j->channel_count == PLOT_MAX_CHANNELS) return too_many("channels", PLOT_MAX_CHANNELS);
    j->channel[j->channel_count++] = (plot_channel){.name = c->name, .unit = c->unit};
    return 1;
}

// A name that is one is taken as it is, whatever signs are in it; against time, time itself is no curve.
static int add_matches(plot_job *j, const char *pattern) {
    int found = 0;
    for (int s = 0; s < j->source_count; s++) {
        const br_result_header *h = br_result_about(j->source[s].result);
        const int exact = result_channel(h, pattern);
        if (exact >= 0) {
            if (!add_channel(j, &h->channels[exact])) return 0;
            found = 1;
        }
        for (int k = 0; k < h->channel_count && exact < 0; k++) {
            if (!br_name_matches(pattern, h->channels[k].name) || strcmp(h->channels[k].name, "t") == 0)
                continue;
            if (!add_channel(j, &h->channels[k])) return 0;
            found = 1;
        }
    }
    return found || unknown_channel(j, pattern);
}

static int find_axes(const plot_request *r, plot_job *j) {
    j->x_name = r->x ? r->x : "t";
    j->x_is_time = strcmp(j->x_name, "t") == 0;
    for (int k = 0; k < j->source_count; k++) {
        plot_source *s = &j->source[k];
        const br_result_header *h = br_result_about(s->result);
        s->t = result_channel(h, "t");
        s->x = result_channel(h, j->x_name);
        if (s->t < 0) {
            br_error error = {.status = BR_INVALID, .code = "channel-unknown"};
            snprintf(error.message, sizeof error.message, "has no channel t, the time of its rows");
            return cli_fail(&error, s->path), 0;
        }
        if (s->x < 0 && k == 0) return unknown_channel(j, j->x_name);
        if (s->x < 0) {
            cli_usage_error("plot", "--x: %s has no channel %s", s->path, j->x_name);
            return 0;
        }
        if (k == 0) j->x_unit = h->channels[s->x].unit;
    }
    return 1;
}

static int add_curves(const plot_request *r, plot_job *j) {
    const double pixels = (r->width > 0 ? r->width : 880) * r->scale;
    int groups = (int)fmin(fmax(GROUPS_PER_PIXEL * pixels, LEAST_GROUPS), MOST_GROUPS);
    if (!j->x_is_time && groups < PATH_GROUPS) groups = PATH_GROUPS;
    for (int c = 0; c < j->channel_count; c++)
        for (int s = 0; s < j->source_count; s++) {
            const br_result_header *h = br_result_about(j->source[s].result);
            const int column = result_channel(h, j->channel[c].name);
            if (column < 0 || strcmp(h->channels[column].unit, j->channel[c].unit) != 0) {
                plot_note(j, "%.150s has no channel %.150s%s%.20s", j->source[s].path, j->channel[c].name,
                          column < 0 ? "" : " in ", column < 0 ? "" : j->channel[c].unit);
                continue;
            }
            if (j->curve_count == PLOT_MAX_CURVES) return too_many("curves", PLOT_MAX_CURVES);
            plot_curve *curve = &j->curve[j->curve_count];
            if (!result_series_begin(&curve->series, j->source[s].x, column, groups)) {
                cli_usage_error("plot", "not enough memory for %d curves", j->curve_count + 1);
                return 0;
            }
            curve->source = s;
            curve->channel = c;
            curve->series.positive = r->log;
            j->curve_count++;
        }
    return 1;
}

int plot_find_channels(const plot_request *r, plot_job *j, const char *const *patterns, int count) {
    if (!find_axes(r, j)) return 0;
    for (int k = 0; k < count; k++)
        if (!add_matches(j, patterns[k])) return 0;
    return add_curves(r, j);
}
