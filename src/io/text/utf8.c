// UTF-8, see bristle/text.h.
#include "bristle/text.h"

size_t br_utf8_decode(const char *text, size_t size, unsigned *code) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    const size_t n = size == 0     ? 0
                     : p[0] < 0x80 ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;
    if (n == 0 || n > size) return 0;
    unsigned c = n == 1 ? p[0] : p[0] & (0xffU >> (n + 1));
    for (size_t k = 1; k < n; k++) {
        if ((p[k] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[k] & 0x3fU);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
    if (code) *code = c;
    return n;
}

size_t br_utf8_encode(unsigned code, char out[4]) {
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t k = n; k-- > 1; code >>= 6) out[k] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[n] | code);
    return n;
}
