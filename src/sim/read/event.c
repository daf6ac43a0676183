// Words of events, as results, tables and messages have them.
#include "bristle/result.h"

const char *br_event_kind_name(br_event_kind kind) {
    static const char *const names[] = {"stick", "slip", "contact_on", "contact_off", "limit", "load_knot"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}
