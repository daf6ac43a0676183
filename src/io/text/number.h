// Numbers as text.
#ifndef BR_IO_TEXT_NUMBER_H
#define BR_IO_TEXT_NUMBER_H

#include <stddef.h>

#define IO_MAX_NUMBER 40 // bytes of one, the final zero included

// As printf("%.*g", digits, x) writes it where the decimal point is a point, whatever the locale; 1 to 17 digits. Returns its
// length. inf and nan are "inf" and "nan", with their sign.
size_t br_io_format_number(char out[IO_MAX_NUMBER], double x, int digits);

#endif
