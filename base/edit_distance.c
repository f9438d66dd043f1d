/* Edits between words: see edit_distance.h. */
#include "base/edit_distance.h"

#include "base/must.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    must(a_length <= EDIT_WORD_MAX && b_length <= EDIT_WORD_MAX);
    size_t rows[3][EDIT_WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(smaller(last[j] + 1, row[j - 1] + 1), replaced);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}
