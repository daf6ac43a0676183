#include "io/result/hdf5_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct disk {
    H5FD_t base; // HDF5's own, first
    int file;
    haddr_t allocated, written; // ends of what HDF5 wants and of what there is
    int *failure;
} disk;

#define LARGEST (((haddr_t)1 << 62) - 1) // offset of a file

static void fail(disk *d) {
    if (*d->failure == 0) *d->failure = errno ? errno : EIO;
}

// ----------------------------------------------------------------------------------------------------------- calls

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    int *const *failure = H5Pget_driver_info(access);
    disk *d = failure && *failure ? calloc(1, sizeof *d) : NULL;
    (void)most;
    if (!d) return NULL;
    d->failure = *failure;
    d->file = open(name, O_RDWR | O_CLOEXEC | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0));
    if (d->file >= 0) return &d->base;
    fail(d);
    free(d);
    return NULL;
}

static herr_t disk_close(H5FD_t *base) {
    disk *d = (disk *)(void *)base;
    if (close(d->file) != 0) fail(d);
    free(d);
    return 0;
}

// As the driver that HDF5 uses by itself, so that the files are the same.
static herr_t disk_query(const H5FD_t *base, unsigned long *flags) {
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t disk_allocated(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const disk *)(const void *)base)->allocated;
}

static herr_t disk_allocate(H5FD_t *base, H5FD_mem_t type, haddr_t end) {
    (void)type;
    ((disk *)(void *)base)->allocated = end;
    return 0;
}

static haddr_t disk_written(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const disk *)(const void *)base)->written;
}

// What was never written is zero.
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *out) {
    const disk *d = (const disk *)(const void *)base;
    char *bytes = out;
    (void)type, (void)transfer;
    while (size > 0) {
        const ssize_t n = pread(d->file, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) {
            memset(bytes, 0, size);
            break;
        }
        bytes += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t disk_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         const void *from) {
    disk *d = (disk *)(void *)base;
    const char *bytes = from;
    (void)type, (void)transfer;
    if (at + size > d->written) d->written = at + size;
    while (size > 0 && *d->failure == 0) {
        errno = 0;
        const ssize_t n = pwrite(d->file, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            fail(d);
            break;
        }
        bytes += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t disk_truncate(H5FD_t *base, hid_t transfer, hbool_t closing) {
    disk *d = (disk *)(void *)base;
    (void)transfer, (void)closing;
    if (d->allocated == d->written) return 0;
    if (*d->failure == 0 && ftruncate(d->file, (off_t)d->allocated) != 0) fail(d);
    d->written = d->allocated;
    return 0;
}

// ----------------------------------------------------------------------------------------------------------- whole

// Nothing that was written is asked for again: what was dropped could not be read.
static int keep_all(hid_t access) {
    H5AC_cache_config_t cache;
    memset(&cache, 0, sizeof cache);
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    if (H5Pget_mdc_config(access, &cache) < 0) return 0;
    cache.evictions_enabled = 0;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(access, &cache) >= 0;
}

hid_t br_io_h5_use_disk(hid_t access, int *failure) {
    static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)512,
#endif
        .name = "bristle",
        .maxaddr = LARGEST,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(int *),
        .open = disk_open,
        .close = disk_close,
        .query = disk_query,
        .get_eoa = disk_allocated,
        .set_eoa = disk_allocate,
        .get_eof = disk_written,
        .read = disk_read,
        .write = disk_write,
        .truncate = disk_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    const hid_t id = H5FDregister(&driver);
    *failure = 0;
    if (id >= 0 && H5Pset_driver(access, id, &failure) >= 0 && keep_all(access)) return id;
    if (id >= 0) H5FDunregister(id);
    return -1;
}

void br_io_h5_leave_disk(hid_t driver) {
    if (driver >= 0) H5FDunregister(driver);
}
