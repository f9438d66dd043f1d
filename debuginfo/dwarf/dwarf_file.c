/* Debug sections for libdwarf: see dwarf_file.h. */
#include "debuginfo/dwarf/dwarf_file.h"

#include "base/shortage.h"
#include "debuginfo/dwarf/dwarf_cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* zlib reaches 1 : 1032 at best; a larger claim is wrong. */
#define COMPRESSION_MAX 1040

/* Inflates `size_bytes` at `data` to `claimed` bytes; NULL if that fails. */
static void *inflated(const unsigned char *data, uint64_t size_bytes, uint64_t claimed)
{
    if (claimed == 0 || claimed / COMPRESSION_MAX > size_bytes)
        return NULL;
    unsigned char *out = malloc((size_t)claimed);
    if (out == NULL)
        return NULL;
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)data, .next_out = out};
    uint64_t taken = 0, made = 0;
    int status = inflateInit(&stream);
    while (status == Z_OK) {
        /* zlib counts with 32 bits. */
        uint64_t in = size_bytes - taken, room = claimed - made;
        stream.avail_in = in > 0x40000000u ? 0x40000000u : (uInt)in;
        stream.avail_out = room > 0x40000000u ? 0x40000000u : (uInt)room;
        uint64_t in_before = stream.avail_in, room_before = stream.avail_out;
        status = inflate(&stream, Z_NO_FLUSH);
        taken += in_before - stream.avail_in;
        made += room_before - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status == Z_STREAM_END && made == claimed)
        return out;
    free(out);
    return NULL;
}

static bool is_debug(const struct elf_section *section)
{
    return section->data != NULL && section->size_bytes > 0 && section->type != SHT_RELA &&
           (strncmp(section->name, ".debug_", 7) == 0 ||
            strncmp(section->name, ".zdebug_", 8) == 0);
}

/* Are the headers of a .debug_rnglists or .debug_loclists section sound? Otherwise libdwarf
 * 20210528 frees memory twice. Each: length 4 (or ffffffff and 8), version 2 (5), address size 1,
 * segment size 1 (0), count of offsets 4, the offsets. */
static bool lists_are_sound(const unsigned char *data, uint64_t size_bytes)
{
    struct dwarf_cursor cursor = {.at = data, .end = data};
    while (cursor.at < data + size_bytes) {
        unsigned word;
        cursor.end = data + size_bytes;
        if (!dwarf_take_length(&cursor, &word))
            return false;
        uint64_t version = dwarf_take(&cursor, 2), address_bytes = dwarf_take(&cursor, 1);
        uint64_t segment_bytes = dwarf_take(&cursor, 1), count = dwarf_take(&cursor, 4);
        if (cursor.failed || version != 5 || address_bytes != 8 || segment_bytes != 0 ||
            count * word > (uint64_t)(cursor.end - cursor.at))
            return false;
        cursor.at = cursor.end;
    }
    return true;
}

static bool is_packed(const struct elf_section *section)
{
    return section->name[1] == 'z' || (section->flags & SHF_COMPRESSED) != 0;
}

static bool is_information(const struct elf_section *section)
{
    return strncmp(section->name + (section->name[1] == 'z' ? 2 : 1), "debug_info", 10) == 0;
}

/* Fills one section; false if its data is damaged (the caller leaves it out). */
static bool take_section(struct dwarf_section *out, const struct elf_section *section)
{
    bool old_form = section->name[1] == 'z';
    const char *name = section->name + (old_form ? 2 : 1);
    *out = (struct dwarf_section){.data = section->data, .size_bytes = section->size_bytes};
    if (old_form) {
        uint64_t claimed = 0;
        if (section->size_bytes < 12 || memcmp(section->data, "ZLIB", 4) != 0)
            return false;
        for (int i = 4; i < 12; i++)
            claimed = claimed << 8 | section->data[i];
        out->size_bytes = claimed;
        out->owned = inflated(section->data + 12, section->size_bytes - 12, claimed);
    } else if ((section->flags & SHF_COMPRESSED) != 0) {
        Elf64_Chdr header;
        if (section->size_bytes < sizeof header)
            return false;
        memcpy(&header, section->data, sizeof header);
        if (header.ch_type != ELFCOMPRESS_ZLIB)
            return false;
        out->size_bytes = header.ch_size;
        out->owned = inflated(section->data + sizeof header, section->size_bytes - sizeof header,
                              header.ch_size);
    }
    if (out->owned != NULL)
        out->data = out->owned;
    else if (is_packed(section))
        return false;
    if ((strncmp(name, "debug_rnglists", 14) == 0 || strncmp(name, "debug_loclists", 14) == 0) &&
        !lists_are_sound(out->data, out->size_bytes))
        return false;
    out->name = malloc(strlen(name) + 2);
    if (out->name == NULL) {
        shortage_note(ENOMEM);
        return false;
    }
    out->name[0] = '.';
    strcpy(out->name + 1, name);
    return true;
}

int dwarf_file_open(struct dwarf_file *file, const char *path, bool unpack, const char **problem,
                    struct error *error)
{
    *file = (struct dwarf_file){0};
    *problem = elf_file_open(&file->elf, path);
    if (*problem != NULL)
        return 1;
    file->object.sections =
        calloc((size_t)file->elf.sections_count + 1, sizeof *file->object.sections);
    if (file->object.sections == NULL)
        return error_set(error, "out of memory for %u sections", file->elf.sections_count);
    file->object.sections_count = 1;
    bool information = false;
    for (uint32_t i = 0; i < file->elf.sections_count && file->object.sections_count < 64; i++) {
        struct dwarf_section *section = &file->object.sections[file->object.sections_count];
        const struct elf_section *found = &file->elf.sections[i];
        if (!is_debug(found))
            continue;
        if (!unpack && is_packed(found)) {
            file->packed = true;
            information = information || is_information(found);
        } else if (take_section(section, found)) {
            file->object.sections_count++;
            information = information || is_information(found);
        } else {
            free(section->owned);
            *section = (struct dwarf_section){0};
            *problem = "damaged debug section";
        }
    }
    if (file->object.sections[0].name == NULL)
        file->object.sections[0].name = strdup("");
    if (file->object.sections[0].name == NULL)
        return error_set(error, "out of memory for the sections");
    return information ? 0 : 1;
}

void dwarf_file_close(struct dwarf_file *file)
{
    for (uint32_t i = 0; file->object.sections != NULL && i < file->object.sections_count; i++) {
        free(file->object.sections[i].owned);
        free(file->object.sections[i].name);
    }
    free(file->object.sections);
    elf_file_close(&file->elf);
    *file = (struct dwarf_file){0};
}

const struct dwarf_section *dwarf_file_section(const struct dwarf_file *file, const char *name)
{
    for (uint32_t i = 1; i < file->object.sections_count; i++)
        if (strcmp(file->object.sections[i].name, name) == 0)
            return &file->object.sections[i];
    return NULL;
}

Dwarf_Debug dwarf_file_debug(struct dwarf_file *file)
{
    return dwarf_api_open(&file->object);
}
