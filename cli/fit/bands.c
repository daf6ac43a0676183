// Bands of bristle validate and bristle fit, for people and as JSON.
#include <math.h>

#include "fit/fit.h"

static void put_distance(FILE *out, double x, const br_band_total *t) {
    if (isfinite(t->size)) fprintf(out, "%.2f %% of the size (", 100 * x / t->size);
    fit_put_number(out, x, t->unit);
    if (isfinite(t->size)) fputc(')', out);
}

static void print_next(FILE *out, const br_band_total *t) {
    int terms = 0;
    fputs("            for the next recording: ", out);
    if (t->factor > 0) {
        fprintf(out, "what nine of ten draws stay within at %.3g times the noise of the start", t->factor);
        terms++;
    }
    if (t->path > 0) {
        const int angle = t->unit[0] == 'r';
        fprintf(out, "%s%.3g %% of the predicted %s", terms++ ? ", " : "", 100 * t->path,
                angle ? "angle turned so far" : "way so far");
    }
    if (t->constant > 0) {
        fputs(terms++ ? ", " : "", out);
        fit_put_number(out, t->constant, t->unit);
    }
    fputs(terms > 1 ? ", added as squares\n" : "\n", out);
}

void fit_print_bands(FILE *out, const br_band_report *b) {
    for (int k = 0; k < b->totals; k++) {
        const br_band_total *t = &b->total[k];
        fprintf(out,
                "bands       %s: %.1f %% of %d ends lie within a band made from the other recordings (90 %% "
                "asked), "
                "median radius ",
                t->quantity, 100 * t->coverage, b->recordings);
        put_distance(out, t->radius, t);
        fputs("\n            a band of one radius for all that holds as many: ", out);
        put_distance(out, t->constant_radius, t);
        if (t->constant_radius <= t->radius)
            fputs(", no wider: which recordings are uncertain is not known before", out);
        fprintf(out, "\n            without what other recordings show: %.1f %%, median radius ",
                100 * t->input_coverage);
        put_distance(out, t->input_radius, t);
        fprintf(out, ", by %d draws of the start's noise and of distributions", b->draws);
        if (t->rate > 0) {
            fputs("\n            noise of the start: ", out);
            fit_put_number(out, t->place, t->unit);
            fputs(" and ", out);
            fit_put_number(out, t->rate, t->unit);
            fputs("/s", out);
        }
        fprintf(out, "\n            %.1f %% stay within their band all the way\n", 100 * t->way_coverage);
        print_next(out, t);
    }
}

void fit_json_band(br_json *json, const char *key, const br_band_total *t, const br_band_report *b) {
    br_json o = br_json_object(json, key);
    br_json_string(&o, "quantity", t->quantity);
    br_json_string(&o, "unit", t->unit);
    br_json_whole(&o, "recordings", b->recordings);
    br_json_whole(&o, "draws", b->draws);
    br_json_number(&o, "coverage", t->coverage);
    br_json_number(&o, "radius", t->radius);
    br_json_number(&o, "constant_radius", t->constant_radius);
    br_json_number(&o, "input_coverage", t->input_coverage);
    br_json_number(&o, "input_radius", t->input_radius);
    br_json_number(&o, "way_coverage", t->way_coverage);
    br_json_number(&o, "start_noise", t->place);
    br_json_number(&o, "start_rate_noise", t->rate);
    br_json next = br_json_object(&o, "next");
    br_json_number(&next, "noise_factor", t->factor);
    br_json_number(&next, "path", t->path);
    br_json_number(&next, "constant", t->constant);
    br_json_close_object(&next);
    br_json_close_object(&o);
}
