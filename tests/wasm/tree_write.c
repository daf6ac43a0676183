// tree_write MODEL.yaml: its tree as tree.h reads it, on stdout.
#include <stdio.h>
#include <stdlib.h>

#include "io/yaml/yaml.h"

static void write_node(const yaml_node *node) {
    if (node->kind == YAML_SCALAR) {
        printf("%c%d:", node->quoted ? 'q' : 's', node->count);
        fwrite(node->text, 1, (size_t)node->count, stdout);
        return;
    }
    putchar(node->kind == YAML_MAP ? '{' : '[');
    for (const yaml_node *child = node->first; child; child = child->next) {
        if (child->key) write_node(child->key);
        write_node(child);
    }
    putchar(node->kind == YAML_MAP ? '}' : ']');
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    char *text = malloc(BR_MAX_MODEL_BYTES);
    if (!file || !text) return 1;
    const size_t size = fread(text, 1, BR_MAX_MODEL_BYTES, file);
    br_arena arena;
    br_error error = {0};
    yaml_node *root = NULL;
    br_arena_init(&arena, NULL);
    const br_status status = br_yaml_parse(text, size, argv[1], &arena, &root, &error);
    if (status == BR_OK && root) write_node(root);
    if (status != BR_OK) fprintf(stderr, "%s\n", error.message);
    br_arena_free(&arena);
    free(text);
    fclose(file);
    return status != BR_OK;
}
