/* A stream into memory: see memory_text.h. */
#include "base/memory_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/shortage.h"

struct memory_text {
    char **text;
    size_t *size;
    size_t capacity; /* with the NUL */
    bool failed;
};

static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    struct memory_text *memory = cookie;
    size_t needed = *memory->size + count + 1;
    if (memory->failed || array_reserve(memory->text, &memory->capacity, needed, NULL) != 0) {
        shortage_note(ENOMEM);
        memory->failed = true;
        errno = ENOMEM;
        return 0; /* stdio takes it for an error */
    }
    memcpy(*memory->text + *memory->size, bytes, count);
    *memory->size += count;
    (*memory->text)[*memory->size] = 0;
    return (ssize_t)count;
}

static int end(void *cookie)
{
    const struct memory_text *memory = cookie;
    bool failed = memory->failed;
    free(cookie);
    errno = failed ? ENOMEM : errno;
    return failed ? -1 : 0;
}

FILE *memory_text_open(char **text, size_t *size)
{
    const size_t first = 128;
    struct memory_text *memory = malloc(sizeof *memory);
    *size = 0;
    *text = malloc(first);
    FILE *out = NULL;
    if (memory != NULL && *text != NULL) {
        (*text)[0] = 0;
        *memory = (struct memory_text){.text = text, .size = size, .capacity = first};
        out = fopencookie(memory, "w", (cookie_io_functions_t){.write = put, .close = end});
    }
    if (out == NULL) {
        free(memory);
        free(*text);
        *text = NULL;
    }
    return out;
}
