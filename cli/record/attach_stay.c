/* See attach_stay.h. */
#include "cli/record/attach_stay.h"

#include "base/must.h"
#include "cli/record/attach_target.h"
#include "cli/record/process_maps.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define PAGE 4096u
#define VARIABLES_MAX ((uint64_t)16 << 20)
#define TABLE_AT 8u /* of a thread's table of blocks, from its thread pointer */

uint64_t attach_stay_bytes(const char *library, uint64_t bytes)
{
    struct elf_file file;
    uint64_t end = 0;
    bool known = elf_file_open(&file, library) == NULL;
    for (uint16_t i = 0; known && i < file.segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(&file, i);
        if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    elf_file_close(&file);
    return end > 0 && end < bytes ? end : bytes;
}

/* ---- a copy that is there ---- */

/* The first page of a library has the build-id. */
static bool is_same(const struct elf_file *library, const struct stopped *stopped, uint64_t start)
{
    unsigned char head[PAGE];
    return library->size_bytes >= PAGE && library->build_id[0] != 0 &&
           stopped_read(stopped, start, head, PAGE) && memcmp(head, library->bytes, PAGE) == 0;
}

int attach_stay_look(struct attach_stay *stay, const char *library, const struct stopped *stopped,
                     struct error *error)
{
    struct process_maps maps;
    const char *problem = elf_file_open(&stay->library, library);
    if (problem != NULL)
        return error_set(error, "%s: %s", library, problem);
    int status = process_maps_read(&maps, stopped->pid, error);
    for (size_t i = 0; status == 0 && i < maps.count && stay->bias == 0; i++)
        if (maps.items[i].offset == 0 && attach_target_is_left(maps.items[i].path) &&
            is_same(&stay->library, stopped, maps.items[i].start))
            stay->bias = maps.items[i].start;
    process_maps_release(&maps);
    return status;
}

void attach_stay_release(struct attach_stay *stay)
{
    elf_file_close(&stay->library);
    free(stay->as_opened);
    *stay = (struct attach_stay){.bias = 0};
}

struct wanted {
    const char *name;
    uint64_t address;
};

static int symbol_visit(void *context, const struct elf_symbol *symbol)
{
    struct wanted *wanted = context;
    if (strcmp(symbol->name, wanted->name) != 0)
        return 0;
    wanted->address = symbol->address;
    return 1;
}

static uint64_t symbol_address(const struct attach_stay *stay, const char *name)
{
    struct wanted wanted = {.name = name};
    elf_file_symbols(&stay->library, SHT_DYNSYM, symbol_visit, &wanted);
    return wanted.address;
}

uint64_t attach_stay_symbol(const struct attach_stay *stay, const char *name)
{
    uint64_t address = symbol_address(stay, name);
    return address != 0 ? stay->bias + address : 0;
}

/* ---- its variables ---- */

/* What stays writable: the loader makes the rest of that segment read-only when it has relocated it. */
static struct stopped_range variables_of(const struct elf_file *library)
{
    struct stopped_range range = {0, 0};
    uint64_t read_only_end = 0;
    for (uint16_t i = 0; i < library->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(library, i);
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
            range = (struct stopped_range){segment.p_vaddr, segment.p_vaddr + segment.p_memsz};
        else if (segment.p_type == PT_GNU_RELRO)
            read_only_end = (segment.p_vaddr + segment.p_memsz) / PAGE * PAGE;
    }
    if (range.start < read_only_end)
        range.start = read_only_end;
    return range;
}

int attach_stay_keep(struct attach_stay *stay, const struct stopped *stopped, const char *name,
                     uint64_t address, struct error *error)
{
    struct stopped_range range = variables_of(&stay->library);
    stay->bias = address - symbol_address(stay, name);
    stay->variables = (struct stopped_range){range.start + stay->bias, range.end + stay->bias};
    if (range.end <= range.start || range.end - range.start > VARIABLES_MAX)
        return error_set(error, "the collector has no variables: it is damaged");
    size_t bytes = range.end - range.start;
    stay->as_opened = malloc(bytes);
    if (stay->as_opened == NULL)
        return error_set(error, "out of memory for %zu bytes", bytes);
    if (stopped_read(stopped, stay->variables.start, stay->as_opened, bytes))
        return 0;
    free(stay->as_opened);
    stay->as_opened = NULL;
    return error_set(error, "process %d: the collector's variables cannot be read",
                     (int)stopped->pid);
}

/* The threads' variables as a new thread has them: with addresses that the loader has relocated. */
static void blocks_restore(const struct attach_stay *stay, const struct stopped *stopped,
                           uint64_t slot)
{
    Elf64_Phdr image = {.p_memsz = 0};
    for (uint16_t i = 0; i < stay->library.segments_count; i++)
        if (elf_file_segment(&stay->library, i).p_type == PT_TLS)
            image = elf_file_segment(&stay->library, i);
    unsigned char *block = image.p_memsz <= VARIABLES_MAX ? calloc(1, image.p_memsz + 1) : NULL;
    if (block == NULL || image.p_filesz > image.p_memsz ||
        !stopped_read(stopped, stay->bias + image.p_vaddr, block, image.p_filesz))
        goto done;
    for (size_t i = 0; i < stopped->count; i++) {
        uint64_t at = attach_block(stopped, &stopped->threads[i], slot);
        if (at != 0)
            stopped_write(stopped, at, block, image.p_memsz);
    }
done:
    free(block);
}

void attach_stay_restore(const struct attach_stay *stay, const struct stopped *stopped,
                         uint64_t slot)
{
    if (stay->as_opened == NULL)
        return;
    stopped_write(stopped, stay->variables.start, stay->as_opened,
                  stay->variables.end - stay->variables.start);
    if (slot != 0)
        blocks_restore(stay, stopped, slot);
}

/* ---- the threads' blocks ---- */

uint64_t attach_block(const struct stopped *stopped, const struct stopped_thread *thread,
                      uint64_t slot)
{
    uint64_t pointer = thread->registers.fs_base, table = 0, blocks = 0, block = 0;
    must(slot != 0);
    if (!stopped_read(stopped, pointer + TABLE_AT, &table, sizeof table) ||
        !stopped_read(stopped, table, &blocks, sizeof blocks) || blocks < slot / sizeof block ||
        !stopped_read(stopped, table + slot, &block, sizeof block))
        return 0;
    return block;
}

bool attach_blocks_made(const struct stopped *stopped, uint64_t slot)
{
    bool made = true;
    for (size_t i = 0; i < stopped->count; i++) {
        uint64_t self = 0, pointer = stopped->threads[i].registers.fs_base;
        /* A thread's descriptor begins with its own address; else it has none yet, or no longer. */
        if (stopped_read(stopped, pointer, &self, sizeof self) && self == pointer && self != 0)
            made &= attach_block(stopped, &stopped->threads[i], slot) != 0;
    }
    return made;
}
#endif
