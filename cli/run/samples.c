// bristle run MODEL --samples N: the sweep over the distributions that the model's own params have. Its spec is written as a file, so
// that what was done can be read, changed and done again.
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "run/run.h"

extern const cli_verb cli_verb_sweep;

enum {
    MOST_SAMPLED = 200, // columns, where the model names no outputs
    MOST_BANDS = 8,     // channels with a band over time
    BAND_TIMES = 41,
};

static const char MARK[] = "# Written by bristle run --samples.\n";

// A word in double quotes, as YAML and JSON read it.
static void put_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_set(FILE *out, const run_request *r) {
    for (int k = 0; k < r->overrides.count; k++) {
        fputs(k == 0 ? "set:\n  " : "  ", out);
        put_quoted(out, r->overrides.item[k].name);
        fputs(": ", out);
        put_quoted(out, r->overrides.item[k].value);
        fputc('\n', out);
    }
}

// A channel at times from the start to the end: what its band over time is made of.
static void put_times(FILE *out, const char *channel, double until) {
    for (int k = 0; k < BAND_TIMES; k++) {
        char column[CLI_MAX_CHANNEL_NAME + 40];
        snprintf(column, sizeof column, "%s.at(%.9g)", channel, until * k / (BAND_TIMES - 1));
        fputs("  - ", out);
        put_quoted(out, column);
        fputc('\n', out);
    }
}

static void put_spec(FILE *out, const run_request *r, const br_channels *channels, double until) {
    const int count = br_channels_count(channels);
    const char *const *names = br_channels_names(channels);
    fputs(MARK, out);
    fputs("model: ", out);
    put_quoted(out, r->path);
    fprintf(out, "\nvary: params\ndesign: sobol(%d)\n", r->samples);
    put_set(out, r);
    if (r->has_until) fprintf(out, "until: %.17g s\n", r->until);
    fputs("columns:\n", out);
    for (int k = 0, kept = 0; k < count && kept < MOST_SAMPLED; k++) {
        if (strcmp(names[k], "t") == 0) continue;
        char column[CLI_MAX_CHANNEL_NAME + 8];
        snprintf(column, sizeof column, "%s.end", names[k]);
        fputs("  - ", out);
        put_quoted(out, column);
        fputc('\n', out);
        kept++;
    }
    fputs("  - verdict\n  - credible\n", out);
    for (int k = 0, kept = 0; k < count && kept < MOST_BANDS && until > 0; k++)
        if (strcmp(names[k], "t") != 0) put_times(out, names[k], until), kept++;
}

// A file of that name that somebody else wrote stays.
static br_status check_ours(const char *path, br_error *error) {
    char line[sizeof MARK] = "";
    FILE *file = fopen(path, "r");
    if (!file) return BR_OK;
    const size_t n = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    if (n == sizeof line - 1 && strcmp(line, MARK) == 0) return BR_OK;
    return cli_error(error, BR_INVALID, "samples-file", path, 0,
                     "is there and was not written by bristle run --samples, which would replace it");
}

static br_status write_spec(const run_request *r, const char *path, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_channels *channels = NULL;
    cli_output out;
    br_status status = check_ours(path, error);
    if (status == BR_OK)
        status = br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &model, NULL, error);
    if (status == BR_OK) status = br_model_runnable(model, error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, error);
    if (status == BR_OK) status = br_channels_choose(sim, BR_CHANNELS_OUTPUTS, NULL, &channels, error);
    if (status == BR_OK && cli_output_open(&out, path)) {
        put_spec(out.file, r, channels, r->has_until ? r->until : br_model_settings(model)->until);
        if (!cli_output_close(&out, 1)) status = cli_unwritable(error, path);
    } else if (status == BR_OK) {
        status = cli_unwritable(error, path);
    }
    br_channels_destroy(channels);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status;
}

int run_samples(const run_request *r) {
    char spec[CLI_MAX_PATH], folder[CLI_MAX_PATH];
    const char *slash = strrchr(r->path, '/'), *name = slash ? slash + 1 : r->path, *dot = strrchr(name, '.');
    const int length = (int)(dot && dot > name ? dot - name : (long)strlen(name));
    br_error error;
    memset(&error, 0, sizeof error);
    snprintf(spec, sizeof spec, "%.*s.samples.yaml", length, name);
    snprintf(folder, sizeof folder, "%.*s.samples", length, name);
    if (write_spec(r, spec, &error) != BR_OK) return cli_fail(&error, r->path);
    char *words[8] = {"sweep", spec, "-o", r->output ? (char *)(uintptr_t)r->output : folder};
    int count = 4;
    if (r->json) words[count++] = "--json";
    if (r->quiet) words[count++] = "--quiet";
    if (r->strict) words[count++] = "--strict";
    return cli_verb_sweep.run(count, words);
}
