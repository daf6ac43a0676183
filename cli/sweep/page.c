// DIR/index.html: the table of a sweep as a page that draws it.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "page.h"
#include "sweep/page_script.h"
#include "sweep/sweep.h"

// A text within a script, as JSON; nothing in it ends the script.
static void put_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == '"' || c == '\\' || c == '<')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_list(FILE *out, const char *key, const br_sweep *sweep,
                     const char *(*text)(const br_sweep *, int)) {
    fprintf(out, ",%s:[", key);
    for (int k = 0; k < br_sweep_parameter_count(sweep); k++) {
        if (k > 0) fputc(',', out);
        put_string(out, text(sweep, k));
    }
    fputc(']', out);
}

// Which runs have a report: DIR/reports/I.html.
static void put_reports(FILE *out, const char *folder) {
    char path[CLI_MAX_PATH];
    int count = 0;
    snprintf(path, sizeof path, "%s/reports", folder);
    DIR *dir = opendir(path);
    fputs(",reports:[", out);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char *end = NULL;
        const long run = strtol(e->d_name, &end, 10);
        if (end != e->d_name && strcmp(end, ".html") == 0) fprintf(out, "%s%ld", count++ ? "," : "", run);
    }
    if (dir) closedir(dir);
    fputc(']', out);
}

static void put_about(FILE *out, const br_sweep *sweep, const char *spec, const char *folder) {
    char set[4 * CLI_MAX_PATH] = "", until[64] = "";
    size_t n = 0;
    for (int k = 0; k < br_sweep_fixed_count(sweep) && n + 1 < sizeof set; k++) {
        const br_override o = br_sweep_fixed(sweep, k);
        n += (size_t)snprintf(set + n, sizeof set - n, " --set \"%s=%s\"", o.name, o.value);
    }
    if (br_sweep_until(sweep) >= 0) snprintf(until, sizeof until, " --until %.17g", br_sweep_until(sweep));
    fprintf(out, "const sweep={parameters:%d,model:", br_sweep_parameter_count(sweep));
    put_string(out, br_sweep_model_path(sweep));
    fputs(",fixed:", out);
    put_string(out, set);
    fputs(",until:", out);
    put_string(out, until);
    put_list(out, "names", sweep, br_sweep_parameter_name);
    put_list(out, "units", sweep, br_sweep_parameter_unit);
    fputs(",spec:", out);
    put_string(out, spec);
    fputs(",folder:", out);
    put_string(out, folder);
    fprintf(out, ",draws:%d", br_sweep_draws(sweep));
    put_reports(out, folder);
    fputs("};\n", out);
}

// The table, byte for byte but for '<', which could end the element that it is in.
static int put_table(FILE *out, const char *path) {
    FILE *table = fopen(path, "r");
    if (!table) return 0;
    for (int c; (c = fgetc(table)) != EOF;) {
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else
            fputc(c, out);
    }
    const int good = !ferror(table);
    fclose(table);
    return good;
}

br_status sweep_write_page(const br_sweep *sweep, const char *spec, const char *folder, br_error *error) {
    char path[CLI_MAX_PATH], table[CLI_MAX_PATH];
    cli_output out;
    snprintf(path, sizeof path, "%s/index.html", folder);
    snprintf(table, sizeof table, "%s/table.csv", folder);
    if (!cli_output_open(&out, path)) return cli_unwritable(error, path);
    fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width\"><title>Sweep</title>\n"
          "<style>body{font:15px "
          "sans-serif;margin:20px;max-width:1000px}h1{font-size:20px;margin:0}select{margin-right:14px}td{"
          "padding:1px 8px}"
          "canvas{width:100%;cursor:crosshair}pre{background:#f4f4f4;padding:8px;overflow:auto}</style>\n"
          "<h1 id=\"title\"></h1><p id=\"runs\"></p>\n"
          "<p>x <select id=\"x\"></select> y <select id=\"y\"></select> second y <select id=\"z\"></select> "
          "colour "
          "<select id=\"c\"></select></p>\n<canvas id=\"plot\" width=\"1000\" height=\"560\"></canvas><p "
          "id=\"legend\"></p>\n"
          "<div id=\"run\"><p>A click on a point shows its run and the command that makes its "
          "report.</p></div>\n"
          "<p>Rank correlation of <b id=\"of\"></b> with each parameter: 1 or -1 where it rises or falls "
          "with that one alone.</p>"
          "<table id=\"bars\"></table><div id=\"bands\"></div>\n<pre id=\"table\" hidden>\n",
          out.file);
    const int good = put_table(out.file, table);
    fputs("</pre>\n<script>\n", out.file);
    put_about(out.file, sweep, spec, folder);
    for (size_t k = 0; k < sizeof PAGE_SCRIPT / sizeof *PAGE_SCRIPT; k++)
        fprintf(out.file, "%s\n", PAGE_SCRIPT[k]);
    fputs("</script></html>\n", out.file);
    return cli_output_close(&out, good) ? BR_OK : cli_unwritable(error, path);
}
