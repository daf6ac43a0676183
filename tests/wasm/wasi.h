// What POSIX has and wasi-libc has not: declared before everything else, defined in bits.c.
#ifndef WASM_WASI_H
#define WASM_WASI_H

char *realpath(const char *path, char *resolved);

#endif
