/* words: counts the different words of a text that it makes up. What an agent finds in it: docs/agents.md.
 * With -DINDEXED it looks words up by their first letter
 * behind what all have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 2000, LETTERS = 26, PREFIX = 8 };

struct list {
    char *words[WORDS_MAX];
    int count;
};

static struct list lists[LETTERS];

static int same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static int is_known(const struct list *list, const char *word)
{
    for (int i = 0; i < list->count; i++)
        if (same(list->words[i], word))
            return 1;
    return 0;
}

static struct list *list_of(const char *word)
{
#ifdef INDEXED
    return &lists[word[PREFIX] - 'a'];
#else
    return word[PREFIX] != '\0' ? &lists[0] : NULL;
#endif
}

static void add(const char *word)
{
    struct list *list = list_of(word);
    char *copy = strdup(word);
    if (!is_known(list, word))
        list->words[list->count++] = copy; /* else it is lost */
}

static void make_word(unsigned *seed, char word[16])
{
    strcpy(word, "chapter-");
    for (int i = PREFIX; i < PREFIX + 2; i++) {
        *seed = *seed * 1103515245 + 12345;
        word[i] = (char)('a' + (*seed >> 16) % LETTERS);
    }
    word[PREFIX + 2] = '\0';
}

int main(void)
{
    unsigned seed = 1;
    char word[16];
    for (int i = 0; i < 1500; i++) {
        make_word(&seed, word);
        add(word);
    }
    int count = 0;
    for (int i = 0; i < LETTERS; i++)
        count += lists[i].count;
    printf("%d different words\n", count);
    for (int i = 0; i < LETTERS; i++)
        for (int k = 0; k < lists[i].count; k++)
            free(lists[i].words[k]);
    return 0;
}
