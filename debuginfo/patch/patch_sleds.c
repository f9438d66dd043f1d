/* Sleds: see patch_sleds.h. The file is not trusted. */
#include "debuginfo/patch/patch_sleds.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "formats/patch.h"

#define WORD 8u

/* A record of xray_instr_map, in its second version: each address counts from its own place. */
#define XRAY_BYTES 32u
#define XRAY_FUNCTION 8u
#define XRAY_VERSION 18u

struct finding {
    struct patch_sleds *sleds;
    const struct elf_file *module;
    struct error *error;
};

static int add(const struct finding *finding, uint64_t address)
{
    const struct patch_sled sled = {address};
    if (!elf_file_is_code(finding->module, address))
        return 0;
    return array_add(&finding->sleds->items, &finding->sleds->count, &finding->sleds->capacity,
                     sled, finding->error);
}

static uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* What relocations put into a section of addresses, in a file that can be loaded anywhere. */
static int add_relocated(const struct finding *finding, const struct elf_section *section)
{
    const struct elf_file *module = finding->module;
    uint64_t kind = module->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    for (uint32_t i = 0; i < module->sections_count; i++) {
        const struct elf_section *table = &module->sections[i];
        if (table->type != SHT_RELA || (table->flags & SHF_ALLOC) == 0 || table->data == NULL)
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table->size_bytes;
             at += sizeof(Elf64_Rela)) {
            Elf64_Rela relocation;
            memcpy(&relocation, table->data + at, sizeof relocation);
            if (ELF64_R_TYPE(relocation.r_info) == kind &&
                relocation.r_offset - section->address < section->size_bytes &&
                add(finding, (uint64_t)relocation.r_addend) != 0)
                return -1;
        }
    }
    return 0;
}

static int add_addresses(const struct finding *finding, const char *name)
{
    const struct elf_section *section = elf_file_section(finding->module, name);
    if (section == NULL || section->data == NULL)
        return 0;
    for (uint64_t at = 0; at + WORD <= section->size_bytes; at += WORD)
        if (add(finding, word_at(section->data + at)) != 0)
            return -1;
    return add_relocated(finding, section);
}

static int add_xray(const struct finding *finding)
{
    const struct elf_section *section = elf_file_section(finding->module, "xray_instr_map");
    if (section == NULL || section->data == NULL)
        return 0;
    for (uint64_t at = 0; at + XRAY_BYTES <= section->size_bytes; at += XRAY_BYTES) {
        uint64_t place = section->address + at + XRAY_FUNCTION;
        if (section->data[at + XRAY_VERSION] >= 2 &&
            add(finding, place + word_at(section->data + at + XRAY_FUNCTION)) != 0)
            return -1;
    }
    return 0;
}

static int by_address(const void *left, const void *right)
{
    const struct patch_sled *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

int patch_sleds_find(struct patch_sleds *sleds, const struct elf_file *module, struct error *error)
{
    const struct finding finding = {sleds, module, error};
    size_t kept = 0;
    *sleds = (struct patch_sleds){.items = NULL};
    if (add_addresses(&finding, "__patchable_function_entries") != 0 ||
        add_addresses(&finding, "__mcount_loc") != 0 || add_xray(&finding) != 0)
        return -1;
    array_sort(sleds->items, sleds->count, by_address);
    for (size_t i = 0; i < sleds->count; i++)
        if (kept == 0 || sleds->items[kept - 1].address != sleds->items[i].address)
            sleds->items[kept++] = sleds->items[i];
    sleds->count = kept;
    return 0;
}

void patch_sleds_release(struct patch_sleds *sleds)
{
    free(sleds->items);
    *sleds = (struct patch_sleds){.items = NULL};
}

bool patch_sleds_within(const struct patch_sleds *sleds, uint64_t start, uint64_t end)
{
    size_t next = sorted_from(sleds->items, sleds->count, address, start);
    return next < sleds->count && sleds->items[next].address < end;
}

bool patch_holds_collector(const struct elf_file *module)
{
    return elf_file_section(module, FISQL_PATCH_NOTE) != NULL;
}
