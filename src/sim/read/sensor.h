// Readings of sensors.
#ifndef BR_SIM_READ_SENSOR_H
#define BR_SIM_READ_SENSOR_H

#include "sim/read/reading.h"

const char *br_sensor_letters(const br_sim *sim, int sensor); // of its components: "", "xyz", "wxyz"
const char *br_sensor_unit(const br_sim *sim, int sensor);
br_status br_read_sensor(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

#endif
