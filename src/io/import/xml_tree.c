#include "io/import/xml_tree.h"

#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bristle/io.h"
#include "io/text/text.h"

enum { TEXT = 64 };       // bytes of a text that is kept
enum { CHUNK = 1 << 20 }; // bytes handed to the parser at once; its sizes are int

typedef struct loader {
    XML_Parser parser;
    br_arena *arena;
    const char *path;
    io_xml_node *root, *open; // the element being read
    int depth, nodes;
    char text[TEXT]; // of the open element, from the first byte that is not blank
    int text_size;   // TEXT: too long to keep
    int whole;       // texts of any length are kept, in long_text
    char *long_text;
    int long_size, long_capacity;
    br_status status; // of the first fault that a handler found
    br_error *error;
} loader;

static int line_of(const loader *l) {
    return (int)XML_GetCurrentLineNumber(l->parser);
}

static int column_of(const loader *l) {
    return (int)XML_GetCurrentColumnNumber(l->parser) + 1;
}

// Keeps the first fault: the parser may call a handler once more before it stops.
static int xml_tree_refuse(loader *l, br_status status, const char *code, const char *message) {
    if (l->status == BR_OK)
        l->status = br_fail_at(l->error, status, code, l->path, line_of(l), column_of(l), "%s", message);
    XML_StopParser(l->parser, XML_FALSE);
    return 0;
}

static int out_of_memory(loader *l) {
    return xml_tree_refuse(l, BR_NO_MEMORY, "out-of-memory", "not enough memory to read it");
}

static char *append(char **at, const char *text) {
    char *begin = *at;
    const size_t size = strlen(text) + 1;
    memcpy(begin, text, size);
    *at += size;
    return begin;
}

// One piece of memory holds the element, its attributes and all their text.
static io_xml_node *make_node(loader *l, const char *name, const char **pairs) {
    size_t size = strlen(name) + 1;
    int count = 0;
    for (; pairs[2 * count]; count++) size += strlen(pairs[2 * count]) + strlen(pairs[2 * count + 1]) + 2;
    size += sizeof(io_xml_node) + (size_t)count * sizeof(io_xml_attribute);
    io_xml_node *node = br_arena_take(l->arena, 1, size);
    if (!node) return NULL;
    io_xml_attribute *attribute = (io_xml_attribute *)(node + 1);
    char *text = (char *)(attribute + count);
    node->name = append(&text, name);
    for (int k = 0; k < count; k++) {
        attribute[k].name = append(&text, pairs[2 * k]);
        attribute[k].value = append(&text, pairs[2 * k + 1]);
    }
    node->file = l->path;
    node->line = line_of(l);
    node->column = column_of(l);
    node->attributes = count;
    node->attribute = attribute;
    return node;
}

static void XMLCALL on_start(void *context, const char *name, const char **pairs) {
    loader *l = context;
    if (l->status != BR_OK) return;
    if (++l->depth > BR_MAX_XML_DEPTH) {
        xml_tree_refuse(l, BR_TOO_LARGE, "xml-too-deep", "elements are nested more than 2000 deep");
        return;
    }
    if (++l->nodes > BR_MAX_XML_NODES) {
        xml_tree_refuse(l, BR_TOO_LARGE, "xml-too-large", "there are more than 2097152 elements");
        return;
    }
    io_xml_node *node = make_node(l, name, pairs);
    if (!node) {
        out_of_memory(l);
        return;
    }
    node->parent = l->open;
    if (!l->open) {
        l->root = node;
    } else if (l->open->last) {
        l->open->last->next = node;
        l->open->last = node;
    } else {
        l->open->first = l->open->last = node;
    }
    l->open = node;
    l->text_size = l->long_size = 0;
}

static void keep_text(loader *l) {
    const int kept = l->text_size > 0 && l->text_size < TEXT && !l->open->first;
    int size = l->text_size;
    l->text_size = 0;
    if (!kept) return;
    while (size > 0 && strchr(" \t\r\n", l->text[size - 1])) size--;
    char *copy = BR_TAKE(l->arena, char, size + 1);
    if (copy)
        l->open->text = memcpy(copy, l->text, (size_t)size);
    else
        out_of_memory(l);
}

static void keep_long_text(loader *l) {
    if (l->long_size == 0 || l->open->first) return;
    char *copy = BR_TAKE(l->arena, char, l->long_size + 1);
    if (!copy) {
        out_of_memory(l);
        return;
    }
    l->open->text = memcpy(copy, l->long_text, (size_t)l->long_size);
    l->long_size = 0;
}

static void add_long_text(loader *l, const char *text, int length) {
    for (int k = 0; k < length; k++) {
        if (!BR_GROW(l->arena, l->long_text, l->long_size, l->long_capacity)) {
            out_of_memory(l);
            return;
        }
        l->long_text[l->long_size++] = text[k];
    }
}

static void XMLCALL on_end(void *context, const char *name) {
    loader *l = context;
    (void)name;
    if (l->status != BR_OK || !l->open) return;
    if (l->whole)
        keep_long_text(l);
    else
        keep_text(l);
    l->open = l->open->parent;
    l->depth--;
}

static void XMLCALL on_text(void *context, const char *text, int length) {
    loader *l = context;
    if (l->status != BR_OK || !l->open) return;
    if (l->whole) add_long_text(l, text, length);
    for (int k = 0; k < length && l->text_size < TEXT; k++) {
        const int blank = text[k] != '\0' && strchr(" \t\r\n", text[k]) != NULL;
        if (blank && l->text_size == 0) continue;
        if (!blank && l->open->text_line == 0) l->open->text_line = line_of(l);
        l->text[l->text_size++] = text[k];
    }
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system, const char *public,
                               int has_subset) {
    (void)name, (void)system, (void)public, (void)has_subset;
    xml_tree_refuse(
        context, BR_INVALID, "xml-doctype",
        "has a document type declaration (<!DOCTYPE ...>): entities and external references are not read");
}

// The name of a closing tag; empty where the file is not in bytes, as UTF-16 is.
static io_token tag_at(const char *p, const char *end) {
    while (p < end && (*p == '<' || *p == '/')) p++;
    io_token tag = {p, p};
    while (tag.end < end && *tag.end != '>' && !strchr(" \t\r\n", *tag.end)) tag.end++;
    if (tag.end < end && *tag.end == '\0') tag.end = tag.begin;
    return tag;
}

// Tags that do not fit are told with both names and where the open one began: the place of the parser is only that of the
// tag it stumbled over.
static br_status not_xml(loader *l, const io_text *text, enum XML_Error code) {
    char closing[IO_SHOWN], open[IO_SHOWN];
    const XML_Index at = XML_GetCurrentByteIndex(l->parser);
    const size_t size = (size_t)(text->end - text->data);
    if (l->open) br_io_show((io_token){l->open->name, l->open->name + strlen(l->open->name)}, open);
    if (l->open && code == XML_ERROR_NO_ELEMENTS)
        return br_fail_at(l->error, BR_PARSE, "xml-syntax", l->path, line_of(l), column_of(l),
                          "is not XML: it ends before </%s>, which closes the <%s> of line %d", open, open,
                          l->open->line);
    const io_token tag = l->open && code == XML_ERROR_TAG_MISMATCH && at >= 0 && (size_t)at < size
                             ? tag_at(text->data + at, text->end)
                             : (io_token){NULL, NULL};
    if (tag.end > tag.begin)
        return br_fail_at(l->error, BR_PARSE, "xml-syntax", l->path, line_of(l), column_of(l),
                          "is not XML: </%s>, expected </%s>, which closes the <%s> of line %d",
                          br_io_show(tag, closing), open, open, l->open->line);
    return br_fail_at(l->error, BR_PARSE, "xml-syntax", l->path, line_of(l), column_of(l), "is not XML: %s",
                      XML_ErrorString(code));
}

// Blanks and remarks before `<?xml ...?>`, which many programs forgive; 0: there is no such declaration behind them.
static size_t before_declaration(const io_text *text) {
    const char *p = text->data;
    for (;;) {
        while (p < text->end && strchr(" \t\r\n", *p) && *p) p++;
        const size_t left = (size_t)(text->end - p);
        if (left > 5 && memcmp(p, "<?xml", 5) == 0 && strchr(" \t\r\n", p[5]))
            return (size_t)(p - text->data);
        if (left < 7 || memcmp(p, "<!--", 4) != 0) return 0;
        for (p += 4; p + 3 <= text->end && memcmp(p, "-->", 3) != 0;) p++;
        if (p + 3 > text->end) return 0;
        p += 3;
    }
}

// The declaration as blanks, so that the places of what follows stay. Only of text in bytes: an encoding that it names is lost.
static br_status hide_declaration(loader *l, io_text *text) {
    const size_t before = before_declaration(text), size = (size_t)(text->end - text->data);
    if (before == 0) return BR_OK;
    char *copy = BR_TAKE(l->arena, char, size + 1);
    if (!copy) return br_no_memory_at(l->error, l->path, "not enough memory to read it");
    memcpy(copy, text->data, size);
    const char *end = strstr(copy + before, "?>");
    for (char *p = copy + before; end && p < end + 2; p++)
        if (*p != '\n') *p = ' ';
    text->data = copy;
    text->end = copy + size;
    return BR_OK;
}

static br_status parse(loader *l, const io_text *text) {
    const char *at = text->data;
    for (;;) {
        const size_t left = (size_t)(text->end - at);
        const int size = left < CHUNK ? (int)left : CHUNK;
        const int final = (size_t)size == left;
        if (XML_Parse(l->parser, at, size, final) != XML_STATUS_OK) break;
        if (final) return BR_OK;
        at += size;
    }
    if (l->status != BR_OK) return l->status;
    const enum XML_Error code = XML_GetErrorCode(l->parser);
    if (code == XML_ERROR_NO_MEMORY) out_of_memory(l);
    if (l->status != BR_OK) return l->status;
    return not_xml(l, text, code);
}

static br_status xml_load(const char *path, int whole, br_arena *arena, io_xml_node **root, br_error *error) {
    io_text text;
    br_status status = br_io_text_load_up_to(&text, path, "a model file", BR_MAX_XML_BYTES, arena, error);
    if (status != BR_OK) return status;
    const size_t length = strlen(path) + 1;
    char *own_path = BR_TAKE(arena, char, length);
    loader l = {.parser = XML_ParserCreate(NULL), .arena = arena, .error = error, .whole = whole};
    if (!l.parser || !own_path) {
        if (l.parser) XML_ParserFree(l.parser);
        return br_no_memory_at(error, path, "not enough memory to read it");
    }
    l.path = memcpy(own_path, path, length);
    XML_SetUserData(l.parser, &l);
    XML_SetElementHandler(l.parser, on_start, on_end);
    XML_SetCharacterDataHandler(l.parser, on_text);
    XML_SetStartDoctypeDeclHandler(l.parser, on_doctype);
    status = hide_declaration(&l, &text);
    if (status == BR_OK) status = parse(&l, &text);
    XML_ParserFree(l.parser);
    if (status != BR_OK) return status;
    *root = l.root;
    return BR_OK;
}

br_status br_io_xml_load(const char *path, br_arena *arena, io_xml_node **root, br_error *error) {
    return xml_load(path, 0, arena, root, error);
}

br_status br_io_xml_load_texts(const char *path, br_arena *arena, io_xml_node **root, br_error *error) {
    return xml_load(path, 1, arena, root, error);
}

const char *br_io_xml_get(const io_xml_node *node, const char *name) {
    for (int k = 0; k < node->attributes; k++)
        if (strcmp(node->attribute[k].name, name) == 0) return node->attribute[k].value;
    return NULL;
}

// Names of three letters are too near each other (ixx and ixy), and so are body1 and body2.
static int may_be_misspelt(const char *name, const char *missing) {
    const size_t n = strlen(name), m = strlen(missing);
    const int numbered =
        n > 0 && m > 0 && strchr("0123456789", name[n - 1]) && strchr("0123456789", missing[m - 1]);
    return m > 3 && !(numbered && name[n - 1] != missing[m - 1]);
}

const char *br_io_xml_hint(const io_xml_node *node, const char *missing, char out[IO_XML_HINT]) {
    char shown[IO_SHOWN];
    out[0] = '\0';
    for (int k = 0; k < node->attributes && !out[0]; k++) {
        const char *name = node->attribute[k].name;
        if (!may_be_misspelt(name, missing) || !br_nearest_word(missing, &name, 1)) continue;
        br_io_show((io_token){name, name + strlen(name)}, shown);
        snprintf(out, IO_XML_HINT, "; did you mean %.40s for '%s'?", missing, shown);
    }
    return out;
}
