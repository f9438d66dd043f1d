/* Two files with functions of one name: the second. */
#include <stdio.h>
#include <stdlib.h>
static int same_name(int x) { return x + 2; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int other(int x) {
    int list[3] = {x, 2, 1};
    if (x > 1000) {
        fprintf(stderr, "too much\n");
        abort();
    }
    qsort(list, 3, sizeof list[0], compare);
    return same_name(list[0]);
}
