/* Distinct names for functions: see short_names.h. */
#include "debuginfo/names/short_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "base/text_pool.h"
#include "debuginfo/names/short_name.h"

/* Forms of a name, each longer than the one before. */
enum form { FORM_SHORT, FORM_PARAMETERS, FORM_FULL };

/* In each pass names that meet become longer, and may then meet others. Hostile names could make
 * long chains of that, so all names become full after these passes. */
enum { PASSES_MAX = 8 };

struct short_names_entry {
    const char *full;
    char *name; /* NULL = full */
    uint64_t hash;
    enum form form;
};

static const char *name_of(const struct short_names_entry *entry)
{
    return entry->name != NULL ? entry->name : entry->full;
}

static int set_name(struct short_names_entry *entry, enum form form, struct error *error)
{
    free(entry->name);
    entry->name = NULL;
    entry->form = form;
    if (form != FORM_FULL) {
        entry->name = short_name(entry->full, form == FORM_PARAMETERS);
        if (entry->name == NULL)
            return error_set(error, "out of memory for a name");
    }
    const char *name = name_of(entry);
    entry->hash = text_hash(TEXT_HASH_START, name, strlen(name));
    return 0;
}

int short_names_add(struct short_names *names, const char *full, const char *linkage_name,
                    struct error *error)
{
    if (array_reserve(&names->entries, &names->capacity, names->count + 1, error) != 0)
        return -1;
    struct short_names_entry *entry = &names->entries[names->count++];
    *entry = (struct short_names_entry){.full = full};
    bool applies = linkage_name != NULL && short_name_applies(linkage_name);
    return set_name(entry, applies ? FORM_SHORT : FORM_FULL, error);
}

static int by_name(const void *left, const void *right)
{
    const struct short_names_entry *a = *(struct short_names_entry *const *)left,
                                   *b = *(struct short_names_entry *const *)right;
    if (a->hash != b->hash)
        return a->hash > b->hash ? 1 : -1;
    return strcmp(name_of(a), name_of(b));
}

/* Lengthens the names of a group with one name, unless all are one function's. *met: it did. */
static int lengthen(struct short_names_entry **group, size_t count, bool *met, struct error *error)
{
    bool same = true;
    for (size_t i = 1; i < count && same; i++)
        same = strcmp(group[i]->full, group[0]->full) == 0;
    for (size_t i = 0; i < count && !same; i++) {
        if (group[i]->form == FORM_FULL)
            continue;
        *met = true;
        if (set_name(group[i], group[i]->form == FORM_SHORT ? FORM_PARAMETERS : FORM_FULL, error))
            return -1;
    }
    return 0;
}

static int pass(struct short_names_entry **sorted, size_t count, bool *met, struct error *error)
{
    *met = false;
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && by_name(&sorted[start], &sorted[end]) == 0;)
            end++;
        if (end - start > 1 && lengthen(&sorted[start], end - start, met, error) != 0)
            return -1;
    }
    return 0;
}

int short_names_choose(struct short_names *names, struct error *error)
{
    struct short_names_entry **sorted = malloc((names->count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return error_set(error, "out of memory for %zu names", names->count);
    for (size_t i = 0; i < names->count; i++)
        sorted[i] = &names->entries[i];
    bool met = true;
    int result = 0;
    for (int i = 0; i < PASSES_MAX && met && result == 0; i++)
        result = pass(sorted, names->count, &met, error);
    for (size_t i = 0; i < names->count && met && result == 0; i++)
        result = set_name(&names->entries[i], FORM_FULL, error);
    free(sorted);
    return result;
}

const char *short_names_get(const struct short_names *names, size_t i)
{
    must(i < names->count);
    return name_of(&names->entries[i]);
}

void short_names_release(struct short_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->entries[i].name);
    free(names->entries);
    *names = (struct short_names){0};
}

/* Names may share the arrow's spaces or supply them: an arrow at a name's start lacks the space
 * before it, one at the end the space behind it. */
char *name_without_arrow(const char *name)
{
    size_t length = strlen(name), used = 0;
    char *copy = malloc(3 * length + 4);
    for (size_t i = 0; copy != NULL && i < length; i++) {
        bool arrow = i > 0 && name[i] == '>' && name[i - 1] == '=' &&
                     (i == 1 || name[i - 2] == ' ') && (i + 1 == length || name[i + 1] == ' ');
        memcpy(copy + used, arrow ? "\\x3e" : &name[i], arrow ? 4 : 1);
        used += arrow ? 4 : 1;
    }
    if (copy != NULL)
        copy[used] = '\0';
    return copy;
}
