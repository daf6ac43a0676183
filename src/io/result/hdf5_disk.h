// The file that HDF5 writes to, as HDF5 sees it: one that never fails. HDF5 1.10 cannot close a file whose last bytes found no
// room: it keeps half of it, and the program ends in a crash. So what cannot be written is dropped here, and remembered.
#ifndef BR_IO_RESULT_HDF5_DISK_H
#define BR_IO_RESULT_HDF5_DISK_H

#include <hdf5.h>

// Files made with these properties are written through here. *failure becomes the errno of the first write that failed; it has
// to live until the file is closed. Returns the driver, which br_io_h5_leave_disk gives back once the file is closed: HDF5 1.10 calls
// through it while it closes the file, and the file's own hold on it ends before that. Below 0: it could not be arranged.
hid_t br_io_h5_use_disk(hid_t access, int *failure);
void br_io_h5_leave_disk(hid_t driver); // accepts what is below 0

#endif
