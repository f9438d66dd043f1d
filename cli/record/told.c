/* What programs report: see told.h. */
#include "cli/record/told.h"

#include "base/array.h"
#include "base/parts.h"
#include "base/memory_text.h"
#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "debuginfo/symbols/symbols.h"
#include "live/live_tail.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct told_module {
    char *path;
    struct symbols symbols;
};

/* ---- names ---- */

/* The module's symbols, read on first use; NULL without memory. */
static struct symbols *symbols_of(struct told *told, const char *path)
{
    char cache[PATH_MAX];
    struct error error;
    const struct symbols_options options = {
        .cache_dir = cache_folder(cache, sizeof cache), .all_modules = true, .names_only = false};
    for (size_t i = 0; i < told->modules_count; i++)
        if (strcmp(told->modules[i].path, path) == 0)
            return &told->modules[i].symbols;
    if (array_reserve(&told->modules, &told->modules_capacity, told->modules_count + 1, &error) !=
        0)
        return NULL;
    struct told_module *module = &told->modules[told->modules_count];
    *module = (struct told_module){.path = strdup(path)};
    if (module->path == NULL)
        return NULL;
    told->modules_count++;
    symbols_open(&module->symbols, path, NULL, &options, &error);
    return &module->symbols;
}

/* Parses MODULE+0xADDRESS between `text` and `end`, and ends the text behind the module. False if
 * it is not of this form. */
static bool place_read(char *text, char *end, uint64_t *address)
{
    char saved = *end, *number = NULL, *last;
    *end = 0;
    for (char *at = text; (at = strstr(at, "+0x")) != NULL; at++)
        number = at;
    bool sound = number != NULL && number > text && number[3] != 0;
    if (sound) {
        *address = strtoull(number + 3, &last, 16);
        sound = *last == 0;
    }
    *end = saved;
    if (sound)
        *number = 0;
    return sound;
}

/* Prints names with hidden characters shown: a newline in one would begin a line of its own. */
static void module_print(const char *path, uint64_t address, FILE *out)
{
    text_put(out, last_part(path));
    fprintf(out, "+0x%llx", (unsigned long long)address);
}

static void function_print(struct told *told, const char *path, uint64_t address, FILE *out)
{
    struct symbols *symbols = symbols_of(told, path);
    const struct symbol_range *range = symbols != NULL ? symbols_range(symbols, address) : NULL;
    if (range != NULL)
        text_put(out, symbols->functions[range->function].name);
    else
        module_print(path, address, out);
}

static void line_print(struct told *told, const char *path, uint64_t address, FILE *out)
{
    struct symbols *symbols = symbols_of(told, path);
    const char *file = NULL;
    uint32_t line = 0;
    if (symbols != NULL)
        symbols_own_line(symbols, address, &file, &line);
    if (file != NULL) {
        text_put(out, last_part(file));
        fprintf(out, ":%u", line);
    } else {
        module_print(path, address, out);
    }
}

/* Prints a frame, FUNCTION (PLACE); text of another form as it is. */
static void frame_print(struct told *told, char *frame, FILE *out)
{
    uint64_t function, from;
    size_t length = strlen(frame);
    char *place = NULL;
    for (char *at = frame; (at = strstr(at, " (")) != NULL; at++)
        place = at;
    if (place == NULL || length < 2 || frame[length - 1] != ')' ||
        !place_read(place + 2, frame + length - 1, &from)) {
        fputs(frame, out);
        return;
    }
    if (place_read(frame, place, &function))
        function_print(told, frame, function, out);
    else
        fwrite(frame, 1, (size_t)(place - frame), out);
    fputs(" (", out);
    line_print(told, place + 2, from, out);
    fputc(')', out);
}

/* Writes a text with names in place of addresses. */
static void text_print(struct told *told, const char *text, size_t bytes, FILE *out)
{
    static const char frame[] = FISQL_TOLD_FRAME;
    for (const char *end = text + bytes; text < end;) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((next != NULL ? next : end) - text);
        char *line = strndup(text, length);
        if (line == NULL)
            return;
        if (strncmp(line, frame, sizeof frame - 1) == 0) {
            fputs(frame, out);
            frame_print(told, line + sizeof frame - 1, out);
        } else {
            fputs(line, out);
        }
        fputc('\n', out);
        free(line);
        text = next != NULL ? next + 1 : end;
    }
}

/* ---- texts ---- */

/* The oldest whole entry. */
static struct fisql_told_entry *first_whole(struct fisql_told *area)
{
    struct fisql_told_entry *first = NULL;
    for (uint32_t i = 0; i < FISQL_TOLD_MAX; i++) {
        struct fisql_told_entry *entry = &area->entries[i];
        if (__atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) == FISQL_TOLD_WHOLE &&
            (first == NULL || entry->number < first->number))
            first = entry;
    }
    return first;
}

/* Puts the names of addresses into a text. */
static void text_entry_print(struct told *told, const char *text, size_t bytes, FILE *out)
{
    FILE *shown = text_stream(out);
    if (shown == NULL)
        return;
    text_print(told, text, bytes, shown);
    fclose(shown);
}

/* A text of so many bytes with its NUL, of those left. NULL if it is missing, or damaged. */
static char *said_text(char **at, size_t *left, uint32_t bytes)
{
    char *text = *at;
    if (bytes == 0 || bytes > *left || text[bytes - 1] != 0)
        return NULL;
    *at += bytes;
    *left -= bytes;
    return text;
}

/* "fisql: reader: label: x = 1" */
static void said_print(char *bytes, size_t count, FILE *out)
{
    struct fisql_told_said said;
    if (count < sizeof said)
        return;
    memcpy(&said, bytes, sizeof said);
    char *at = bytes + sizeof said;
    size_t left = count - sizeof said;
    const char *name = said_text(&at, &left, said.name_bytes);
    struct log_point point = {.kind = said.kind < FISQL_POINT_KINDS_COUNT
                                          ? (enum fisql_point_kind)said.kind
                                          : FISQL_POINT_KINDS_COUNT};
    point.label = said_text(&at, &left, said.label_bytes);
    point.values = said_text(&at, &left, said.names_bytes);
    char *text = live_said_text(&point, (const unsigned char *)at,
                                said.values_bytes < left ? said.values_bytes : left);
    fputs("fisql: ", out);
    text_put(out, name);
    fputs(": ", out);
    text_put(out, text);
    fputc('\n', out);
    free(text);
}

/* What programs said and had no room for. */
static void print_lost(struct told *told)
{
    struct fisql_told *area = told->mailbox.part;
    uint64_t lost = __atomic_exchange_n(&area->lost, 0, __ATOMIC_RELAXED);
    if (lost != 0)
        note("--say: %llu message%s left out: the program was faster (the log has them)",
             (unsigned long long)lost, lost == 1 ? "" : "s");
}

/* Prints all entries. They come from a program that may have gone wild. */
static void print_all(void *context)
{
    struct told *told = context;
    struct fisql_told_entry *entry;
    while ((entry = first_whole(told->mailbox.part)) != NULL) {
        uint32_t bytes = entry->bytes < sizeof entry->text ? entry->bytes : sizeof entry->text;
        bool is_said = entry->said;
        char *named = NULL;
        size_t named_bytes = 0;
        char *text = malloc(bytes + 1);
        FILE *memory = memory_text_open(&named, &named_bytes);
        if (text != NULL)
            memcpy(text, entry->text, bytes);
        __atomic_store_n(&entry->state, FISQL_TOLD_FREE, __ATOMIC_RELEASE);
        if (text != NULL && memory != NULL && is_said)
            said_print(text, bytes, memory);
        else if (text != NULL && memory != NULL)
            text_entry_print(told, text, bytes, memory);
        if (memory != NULL && fclose(memory) == 0)
            say_through(named, named_bytes);
        free(named);
        free(text);
    }
    print_lost(told);
}

void told_start(struct told *told, const struct live *live)
{
    *told = (struct told){.modules = NULL};
    mailbox_start(&told->mailbox, live, live->area->parts.told, print_all, told);
}

void told_end(struct told *told)
{
    mailbox_end(&told->mailbox, true);
    for (size_t i = 0; i < told->modules_count; i++) {
        symbols_release(&told->modules[i].symbols);
        free(told->modules[i].path);
    }
    free(told->modules);
}
