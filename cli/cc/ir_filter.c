/* System headers' functions without hooks, in LLVM's text: see ir_filter.h. */
#include "cli/cc/ir_filter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/system_path.h"

static const char mark[] = "\"instrument-function-";

struct numbers { /* values by !N or #N */
    size_t *items;
    size_t room;
};

struct module {
    const struct ir_filter *filter;
    struct numbers files;      /* of !N = !DIFile: 1 own, 2 system */
    struct numbers functions;  /* of !N = !DISubprogram: number of its file + 1 */
    struct numbers attributes; /* of #N with hooks: offset of its line + 1 */
    struct numbers copies;     /* of #N: number of its copy without hooks */
    size_t attributes_max, copies_count;
    const char *text;
};

static int put(struct numbers *numbers, size_t at, size_t value)
{
    if (array_reach(&numbers->items, &numbers->room, at, NULL) != 0)
        return -1;
    numbers->items[at] = value;
    return 0;
}

static size_t get(const struct numbers *numbers, size_t at)
{
    return at < numbers->room ? numbers->items[at] : 0;
}

/* The number at `text`, and in *end the text behind it. False for numbers beyond any bearable
 * module. */
static bool number_at(const char *text, size_t *number, const char **end)
{
    const size_t numbers_max = 1u << 28;
    size_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value < numbers_max; at++)
        value = value * 10 + (size_t)(*at - '0');
    *number = value;
    *end = at;
    return at > text && value < numbers_max;
}

/* The end of the line: its newline or the text's 0. */
static const char *line_end(const char *text)
{
    return text + strcspn(text, "\n");
}

/* The place behind `word` in the line, or NULL. */
static const char *find(const char *line, const char *end, const char *word)
{
    const char *at = memmem(line, (size_t)(end - line), word, strlen(word));
    return at != NULL ? at + strlen(word) : NULL;
}

/* Writes the quoted text at `text` without its escapes (\22 is a quotation mark). */
static void unquote(const char *text, const char *end, char *out, size_t size)
{
    size_t used = 0;
    for (; text < end && *text != '"' && used + 1 < size; text++) {
        unsigned code;
        if (*text == '\\' && end - text > 2 && sscanf(text + 1, "%2x", &code) == 1) {
            out[used++] = (char)code;
            text += 2;
        } else {
            out[used++] = *text;
        }
    }
    out[used] = 0;
}

static bool is_system(const struct module *module, const char *line, const char *end)
{
    char name[PATH_MAX], folder[PATH_MAX] = "", path[2 * PATH_MAX + 2], clean[2 * PATH_MAX + 2];
    const char *filename = find(line, end, "filename: \"");
    const char *directory = find(line, end, "directory: \"");
    if (filename == NULL)
        return false;
    unquote(filename, end, name, sizeof name);
    if (directory != NULL)
        unquote(directory, end, folder, sizeof folder);
    snprintf(path, sizeof path, "%s%s%s", name[0] != '/' ? folder : "", name[0] != '/' ? "/" : "",
             name);
    system_path_clean(path, clean, sizeof clean);
    return module->filter->is_system(module->filter->context, clean);
}

/* !N = ... */
static int read_metadata(struct module *module, const char *line, const char *end)
{
    size_t number, file;
    const char *rest;
    if (!number_at(line + 1, &number, &rest))
        return 0;
    if (find(rest, end, " !DIFile(") != NULL)
        return put(&module->files, number, is_system(module, rest, end) ? 2 : 1);
    const char *function = find(rest, end, " !DISubprogram(");
    const char *where = function != NULL ? find(function, end, " file: !") : NULL;
    if (where == NULL || !number_at(where, &file, &rest))
        return 0;
    return put(&module->functions, number, file + 1);
}

/* attributes #N = { ... } */
static int read_attributes(struct module *module, const char *line, const char *end)
{
    size_t number;
    const char *rest, *sign = find(line, end, "#");
    if (sign == NULL || !number_at(sign, &number, &rest))
        return 0;
    if (number > module->attributes_max)
        module->attributes_max = number;
    return find(line, end, mark) != NULL
               ? put(&module->attributes, number, (size_t)(line - module->text) + 1)
               : 0;
}

static int read_lines(struct module *module)
{
    int result = 0;
    for (const char *line = module->text, *end; *line != 0 && result == 0;
         line = *end != 0 ? end + 1 : end) {
        end = line_end(line);
        if (*line == '!')
            result = read_metadata(module, line, end);
        else if (strncmp(line, "attributes #", 12) == 0)
            result = read_attributes(module, line, end);
    }
    return result;
}

/* Finds the numbers of the attributes and the debug information in a function's first line. Names
 * in quotation marks may hold anything. */
static bool parse_define(const char *line, const char *end, const char **attributes,
                         const char **debug)
{
    bool quoted = false;
    *attributes = *debug = NULL;
    for (const char *at = line; at < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == ' ' && at[1] == '#')
            *attributes = at + 2;
        else if (!quoted && strncmp(at, " !dbg !", 7) == 0)
            *debug = at + 7;
    }
    return *attributes != NULL && *debug != NULL;
}

/* Writes a function's first line; a system function gets attributes without hooks. Returns 1 for a
 * system function, 0 for another, -1 without memory. */
static int write_define(struct module *module, const char *line, const char *end, FILE *out)
{
    size_t attributes = 0, debug = 0, copy;
    const char *at, *dbg, *rest;
    bool known = parse_define(line, end, &at, &dbg) && number_at(dbg, &debug, &rest) &&
                 number_at(at, &attributes, &rest);
    size_t file = known ? get(&module->functions, debug) : 0;
    bool without =
        file > 0 && get(&module->files, file - 1) == 2 && get(&module->attributes, attributes) != 0;
    if (!without) {
        fwrite(line, 1, (size_t)(end - line), out);
        return 0;
    }
    copy = get(&module->copies, attributes);
    if (copy == 0) {
        copy = module->attributes_max + ++module->copies_count;
        if (put(&module->copies, attributes, copy) != 0)
            return -1;
    }
    fwrite(line, 1, (size_t)(at - line), out);
    fprintf(out, "%zu", copy);
    fwrite(rest, 1, (size_t)(end - rest), out);
    return 1;
}

/* Writes the copies of attributes, without "instrument-function-...="...". */
static void write_copies(const struct module *module, FILE *out)
{
    for (size_t i = 0; i < module->copies.room; i++) {
        if (module->copies.items[i] == 0)
            continue;
        const char *line = module->text + get(&module->attributes, i) - 1, *end = line_end(line);
        const char *at = find(line, end, " = "), *next;
        fprintf(out, "\nattributes #%zu = ", module->copies.items[i]);
        while (at != NULL && (next = find(at, end, mark)) != NULL) {
            fwrite(at, 1, (size_t)(next - at) - strlen(mark), out);
            next += strcspn(next, " }\n");
            at = next;
        }
        if (at != NULL)
            fwrite(at, 1, (size_t)(end - at), out);
    }
    fputc('\n', out);
}

int ir_filter_copy(const struct ir_filter *filter, const char *text, size_t size, FILE *out,
                   size_t *functions)
{
    struct module module = {.filter = filter, .text = text};
    int result = read_lines(&module);
    const char *written = text;
    for (const char *line = text, *end; *line != 0 && result >= 0;
         line = *end != 0 ? end + 1 : end) {
        end = line_end(line);
        if (strncmp(line, "define ", 7) != 0)
            continue;
        fwrite(written, 1, (size_t)(line - written), out);
        result = write_define(&module, line, end, out);
        *functions += result > 0;
        written = end;
    }
    fwrite(written, 1, size - (size_t)(written - text), out);
    write_copies(&module, out);
    free(module.files.items);
    free(module.functions.items);
    free(module.attributes.items);
    free(module.copies.items);
    return result < 0 ? -1 : 0;
}
