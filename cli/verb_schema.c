// bristle schema: the JSON Schema of the model format, for editors.
#include "bristle/io.h"
#include "cli.h"

static int verb_schema(int argc, char **argv) {
    int json = 0, count = 0;
    const cli_option options[] = {{"--json", NULL, &json}};
    if (!cli_parse(argc, argv, options, 1, NULL, 0, &count)) return EXIT_USAGE;
    size_t size;
    const char *schema = br_model_schema(&size);
    fwrite(schema, 1, size, stdout);
    return EXIT_FINE;
}

const cli_verb cli_verb_schema = {
    .name = "schema",
    .summary = "the JSON Schema of the model format, for editors",
    .help =
        "bristle schema [options]\n\n"
        "Prints the JSON Schema of model files. An editor that knows it completes keys and marks mistakes:\n"
        "  bristle schema > bristle-model-1.schema.json\n"
        "and at the head of a model, for editors with the YAML language server:\n"
        "  # yaml-language-server: $schema=bristle-model-1.schema.json\n\n"
        "  --json               the same: a schema is JSON\n\n"
        "Exit codes: 0 fine, 1 usage.\n",
    .run = verb_schema,
};
