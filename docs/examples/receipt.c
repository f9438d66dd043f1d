/* The program of growing-calls in the manual: append() looks for the end of its list each time, and
 * is_known() goes through the words that the receipt has so far. */
#include <stdlib.h>
#include <string.h>

struct line {
    struct line *next;
    int price;
};

static void append(struct line **list, int price)
{
    while (*list != NULL)
        list = &(*list)->next;
    *list = calloc(1, sizeof **list);
    if (*list != NULL)
        (*list)->price = price;
}

static int is_known(const int *words, int count, int word)
{
    for (int i = 0; i < count; i++)
        if (words[i] == word)
            return 1;
    return 0;
}

static int print_receipt(int lines)
{
    int words[2000], count = 0;
    for (int i = 0; i < lines && count < 2000; i++)
        if (!is_known(words, count, i * 7))
            words[count++] = i * 7;
    return count;
}

int main(void)
{
    struct line *list = NULL;
    int printed = 0;
    for (int i = 0; i < 5000; i++)
        append(&list, i);
    for (int i = 0; i < 10; i++)
        printed += print_receipt(1500);
    while (list != NULL) {
        struct line *next = list->next;
        free(list);
        list = next;
    }
    return printed == 0;
}
