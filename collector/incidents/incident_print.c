/*
 * The collector's own report, if no fisql record reports: a line that says what happened, and a
 * line for each open call of the thread, as module+offset, for addr2line. It makes only system
 * calls: the program may be in the middle of malloc().
 */
#include "collector/incidents/incident_print.h"

#include "collector/core/digits.h"
#include "collector/core/file.h"
#include "collector/core/shown.h"
#include "collector/core/thread_log.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CALLS_INNER 48u /* printed of the innermost calls */
#define CALLS_OUTER 8u  /* printed of the outermost ones */

/* A line in the making; what does not fit is left out. */
struct line {
    char text[512];
    size_t used;
};

static void put(struct line *line, const char *text)
{
    while (*text != 0 && line->used + SHOWN_BYTES_MAX < sizeof line->text)
        line->used += shown_put(line->text + line->used, *text++);
}

static void put_number(struct line *line, uint64_t number, unsigned base)
{
    char digits[DIGITS_BYTES];
    put(line, digits_put(digits, number, base, 1));
}

static void put_end(struct line *line)
{
    line->text[line->used++] = '\n';
    ssize_t written = write(STDERR_FILENO, line->text, line->used);
    (void)written; /* there is nowhere else to say it */
    line->used = 0;
}

/* ---- where an address lies ---- */

/* The process's mappings as the kernel prints them: "start-end rights offset device inode path". */
struct maps {
    int file;
    char buffer[1024];
    size_t used, at;
    uint64_t start, end, offset;
    char path[256];
};

static int next_byte(struct maps *maps)
{
    if (maps->at == maps->used) {
        ssize_t got = read(maps->file, maps->buffer, sizeof maps->buffer);
        maps->used = got > 0 ? (size_t)got : 0;
        maps->at = 0;
        if (got <= 0)
            return -1;
    }
    return (unsigned char)maps->buffer[maps->at++];
}

/* Reads a hexadecimal number; returns the byte behind it. */
static int next_number(struct maps *maps, uint64_t *value)
{
    int byte;
    for (*value = 0; (byte = next_byte(maps)) >= 0; *value = *value << 4 | (uint64_t)byte) {
        if (byte >= '0' && byte <= '9')
            byte -= '0';
        else if (byte >= 'a' && byte <= 'f')
            byte -= 'a' - 10;
        else
            break;
    }
    return byte;
}

static bool next_mapping(struct maps *maps)
{
    int byte, fields = 0;
    size_t length = 0;
    if (next_number(maps, &maps->start) != '-' || next_number(maps, &maps->end) < 0)
        return false;
    while ((byte = next_byte(maps)) >= 0 && byte != ' ')
        ;
    next_number(maps, &maps->offset);
    for (bool space = true; (byte = next_byte(maps)) >= 0 && byte != '\n'; space = byte == ' ') {
        fields += space && byte != ' ';
        if (fields >= 3 && length < sizeof maps->path - 1)
            maps->path[length++] = (char)byte;
    }
    maps->path[length] = 0;
    return true;
}

/* "module+0x12": the offset from the module's first byte in memory. */
static void put_place(struct line *line, uint64_t address)
{
    struct maps maps = {.file = file_open("/proc/self/maps", O_RDONLY)};
    uint64_t first = 0;
    char path[sizeof maps.path] = "";
    bool found = false;
    while (maps.file >= 0 && !found && next_mapping(&maps)) {
        if (maps.path[0] != '/' || strcmp(maps.path, path) != 0)
            first = maps.start - maps.offset;
        strcpy(path, maps.path);
        found = address >= maps.start && address < maps.end && path[0] == '/';
    }
    if (maps.file >= 0)
        close(maps.file);
    if (found) {
        put(line, path);
        put(line, "+0x");
        put_number(line, address - first, 16);
    } else {
        put(line, "0x");
        put_number(line, address, 16);
    }
}

/* ---- what is printed ---- */

static void print_call(struct line *line, uint32_t number, uint64_t address, const char *more)
{
    put(line, "fisql:   #");
    put_number(line, number, 10);
    put(line, " ");
    put_place(line, address);
    put(line, more);
    put_end(line);
}

void incident_print(const struct trouble *trouble)
{
    struct line line = {.used = 0};
    const struct thread_log *log = current_log;
    uint32_t open = log != NULL ? calls_open(log) : 0;
    if (log != NULL && open > log->shadow.depth_max)
        open = log->shadow.depth_max;
    put(&line, "fisql: thread ");
    put_number(&line, trouble->told.tid, 10);
    put(&line, ": ");
    put(&line, trouble->told.text);
    put_end(&line);
    print_call(&line, 0, trouble->told.code, "");
    if ((trouble->told.flags & FISQL_INCIDENT_CALLER) != 0) {
        put(&line, "fisql:   called from ");
        put_place(&line, trouble->told.caller);
        put_end(&line);
    }
    if (log != NULL && (trouble->told.flags & FISQL_INCIDENT_RETURN) != 0) {
        put(&line, "fisql:   returned from ");
        put_place(&line, log->shadow.calls[open].function);
        put_end(&line);
    }
    for (uint32_t i = open, number = 1; i-- > 0; number++) {
        if (i + 1 == CALLS_OUTER && open > CALLS_INNER + CALLS_OUTER) {
            put(&line, "fisql:   ...");
            put_end(&line);
        }
        if (number > CALLS_INNER && i >= CALLS_OUTER)
            continue;
        put(&line, "fisql:   #");
        put_number(&line, number, 10);
        put(&line, " ");
        put_place(&line, log->shadow.calls[i].function);
        put(&line, " called from ");
        put_place(&line, log->shadow.calls[i].site);
        put_end(&line);
    }
}
