// What bristle check says of freedoms and redundant rows.
#include "check/freedom.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LISTED_IDLE = 12 }; // bodies that only turn about themselves

#define NEAR_SINGULAR 1e-4 // of the size of a row: less is held so weakly that it is said

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

// The element of a row "JOINT.force.x"; an element that has one row is called by its name, which may have dots.
static size_t element_length(const char *row, size_t length) {
    static const char *const parts[] = {".force.", ".torque."};
    for (int k = 0; k < 2; k++) {
        const size_t n = strlen(parts[k]) + 1;
        if (length > n && memcmp(row + length - n, parts[k], n - 1) == 0) return length - n;
    }
    return length;
}

// One line for each element: "joint D: force.z torque.x".
static void print_redundant(const char *rows) {
    const char *last = NULL;
    size_t last_length = 0;
    for (const char *p = rows; *p;) {
        const size_t length = strcspn(p, "\n"), n = element_length(p, length);
        if (!last || n != last_length || memcmp(p, last, n) != 0)
            printf("%s            %.*s:", last ? "\n" : "", (int)n, p);
        if (length > n)
            printf(" %.*s", (int)(length - n - 1), p + n + 1);
        else
            printf(" its one force or torque");
        last = p;
        last_length = n;
        p += length + (p[length] == '\n');
    }
    if (last) putchar('\n');
}

// What is said of the mechanism holds wherever it can go; a singular position has its own numbers.
static void print_singular(const br_mobility *m) {
    if (m->degrees_of_freedom_here > m->degrees_of_freedom)
        printf("            the model stands in a singular position: here, at an instant, it has %d degree%s "
               "of freedom, "
               "and\n            %d of %d rows depend on others. Branches of its motion may meet here: %d %s "
               "of the branch "
               "that\n            was found by moving on from here, another branch may have more or fewer\n",
               m->degrees_of_freedom_here, plural(m->degrees_of_freedom_here), m->redundant_here, m->rows,
               m->degrees_of_freedom, m->degrees_of_freedom == 1 ? "is that" : "are those");
    else if (m->grip < NEAR_SINGULAR)
        printf("            the model stands near a singular position: its weakest row holds with %.2g of "
               "its size\n",
               m->grip);
}

// "1 of them only turns a body about the line through its ball joints, and moves nothing else: coupler (b, c)"
static void print_idle(const br_mobility *m) {
    if (m->idle == 0) return;
    printf("            %d of them only turn%s a body about the line through two of its joints and move%s "
           "nothing else:\n",
           m->idle, m->idle == 1 ? "s" : "", m->idle == 1 ? "s" : "");
    int shown = 0;
    for (const char *p = m->idle_of; *p;) {
        const size_t n = strcspn(p, "\n");
        if (shown++ == MAX_LISTED_IDLE) break;
        printf("            %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    if (m->idle > shown || shown > MAX_LISTED_IDLE) printf("            ...\n");
}

static void print_contradiction(const br_mobility *m) {
    if (!(m->contradiction > 0.0)) return;
    printf("            redundant rows contradict each other: closed together as well as they can be, joint "
           "%s stays open by "
           "up to\n            %.3g (m or rad) in the positions that were looked at. A run closes as many "
           "rows as are "
           "independent and stops\n            where another is open by more than %.3g\n",
           m->contradicts, m->contradiction, m->contradiction_limit);
}

static void print_redundancy(const br_mobility *m, const char *rows) {
    if (m->redundant > 0)
        printf("redundant   %d of %d rows%s; reactions that the motion alone does not determine%s:\n",
               m->redundant, m->rows, m->too_large ? " in this position" : "",
               m->too_large || m->redundant_here > m->redundant ? " in this position" : "");
    else if (m->redundant_here > 0)
        printf("redundant   none of %d rows, but in this position reactions are not determined:\n", m->rows);
    else
        printf("redundant   none of %d rows: every reaction is determined\n", m->rows);
    print_redundant(rows);
    if (m->turned)
        printf("            (in the axes of the joint's frame on its first body, as solver.redundancy: "
               "eliminate(JOINT.ROW) has "
               "them; channels,\n            and what is named of friction and trust, have those of the "
               "frame on the second)\n");
}

void check_print_freedom(const br_mobility *m, const char *rows) {
    if (m->too_large > 1) {
        printf("freedom     %d degree%s of freedom or more: the model is too large to find out which rows "
               "depend on others\n",
               m->degrees_of_freedom, plural(m->degrees_of_freedom));
        return;
    }
    printf("freedom     %d degree%s of freedom%s\n", m->degrees_of_freedom, plural(m->degrees_of_freedom),
           m->too_large ? " in this position; the model is too large to look at others" : "");
    print_idle(m);
    print_singular(m);
    print_redundancy(m, rows);
    print_contradiction(m);
}
