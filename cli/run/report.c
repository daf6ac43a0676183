// What bristle run says at its end: the ledger, and where everything went.
#include <math.h>
#include <string.h>

#include "run/run.h"

static double real_time(const run_job *j) {
    return j->seconds > 0 ? br_sim_time(j->sim) / j->seconds : 0;
}

static void energy_line(FILE *out, const char *label, double start, double now) {
    fprintf(out, "  %-12s %16.9g %16.9g %16.9g\n", label, start, now, now - start);
}

static int is_implicit(const run_job *j) {
    return cli_traits(j->model)->adapts;
}

static const char *scheme_name(const br_solver_settings *s) {
    return s->energy_decaying ? "energy_decaying" : "alpha";
}

static double mean_step(const run_job *j) {
    const br_ledger l = br_sim_ledger(j->sim);
    return l.steps > 0 ? br_sim_time(j->sim) / (double)l.steps : 0;
}

static void print_wish(FILE *out, const char *rule, double step, int *shown) {
    if (!isfinite(step)) return;
    fprintf(out, "%s%s %.3g s", (*shown)++ ? ", " : "            asked for by ", rule, step);
}

// How long the steps were, and what the rules of `adaptive` last asked for.
static void print_scheme(FILE *out, const run_job *j) {
    const br_solver_settings *s = &br_model_settings(j->model)->solver;
    const br_step_info info = br_sim_step_info(j->sim);
    int shown = 0;
    fprintf(out, "scheme      %s, rho_infinity %.6g, steps of %s%.9g s\n", scheme_name(s), s->rho_infinity,
            s->adaptive.on ? "at most " : "", s->step);
    if (s->adaptive.on) {
        fprintf(out, "            mean step %.3g s, last %.3g s, the next limited by %s\n", mean_step(j),
                info.step, info.limit);
        print_wish(out, "the local error", info.by_error, &shown);
        print_wish(out, "contact", info.by_contact, &shown);
        print_wish(out, "friction", info.by_friction, &shown);
        if (shown) fputc('\n', out);
    }
    if (info.rejected > 0)
        fprintf(out, "            %ld step%s taken again, shorter\n", info.rejected,
                info.rejected == 1 ? " was" : "s were");
}

static void print_parts(FILE *out, const br_model *model) {
    const int beams = br_model_beam_count(model);
    int elements = 0;
    for (int k = 0; k < beams; k++) elements += br_model_beam_elements(model, k);
    if (beams > 0)
        fprintf(out, "beams       %d, of %d element%s%s\n", beams, elements, elements == 1 ? "" : "s",
                beams == 1 ? "" : " in all");
}

static void print_clearances(FILE *out, const br_model *model, const br_ledger *l) {
    const int count = br_model_clearance_count(model);
    if (count > 0) fprintf(out, "clearances  %d; pressed in by at most %.3g m\n", count, l->penetration);
}

// Only where something can touch: a mechanism without contacts has nothing to read here.
static void print_contacts(FILE *out, const br_ledger *l, const char *unit) {
    fprintf(out,
            "contacts    at most %ld at once; penetration %.3g m, cone exceeded by %.3g, creep in stick %.3g "
            "%s\n",
            l->contacts, l->penetration, l->cone_violation, l->creep, unit);
}

// Slips of joints whose friction is a torque are in rad/s, and the ledger has one number for all.
static const char *slip_unit(const br_model *model, int contacts) {
    int lengths = contacts, angles = 0;
    for (int k = 0; k < br_model_joint_count(model); k++) {
        if (!br_model_joint_friction(model, k)) continue;
        *(cli_friction_is_torque(model, k) ? &angles : &lengths) = 1;
    }
    return !angles ? "m/s" : lengths ? "m/s or rad/s" : "rad/s";
}

// measured: 0 where the stepper says nothing of loops.
static void print_ledger(FILE *out, const br_ledger *l, const br_model *model, int contacts, int rubs,
                         int measured) {
    fprintf(out, "energy, J              start              now           change\n");
    energy_line(out, "kinetic", l->start.kinetic, l->now.kinetic);
    energy_line(out, "potential", l->start.potential, l->now.potential);
    energy_line(out, "elastic", l->start.elastic, l->now.elastic);
    energy_line(out, "total", l->start.total, l->now.total);
    fprintf(out, "ledger, J   input = change of total + friction%s + damping + scheme + unaccounted\n",
            contacts || l->impact != 0.0 ? " + impact" : "");
    fprintf(out, "  %-12s %16.9g\n", "input", l->input);
    fprintf(out, "  %-12s %16.9g\n", "friction", l->friction);
    if (contacts || l->impact != 0.0) fprintf(out, "  %-12s %16.9g\n", "impact", l->impact);
    fprintf(out, "  %-12s %16.9g\n", "damping", l->damping);
    fprintf(out, "  %-12s %16.9g\n", "scheme", l->scheme);
    fprintf(out, "  %-12s %16.9g\n", "unaccounted", l->unaccounted);
    if (measured)
        fprintf(out, "loops       largest error %.3g (m or rad), %.3g (m/s or rad/s)\n", l->loop_error,
                l->loop_velocity_error);
    if (contacts) print_contacts(out, l, slip_unit(model, 1));
    if (rubs && !contacts)
        fprintf(out, "creep       %.3g %s, the fastest slip of a joint that sticks\n", l->creep,
                slip_unit(model, 0));
    if (l->residual > 0) fprintf(out, "residual    %.3e, the largest of a step\n", l->residual);
}

// Of the result, which carries what was changed by --set and where the run ends; else the model with both.
static void print_trust_command(FILE *out, const char *label, const run_request *r, const run_job *j) {
    char word[CLI_MAX_PATH + 8];
    cli_put_path(word, sizeof word, j->result_path ? j->result_path : r->path);
    fprintf(out, "%s: bristle trust%s", label, word);
    for (int k = 0; !j->result_path && k < r->overrides.count; k++) {
        const br_override *set = &r->overrides.item[k];
        char text[CLI_MAX_PATH];
        snprintf(text, sizeof text, "%s=%s", set->name, set->value);
        cli_put_word(word, sizeof word, text);
        fprintf(out, " --set%s", word);
    }
    if (!j->result_path && r->has_until) fprintf(out, " --until %.12g", r->until);
    fputc('\n', out);
}

enum { FEW_CONTACTS = 4 }; // a box on its corners: seconds. The search grows fast with every contact more

// One line; what hides behind it is told by bristle trust. Contacts alone are judged only when that is asked for, and
// then a reader should know that they were not. 0: nothing was to be said.
static int print_trust(FILE *out, const run_request *r, const run_job *j) {
    if (j->trusted) {
        const int judged = j->trust.intervals > 1 || j->trust.interval[0].verdict != BR_NOT_JUDGED;
        if (judged) trust_line(out, "trust", &j->trust);
        if (j->trust.credible && j->judgement.credible == BR_NOT_CREDIBLE)
            fprintf(out, "            friction alone would be credible\n");
        else
            trust_credible(out, judged ? "" : "trust", &j->trust);
        print_trust_command(out, "            more", r, j);
    } else if (j->trust_error.status != BR_OK) {
        fprintf(out, "trust       not judged: %s\n", j->trust_error.message);
    } else if (j->rubs && !r->no_trust && j->outcome == BR_RESULT_COMPLETE) {
        const long most = br_sim_ledger(j->sim).contacts;
        print_trust_command(out,
                            trust_has_joint_friction(j->sim)
                                ? "trust       not judged (under this stepper only when asked for)"
                            : most > FEW_CONTACTS
                                ? "trust       not judged (contacts alone, and so many may take minutes)"
                                : "trust       not judged (contacts alone)",
                            r, j);
    } else {
        return 0;
    }
    return 1;
}

static void print_files(FILE *out, const run_request *r, const run_job *j) {
    if (j->result_path)
        fprintf(out, "result      %s   (%ld row%s of %d channels)\n", j->result_path, j->rows,
                j->rows == 1 ? "" : "s", j->channels);
    if (j->result_path && j->trusted) fprintf(out, "            %s\n", j->trust_path);
    if (j->reduced)
        fprintf(out, "            the model has %d channels; the result keeps those of bodies and energies\n",
                br_sim_channel_count(j->sim));
    if (r->csv && strcmp(r->csv, "-") != 0)
        fprintf(out, "csv         %s   (%ld row%s of %d columns)\n", r->csv, j->rows, j->rows == 1 ? "" : "s",
                br_channels_count(j->csv_channels));
    if (j->dump_path)
        fprintf(out, "lcp         %s, %s   (step %d%s)\n", j->dump_path, j->dump_json, j->dumped,
                r->dump_last > r->dump_step ? ", the last of them" : "");
    if (r->hash) {
        char hash[RUN_HASH_TEXT];
        run_hash_text(j, hash);
        fprintf(out, "hash        %s\n", hash);
    }
    if (j->page[0]) fprintf(out, "report      %s\n", j->page);
    if (r->hash_log) fprintf(out, "hash log    %s\n", r->hash_log);
    if (r->events)
        fprintf(out, "events      %s   (%ld event%s)\n", r->events, j->event_count,
                j->event_count == 1 ? "" : "s");
    if (j->result_path && !j->page[0]) cli_print_next(out, "next        ", "report", j->result_path, "");
}

// Behind what the stepper leaves out, which stands at the top.
static const char *own_notes(const run_job *j) {
    const char *notes = j->notes;
    for (int k = 0; br_model_dropped(j->model, k, NULL); k++) notes = strchr(notes, '\n') + 1;
    return notes;
}

void run_report_text(FILE *out, const run_request *r, const run_job *j) {
    const br_ledger l = br_sim_ledger(j->sim);
    const br_settings *s = br_model_settings(j->model);
    fprintf(out, "model       %s (%s)\n", br_model_name(j->model), r->path);
    cli_print_dropped(out, j->model);
    print_parts(out, j->model);
    fprintf(out, "status      %s at t = %.12g s", br_result_outcome_name(j->outcome), br_sim_time(j->sim));
    if (j->outcome != BR_RESULT_COMPLETE)
        fprintf(out, " of %.12g s; the rows up to there are kept", j->until);
    fprintf(out, "\nsteps       %ld   (%s, %ld iterations, %ld evaluations)\n", l.steps,
            br_stepper_name(s->solver.stepper), l.iterations, l.evaluations);
    fprintf(out, "seconds     %.3f   (%.3g times real time)\n", j->seconds, real_time(j));
    if (is_implicit(j)) print_scheme(out, j);
    print_ledger(out, &l, j->model, br_model_shape_count(j->model) > 1,
                 trust_has_joint_friction(j->sim) && !is_implicit(j),
                 !is_implicit(j) || l.loop_error > 0 || l.loop_velocity_error > 0);
    print_clearances(out, j->model, &l);
    run_bars_text(out, j);
    cli_judgement_numbers(out, &j->judgement);
    const int said = print_trust(out, r, j);
    cli_judgement_reasons(out, &j->judgement, said);
    cli_print_notes(out, own_notes(j));
    if (j->unlocked)
        fprintf(out, "note        the file system of %s has no locks: another run could write to it\n",
                j->result_path);
    if (j->replaced) fprintf(out, "note        replaces %s, a result of %s\n", j->result_path, j->replaced);
    print_files(out, r, j);
}

// ---------------------------------------------------------------------------------------------------------- JSON

static void json_ledger(br_json *json, const br_ledger *l) {
    cli_json_energy(json, "energy_start", &l->start);
    cli_json_energy(json, "energy", &l->now);
    br_json o = br_json_object(json, "ledger");
    br_json_number(&o, "input", l->input);
    br_json_number(&o, "friction", l->friction);
    br_json_number(&o, "impact", l->impact);
    br_json_number(&o, "damping", l->damping);
    br_json_number(&o, "scheme", l->scheme);
    br_json_number(&o, "unaccounted", l->unaccounted);
    br_json_close_object(&o);
    br_json_number(json, "loop_error", l->loop_error);
    br_json_number(json, "loop_velocity_error", l->loop_velocity_error);
    br_json_number(json, "residual", l->residual);
    br_json_number(json, "penetration", l->penetration);
    br_json_number(json, "cone_violation", l->cone_violation);
    br_json_number(json, "creep", l->creep);
    br_json_whole(json, "contacts", l->contacts);
    br_json_whole(json, "steps", l->steps);
    br_json_whole(json, "iterations", l->iterations);
    br_json_whole(json, "evaluations", l->evaluations);
}

// null under the other steppers.
static void json_implicit(br_json *json, const run_job *j) {
    if (!is_implicit(j)) {
        br_json_null(json, "implicit");
        return;
    }
    const br_solver_settings *s = &br_model_settings(j->model)->solver;
    const br_step_info info = br_sim_step_info(j->sim);
    br_json o = br_json_object(json, "implicit");
    br_json_string(&o, "scheme", scheme_name(s));
    br_json_number(&o, "rho_infinity", s->rho_infinity);
    br_json_bool(&o, "adaptive", s->adaptive.on);
    br_json_number(&o, "mean_step", mean_step(j));
    br_json_number(&o, "last_step", info.step);
    br_json_number(&o, "step_error", info.by_error);
    br_json_number(&o, "step_contact", info.by_contact);
    br_json_number(&o, "step_friction", info.by_friction);
    br_json_string(&o, "limit", info.limit);
    br_json_whole(&o, "rejected", info.rejected);
    br_json_close_object(&o);
}

static void json_error(br_json *json, const run_job *j) {
    if (j->outcome != BR_RESULT_FAILED) {
        br_json_null(json, "error");
        return;
    }
    br_json o = br_json_object(json, "error");
    br_json_string(&o, "status", br_status_name(j->error.status));
    br_json_string(&o, "code", j->error.code);
    br_json_string(&o, "message", j->error.message);
    br_json_close_object(&o);
}

static void json_trust(br_json *json, const run_job *j) {
    br_json_string(json, "trust_error", j->trust_error.status == BR_OK ? NULL : j->trust_error.message);
    if (j->trusted) {
        br_json list = br_json_list(json, "trust");
        trust_json(&list, j->model, &j->trust);
        br_json_close_list(&list);
    } else {
        br_json_null(json, "trust");
    }
    br_json_string(json, "trust_file", j->trusted ? j->trust_path : NULL);
}

void run_report_json(const run_request *r, const run_job *j) {
    const br_ledger l = br_sim_ledger(j->sim);
    const br_settings *s = br_model_settings(j->model);
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)br_model_hash(j->model));
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", br_result_outcome_name(j->outcome));
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "file", r->path);
    br_json_string(&json, "hash", hash);
    br_json_string(&json, "stepper", br_stepper_name(s->solver.stepper));
    br_json_string(&json, "method",
                   s->solver.method == BR_SOLVER_BLOCK_PIVOT ? "pivoting" : br_solver_name(s->solver.method));
    br_json_string(&json, "coordinates", s->coordinates == BR_ABSOLUTE ? "absolute" : "reduced");
    br_json_number(&json, "t", br_sim_time(j->sim));
    br_json_number(&json, "until", j->until);
    br_json_number(&json, "step", s->solver.step);
    br_json_number(&json, "output", j->interval);
    br_json_number(&json, "seconds", j->seconds);
    br_json_number(&json, "real_time_factor", real_time(j));
    json_implicit(&json, j);
    json_ledger(&json, &l);
    cli_json_assembly(&json, "assembly", j->sim);
    br_json_lines(&json, "notes", j->notes);
    cli_json_dropped(&json, "dropped", j->model);
    br_json_whole(&json, "rows", j->rows);
    br_json_whole(&json, "event_count", j->event_count);
    br_json_string(&json, "result", j->kept_older ? NULL : j->result_path);
    br_json_bool(&json, "result_locked", j->result_path && !j->unlocked);
    br_json_string(&json, "replaced", j->replaced);
    br_json_whole(&json, "result_channels", j->channels);
    br_json_bool(&json, "result_reduced", j->reduced);
    json_trust(&json, j);
    run_bars_json(&json, j);
    cli_judgement_json(&json, &j->judgement);
    br_json_string(&json, "csv", r->csv);
    br_json_string(&json, "events", r->events);
    if (r->hash) {
        char run_hash[RUN_HASH_TEXT];
        run_hash_text(j, run_hash);
        br_json_string(&json, "run_hash", run_hash);
    }
    br_json_string(&json, "report", j->page[0] ? j->page : NULL);
    br_json_string(&json, "lcp", j->dump_path);
    br_json_string(&json, "lcp_json", j->dump_json);
    json_error(&json, j);
    br_json_end(&json);
}
