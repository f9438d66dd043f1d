/* A double release: a reference is given back twice, far from where the object is used again. */
#include <stdlib.h>

struct page {
    int references, number;
};

struct page *page_new(int number)
{
    struct page *page = calloc(1, sizeof *page);
    page->references = 1;
    page->number = number;
    return page;
}

void page_hold(struct page *page)
{
    page->references++;
}

void page_drop(struct page *page)
{
    if (--page->references == 0)
        free(page);
}

int page_read(const struct page *page)
{
    return page->number;
}

void index_close(struct page *page)
{
    page_drop(page);
}

void index_abort(struct page *page)
{
    page_drop(page); /* GUILTY: index_close() did so already */
}

int main(void)
{
    struct page *page = page_new(3);
    int sum = 0;
    page_hold(page);
    for (int i = 0; i < 5; i++)
        sum += page_read(page);
    index_close(page);
    index_abort(page);
    sum += page_read(page); /* noticed */
    return sum == 1;
}
