// The exchange step that all tableau methods share. A dictionary says  basic = D nonbasic + constants;  exchanging basic
// r with nonbasic c rewrites it with the two swapped [CottlePangStone sec. 2.3].
#ifndef BR_LCP_PIVOT_DICTIONARY_H
#define BR_LCP_PIVOT_DICTIONARY_H

void br_dictionary_exchange(double *D, int rows, int columns, int stride, int r, int c);

#endif
