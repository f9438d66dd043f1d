/* See process_maps.h. */
#include "cli/record/process_maps.h"

#include "base/array.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PIECE_BYTES 65536u

/* The whole file, ended by NUL; NULL without memory. */
static char *text_read(pid_t pid, struct error *error)
{
    char path[64], *text = NULL;
    size_t capacity = 0, used = 0;
    ssize_t got = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    do {
        used += (size_t)got;
        if (array_reserve(&text, &capacity, used + PIECE_BYTES + 1, error) != 0) {
            free(text);
            text = NULL;
        }
    } while (text != NULL && file >= 0 && (got = read(file, text + used, PIECE_BYTES)) > 0);
    if (text != NULL)
        text[used] = 0;
    if (file >= 0)
        close(file);
    return text;
}

static bool line_take(char *line, struct process_mapping *mapping)
{
    unsigned major, minor;
    int at = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %n",
               &mapping->start, &mapping->end, &mapping->offset, &major, &minor, &mapping->inode,
               &at) != 6)
        return false;
    mapping->device = makedev(major, minor);
    mapping->path = line + at;
    return true;
}

int process_maps_read(struct process_maps *maps, pid_t pid, struct error *error)
{
    *maps = (struct process_maps){.text = text_read(pid, error)};
    if (maps->text == NULL)
        return -1;
    char *rest = maps->text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        struct process_mapping mapping;
        if (line_take(line, &mapping) &&
            array_add(&maps->items, &maps->count, &maps->capacity, mapping, error) != 0)
            return -1;
    }
    return 0;
}

void process_maps_release(struct process_maps *maps)
{
    free(maps->items);
    free(maps->text);
    *maps = (struct process_maps){.count = 0};
}

const struct process_mapping *process_maps_at(const struct process_maps *maps, uint64_t address)
{
    for (size_t i = 0; i < maps->count; i++)
        if (address >= maps->items[i].start && address < maps->items[i].end)
            return &maps->items[i];
    return NULL;
}

uint64_t process_maps_bias(const struct process_maps *maps, const struct process_mapping *mapping)
{
    for (size_t i = 0; i < maps->count; i++)
        if (maps->items[i].offset == 0 && maps->items[i].inode == mapping->inode &&
            maps->items[i].device == mapping->device && maps->items[i].start <= mapping->start)
            return maps->items[i].start;
    return 0;
}
