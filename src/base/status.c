// Names of statuses, and the version.
#include "bristle/base.h"

const char *br_status_name(br_status status) {
    switch (status) {
    case BR_OK:
        return "ok";
    case BR_INVALID:
        return "invalid";
    case BR_PARSE:
        return "parse";
    case BR_IO:
        return "io";
    case BR_NO_MEMORY:
        return "no_memory";
    case BR_TOO_LARGE:
        return "too_large";
    case BR_NUMERICAL:
        return "numerical";
    }
    return "unknown";
}

const char *br_version(void) {
    return BR_VERSION;
}
