// An XML file as a tree of elements with their places. Made for model formats: attributes matter, of text only a short
// word or number that is all an element holds.
//
// Nothing outside the file is ever looked at: a document type declaration, and with it every entity of its
// own and every external reference, is refused. Depth and size are capped before memory is taken.
#ifndef BR_IO_IMPORT_XML_TREE_H
#define BR_IO_IMPORT_XML_TREE_H

#include "base/arena.h"

#define BR_MAX_XML_BYTES (64L << 20) // of one file
#define BR_MAX_XML_DEPTH 2000        // nested elements; readers recurse over them
#define BR_MAX_XML_NODES (1 << 21)   // elements of one file

typedef struct io_xml_attribute {
    const char *name, *value;
} io_xml_attribute;

typedef struct io_xml_node {
    const char *name;
    const char *file;
    int line, column; // of its "<"
    int text_line;    // of the first text in it that is not blank; 0: none
    const char
        *text; // of an element without children, blanks around it cut off; NULL: none, or 63 bytes and more
    int scope; // a number for readers of trees that are put together from several; 0
    int attributes;
    const io_xml_attribute *attribute;
    struct io_xml_node *parent, *first, *last, *next; // last: of the children, as first
} io_xml_node;

// Everything is in the arena. *root is untouched on failure.
br_status br_io_xml_load(const char *path, br_arena *arena, io_xml_node **root, br_error *error);

// The same, with the whole text of elements without children, however long, blanks and all.
br_status br_io_xml_load_texts(const char *path, br_arena *arena, io_xml_node **root, br_error *error);

const char *br_io_xml_get(const io_xml_node *node, const char *name); // NULL: there is no such attribute

// Of an attribute that is missing: "; did you mean size for 'sise'?" where another is nearly it, else "".
#define IO_XML_HINT 160
const char *br_io_xml_hint(const io_xml_node *node, const char *missing, char out[IO_XML_HINT]);

#endif
