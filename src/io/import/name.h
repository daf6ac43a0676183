// Names for what comes from other programs, whose rules for names are others.
#ifndef BR_IO_IMPORT_NAME_H
#define BR_IO_IMPORT_NAME_H

#include "model/def/names.h"

// wish, made right and unique: letters that a name may not have become '_', long names are cut, and a number is added
// to what is taken. The name is in the arena and is taken from now on. BR_NO_MEMORY is the only fault.
br_status br_io_import_name(br_arena *arena, br_names *taken, const char *wish, const char **out);

#endif
