/* Checksums of source files: see dwarf_checksums.h. */
#include "debuginfo/dwarf/dwarf_checksums.h"

#include "debuginfo/dwarf/dwarf_cursor.h"
#include "debuginfo/dwarf/dwarf_lines.h"

#include <string.h>

enum { FORMATS_MAX = 16, FOLDERS_MAX = 4096, VERSION = 5 };

struct table {
    struct dwarf_cursor at;
    unsigned offset_bytes; /* 4 or 8 */
    const struct dwarf_section *strings, *line_strings;
    const char *folders[FOLDERS_MAX]; /* folder 0 is the compilation's */
    uint64_t folders_count;
};

/* What each entry of a list of folders or files has. */
struct format {
    struct {
        uint64_t content, form;
    } items[FORMATS_MAX];
    unsigned count;
};

struct entry {
    const char *path;
    uint64_t folder;
    const unsigned char *md5; /* NULL = none */
};

/* The text at an offset of a section; NULL if it does not end there. */
static const char *text_at(const struct dwarf_section *section, uint64_t offset)
{
    if (section == NULL || section->data == NULL || offset >= section->size_bytes ||
        memchr(section->data + offset, 0, section->size_bytes - offset) == NULL)
        return NULL;
    return (const char *)section->data + offset;
}

static const char *take_text(struct dwarf_cursor *at)
{
    const unsigned char *end = memchr(at->at, 0, (size_t)(at->end - at->at));
    const char *text = (const char *)at->at;
    if (end == NULL) {
        at->failed = true;
        return NULL;
    }
    at->at = end + 1;
    return text;
}

static bool take_format(struct dwarf_cursor *at, struct format *format)
{
    format->count = (unsigned)dwarf_take(at, 1);
    for (unsigned i = 0; i < format->count && format->count <= FORMATS_MAX; i++) {
        format->items[i].content = dwarf_take_unsigned(at);
        format->items[i].form = dwarf_take_unsigned(at);
    }
    return !at->failed && format->count <= FORMATS_MAX;
}

/* Takes a value of an entry. False: of a form that line tables do not have. */
static bool take_value(struct table *table, uint64_t form, const char **text, uint64_t *number,
                       const unsigned char **bytes)
{
    struct dwarf_cursor *at = &table->at;
    switch (form) {
    case DW_FORM_string:
        *text = take_text(at);
        break;
    case DW_FORM_line_strp:
        *text = text_at(table->line_strings, dwarf_take(at, table->offset_bytes));
        break;
    case DW_FORM_strp:
        *text = text_at(table->strings, dwarf_take(at, table->offset_bytes));
        break;
    case DW_FORM_udata:
        *number = dwarf_take_unsigned(at);
        break;
    case DW_FORM_data1:
        *number = dwarf_take(at, 1);
        break;
    case DW_FORM_data2:
        *number = dwarf_take(at, 2);
        break;
    case DW_FORM_data4:
        *number = dwarf_take(at, 4);
        break;
    case DW_FORM_data8:
        *number = dwarf_take(at, 8);
        break;
    case DW_FORM_data16:
        *bytes = dwarf_take_bytes(at, DWARF_MD5_BYTES);
        break;
    case DW_FORM_block:
        dwarf_take_bytes(at, dwarf_take_unsigned(at));
        break;
    default:
        return false;
    }
    return !at->failed;
}

static bool take_entry(struct table *table, const struct format *format, struct entry *entry)
{
    *entry = (struct entry){.path = NULL};
    for (unsigned i = 0; i < format->count; i++) {
        const char *text = NULL;
        const unsigned char *bytes = NULL;
        uint64_t number = 0;
        if (!take_value(table, format->items[i].form, &text, &number, &bytes))
            return false;
        if (format->items[i].content == DW_LNCT_path)
            entry->path = text;
        else if (format->items[i].content == DW_LNCT_directory_index)
            entry->folder = number;
        else if (format->items[i].content == DW_LNCT_MD5)
            entry->md5 = bytes;
    }
    return true;
}

static bool has_checksums(const struct format *format)
{
    for (unsigned i = 0; i < format->count; i++)
        if (format->items[i].content == DW_LNCT_MD5)
            return true;
    return false;
}

/* Reads the folders, up to the format of the files. False: the table is damaged, or of another
 * version. */
static bool take_folders(struct table *table, struct format *files)
{
    struct format folders;
    struct entry entry;
    if (dwarf_take(&table->at, 2) != VERSION)
        return false;
    dwarf_take(&table->at, 2); /* sizes of an address and a segment selector */
    dwarf_take(&table->at, table->offset_bytes);
    dwarf_take(&table->at, 5); /* what the line program's instructions mean */
    uint64_t opcodes = dwarf_take(&table->at, 1);
    if (opcodes == 0 || dwarf_take_bytes(&table->at, opcodes - 1) == NULL ||
        !take_format(&table->at, &folders))
        return false;
    uint64_t count = dwarf_take_unsigned(&table->at);
    if (folders.count == 0 && count > 0) /* entries without bytes, any number of them */
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (table->at.at == table->at.end || !take_entry(table, &folders, &entry))
            return false;
        if (i < FOLDERS_MAX)
            table->folders[table->folders_count++] = entry.path;
    }
    return take_format(&table->at, files) && has_checksums(files);
}

static int visit_files(struct table *table, struct text_pool *pool, dwarf_checksum_visit *visit,
                       void *context, struct error *error)
{
    struct format files;
    struct entry entry;
    int result = 0;
    if (!take_folders(table, &files))
        return 0;
    uint64_t count = dwarf_take_unsigned(&table->at);
    for (uint64_t i = 0; i < count && result == 0; i++) {
        if (table->at.at == table->at.end || !take_entry(table, &files, &entry))
            return 0;
        if (entry.md5 == NULL || entry.path == NULL || entry.folder >= table->folders_count)
            continue;
        const char *path = dwarf_join_path(pool, table->folders[0], table->folders[entry.folder],
                                           entry.path, error);
        result = path == NULL ? -1 : visit(context, path, entry.md5);
    }
    return result;
}

int dwarf_checksums(const struct dwarf_file *file, struct text_pool *pool,
                    dwarf_checksum_visit *visit, void *context, struct error *error)
{
    const struct dwarf_section *lines = dwarf_file_section(file, ".debug_line");
    int result = 0;
    if (lines == NULL || lines->data == NULL)
        return 0;
    struct table table = {.strings = dwarf_file_section(file, ".debug_str"),
                          .line_strings = dwarf_file_section(file, ".debug_line_str")};
    const unsigned char *at = lines->data, *end = lines->data + lines->size_bytes;
    while (result == 0 && at < end) {
        table.at = (struct dwarf_cursor){.at = at, .end = end};
        table.folders_count = 0;
        if (!dwarf_take_length(&table.at, &table.offset_bytes))
            break;
        at = table.at.end;
        result = visit_files(&table, pool, visit, context, error);
    }
    return result;
}
