// What the verbs of the program share. The program uses nothing but the public headers.
#ifndef BR_CLI_H
#define BR_CLI_H

#include <stdio.h>

#include "bristle/base.h"
#include "bristle/text.h"

// Exit codes, the same for every verb.
enum {
    EXIT_FINE = 0,
    EXIT_USAGE = 1,     // wrong usage, bad file or model
    EXIT_NUMERICAL = 2, // did not converge, no solution, ...
    EXIT_DOUBTFUL = 3,  // ran, but is not credible; with --strict only
};

// One row of the table of verbs: `bristle VERB ...`.
typedef struct cli_verb {
    const char *name;
    const char *summary;               // one line of `bristle --help`
    const char *help;                  // what `bristle VERB --help` prints
    int (*run)(int argc, char **argv); // argv[0] is the verb; returns an exit code
} cli_verb;

// ------------------------------------------------------------------------------------------------- arguments

typedef struct cli_option {
    const char *name;   // "--tol"; an alias after a bar: "--output|-o"
    const char **value; // receives the argument that follows; NULL for a switch
    int *present;       // set to 1 when given; may be NULL
} cli_option;

// Sorts argv[1 ..] into options and at most `most` plain arguments. Prints what is wrong, with the nearest right
// spelling, and returns 0; else 1.
int cli_parse(int argc, char **argv, const cli_option *options, int option_count, const char **plain,
              int most, int *count);

// The value of an option. Each prints what is wrong and returns 0; else 1.
int cli_parse_not_negative(const char *verb, const char *name, const char *text, double *out);
int cli_parse_positive(const char *verb, const char *name, const char *text, double *out);
int cli_parse_whole(const char *verb, const char *name, const char *text, int least, int most, int *out);

// --channels A,B,... as a list of at most `most` patterns. *copy, which the caller frees, is the text behind them. Returns how
// many; 0 after it printed what is wrong.
int cli_split_channels(const char *verb, const char *text, char **copy, const char **pattern, int most);

// Whether a table can go to `csv`: not to standard output beside --json, not over the model. NULL: there is none.
int cli_check_csv(const char *verb, const char *csv, const char *model, int json);

int cli_has_ending(const char *path, const char *ending); // and something before it

// Whether both names lead to one file, directly or through links. Terminals and pipes are never the same.
int cli_same_file(const char *a, const char *b);
// Whether writing to one name would overwrite the other; also of files that are not there yet.
int cli_same_target(const char *a, const char *b);

// ---------------------------------------------------------------------------------------------------- messages

// Called once, by main: from now on every error is also a JSON object on stdout.
void cli_errors_as_json(void);

// Fills in *error and returns status; file NULL or line 0: there is none.
br_status cli_error(br_error *error, br_status status, const char *code, const char *file, int line,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
br_status cli_no_memory(br_error *error, const char *message);
br_status cli_unwritable(br_error *error, const char *path); // errno says why

// `bristle: FILE:LINE:COLUMN: message`, and the command that explains it.
void cli_print_error(const br_error *error);
void cli_print_error_text(
    const br_error *error); // on stderr only, where the JSON of the verb itself tells of it
void cli_usage_error(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
// With what was typed as the next command, the word `from` replaced; from NULL: `to` is the command.
void cli_usage_error_next(const char *verb, const char *from, const char *to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// What was typed, kept by main before a verb takes it apart.
void cli_typed(int argc, char **argv);
void cli_typed_free(void);
// The same command with the word `from` replaced by `to`. 0: not typed, or not to be written on one line.
int cli_typed_with(const char *from, const char *to, char *out, size_t size);
// A blank and the word as a shell reads it back; returns how many bytes.
size_t cli_put_word(char *out, size_t size, const char *word);
size_t cli_put_path(char *out, size_t size, const char *path); // of a file: never read as an option
// "LABELbristle VERB PATH" and `more`, in words that a shell reads back; the second with every --set that was typed.
void cli_print_next(FILE *out, const char *label, const char *verb, const char *path, const char *more);
void cli_print_next_set(FILE *out, const char *label, const char *verb, const char *path, const char *more);
// The next command after an error, "" for none; may add to the message what was probably meant.
void cli_suggest(br_error *error, char *next, size_t size);

#endif
