// What a scene has for pictures alone, as JSON.
#ifndef BR_IO_REPORT_SCENE_VISUAL_H
#define BR_IO_REPORT_SCENE_VISUAL_H

#include <stdio.h>

#include "model/model.h"

// `, "meshes": [...], "visuals": [...]`, nothing where a model has none. Files that cannot be read are left out. 0: no memory.
int br_io_scene_visuals(FILE *f, const br_model *model);

#endif
