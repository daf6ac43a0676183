// The file that HDF5 writes to, as HDF5 sees it: one that never fails. HDF5 1.10 cannot close a file whose last bytes found no
// room: it keeps half of it, and the program ends in a crash. So what cannot be written is dropped here, and remembered.
#ifndef BR_IO_HDF5_DISK_H
#define BR_IO_HDF5_DISK_H

#include <hdf5.h>

// Files made with these properties are written through here. *failure becomes the errno of the first write that failed; it has
// to live until the file is closed. 0: it could not be arranged.
int io_h5_use_disk(hid_t access, int *failure);

#endif
