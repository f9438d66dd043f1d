/* See module_names.h. */
#include "collector/core/module_names.h"

#include "collector/core/reserve.h"

#include <stddef.h>
#include <string.h>

#define NAMES_MAX 1024u
#define TEXTS_BYTES 131072u

static struct reserve names_memory, texts_memory;
static uint32_t names_count; /* atomic */
static uint32_t texts_bytes;

void module_names_add(const char *path, uint64_t bias, uint64_t start, uint64_t end)
{
    size_t bytes = strlen(path) + 1;
    uint32_t count = names_count;
    struct module_name *names;
    if (count == NAMES_MAX || bytes > TEXTS_BYTES - texts_bytes ||
        !reserve_grow(&texts_memory, TEXTS_BYTES, texts_bytes + bytes) ||
        !reserve_grow(&names_memory, NAMES_MAX * sizeof *names, (count + 1) * sizeof *names))
        return;
    names = reserve_start(&names_memory);
    char *text = (char *)texts_memory.start + texts_bytes;
    memcpy(text, path, bytes);
    texts_bytes += (uint32_t)bytes;
    names[count] = (struct module_name){bias, start, end, text};
    __atomic_store_n(&names_count, count + 1, __ATOMIC_RELEASE);
}

const struct module_name *module_names_find(uint64_t address)
{
    const struct module_name *names = reserve_start(&names_memory);
    for (uint32_t i = __atomic_load_n(&names_count, __ATOMIC_ACQUIRE); i-- > 0;)
        if (address >= names[i].start && address < names[i].end)
            return &names[i];
    return NULL;
}
