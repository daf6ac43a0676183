// The nearest right spelling, for messages.
#include <ctype.h>
#include <string.h>

#include "bristle/base.h"

enum { MAX_WORD = 128 }; // longer words get no suggestion

static int least(int a, int b) {
    return a < b ? a : b;
}

// Edit distance with swaps of neighbours, three rows of the table at a time.
static int distance(const char *a, int n, const char *b, int m) {
    int table[3][MAX_WORD + 1];
    int *before = table[0], *above = table[1], *row = table[2];
    for (int j = 0; j <= m; j++) above[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            const int swapped = i > 1 && j > 1 &&
                                tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 2]) &&
                                tolower((unsigned char)a[i - 2]) == tolower((unsigned char)b[j - 1]);
            if (swapped) row[j] = least(row[j], before[j - 2] + 1);
        }
        int *const free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[m];
}

const char *br_nearest_word(const char *word, const char *const *words, size_t count) {
    const size_t length = strlen(word);
    if (length == 0 || length > MAX_WORD) return NULL;
    const char *best = NULL;
    int best_distance = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t other = strlen(words[k]);
        if (other > MAX_WORD) continue;
        const int d = distance(word, (int)length, words[k], (int)other);
        // A third of the letters wrong is a typing error; more is another word.
        const int allowed = (int)(length > other ? length : other) / 3;
        if (d > (allowed > 0 ? allowed : (length == other ? 0 : 1))) continue;
        if (best && d >= best_distance) continue;
        best = words[k];
        best_distance = d;
    }
    return best;
}
