// The table of a sweep as an HDF5 file, for h5py and MATLAB.
//
//     /          format ("bristle sweep"), layout, program_version, model, spec_hash: attributes; spec: a dataset
//     /table     run, parameters, columns, status, hash, error: a dataset each, in the order of table.csv and with its names.
//                Numbers where every cell is one or empty (NaN), with the parameter's unit as attribute; else texts
#ifndef BR_SWEEP_TABLE_HDF5_H
#define BR_SWEEP_TABLE_HDF5_H

#include "sweep/rows.h"

int br_table_is_hdf5(const char *path); // by its ending
br_status br_table_write_hdf5(const br_sweep *sweep, const char *path, const sweep_row *rows,
                              br_error *error);

#endif
