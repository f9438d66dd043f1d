/*
 * Pages with reference counts, reported through fisql.h. One path forgets to give its reference
 * back; another gives back one that it never took.
 *
 *     fisql cc gcc -g -O1 -o refcount refcount.c && fisql record ./refcount
 */
#include <stdatomic.h>
#include <stdio.h>

#include "fisql.h"

struct page {
    atomic_int users;
    int number;
};

static void page_get(struct page *page)
{
    int before = atomic_fetch_add(&page->users, 1);
    FISQL_REF(page, before);
}

static void page_put(struct page *page)
{
    int before = atomic_fetch_sub(&page->users, 1);
    FISQL_UNREF(page, before);
    if (before == 1)
        FISQL_GONE(page); /* here it would be freed */
}

static int page_print(struct page *page)
{
    page_get(page);
    if (page->number == 2)
        return -1; /* and the reference? */
    printf("page %d\n", page->number);
    page_put(page);
    return 0;
}

static void page_close(struct page *page)
{
    if (page->number == 3)
        page_put(page); /* whose reference? */
    page_put(page);
}

int main(void)
{
    static struct page pages[] = {{0, 1}, {0, 2}, {0, 3}};
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        page_get(&pages[i]);
        failed += page_print(&pages[i]) != 0;
        page_close(&pages[i]);
    }
    printf("%d failed\n", failed);
    return 0;
}
