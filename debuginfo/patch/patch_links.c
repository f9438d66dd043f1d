/*
 * See patch_links.h. We do not decode instructions: we try each byte as the first of a call, a jump
 * or a load through a word. A constant in the code looks like one that leads to exactly a slot only
 * by a coincidence of 32 bits.
 */
#include "debuginfo/patch/patch_links.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/elf/elf_dynamic.h"
#include "debuginfo/x86/x86_called.h"
#include "formats/patch_left.h"

#define DISTANCE 4u
#define THROUGH 0xff /* with the two below: call and jump through a word at a distance */
#define CALL_THROUGH 0x15
#define JUMP_THROUGH 0x25
#define LOAD 0x8b
#define IS_WIDE(byte) (((byte)&0xf8) == 0x48)        /* REX.W */
#define IS_AT_DISTANCE(byte) (((byte)&0xc7) == 0x05) /* ModRM: from the next instruction */

/* ---- links ---- */

struct finding {
    struct patch_links *links;
    const struct patch_functions *functions;
    struct elf_dynamic dynamic;
    struct error *error;
};

static int add_link(void *context, const Elf64_Rela *relocation)
{
    struct finding *finding = context;
    struct elf_dynamic_symbol symbol;
    uint64_t type = ELF64_R_TYPE(relocation->r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || relocation->r_addend != 0 ||
        !elf_dynamic_symbol(&finding->dynamic, (uint32_t)ELF64_R_SYM(relocation->r_info),
                            &symbol) ||
        symbol.defined || symbol.name[0] == 0 || fisql_patch_is_left(symbol.name) ||
        (symbol.type != STT_FUNC && symbol.type != STT_NOTYPE && symbol.type != STT_GNU_IFUNC))
        return 0;
    const struct patch_link link = {
        .slot = relocation->r_offset, .name = symbol.name, .version = symbol.version};
    return array_add(&finding->links->links, &finding->links->count, &finding->links->capacity,
                     link, finding->error);
}

static int by_slot(const void *left, const void *right)
{
    const struct patch_link *a = left, *b = right;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

static void sort_links(struct patch_links *links)
{
    size_t kept = 0;
    array_sort(links->links, links->count, by_slot);
    for (size_t i = 0; i < links->count; i++)
        if (kept == 0 || links->links[kept - 1].slot != links->links[i].slot)
            links->links[kept++] = links->links[i];
    links->count = kept;
}

/* ---- references ---- */

/* Is the address that the instruction at `address` loads only called? */
static bool is_only_called(const struct finding *finding, uint64_t address)
{
    const struct patch_functions *functions = finding->functions;
    size_t next = sorted_after(functions->functions, functions->count, start, address);
    const struct patch_function *piece = next > 0 ? &functions->functions[next - 1] : NULL;
    if (piece == NULL || address >= piece->end || piece->role == PATCH_PART)
        return false;
    const struct patch_span *span = patch_span_of(functions, piece->start);
    return x86_is_only_called(span->bytes + (piece->start - span->start),
                              (size_t)(piece->end - piece->start),
                              (size_t)(address - piece->start));
}

/* Adds the reference whose distance lies at `place`, if it leads to a slot. `load`: where the
 * instruction begins if it loads; 0 = it calls or jumps. */
static int add_reference(struct finding *finding, const unsigned char *bytes, uint64_t place,
                         uint64_t load)
{
    struct patch_links *links = finding->links;
    int32_t distance;
    memcpy(&distance, bytes, sizeof distance);
    uint64_t slot = place + DISTANCE + (uint64_t)(int64_t)distance;
    if (slot < links->links[0].slot || slot > links->links[links->count - 1].slot)
        return 0;
    size_t index = sorted_from(links->links, links->count, slot, slot);
    if (links->links[index].slot != slot)
        return 0;
    if (load != 0 && !is_only_called(finding, load)) {
        links->links[index].taken = true;
        return 0;
    }
    const struct patch_reference reference = {
        .place = place, .link = (uint32_t)index, .before = distance};
    links->links[index].references++;
    return array_add(&links->references, &links->references_count, &links->references_capacity,
                     reference, finding->error);
}

static int find_references(struct finding *finding, const struct patch_span *span)
{
    const unsigned char *bytes = span->bytes;
    uint64_t count = span->end - span->start;
    for (uint64_t i = 0; i + 2 + DISTANCE <= count; i++) {
        int result = 0;
        if (bytes[i] == THROUGH && (bytes[i + 1] == CALL_THROUGH || bytes[i + 1] == JUMP_THROUGH))
            result = add_reference(finding, bytes + i + 2, span->start + i + 2, 0);
        else if (IS_WIDE(bytes[i]) && bytes[i + 1] == LOAD && IS_AT_DISTANCE(bytes[i + 2]) &&
                 i + 3 + DISTANCE <= count)
            result = add_reference(finding, bytes + i + 3, span->start + i + 3, span->start + i);
        if (result != 0)
            return result;
    }
    return 0;
}

int patch_links_find(struct patch_links *links, const struct patch_functions *functions,
                     struct error *error)
{
    struct finding finding = {.links = links, .functions = functions, .error = error};
    *links = (struct patch_links){.links = NULL};
    elf_dynamic_read(&finding.dynamic, functions->module);
    const uint64_t *values = finding.dynamic.values;
    if (elf_dynamic_relocations(&finding.dynamic, values[DT_RELA], values[DT_RELASZ], add_link,
                                &finding) != 0 ||
        elf_dynamic_relocations(&finding.dynamic, values[DT_JMPREL], values[DT_PLTRELSZ], add_link,
                                &finding) != 0)
        return -1;
    sort_links(links);
    for (size_t i = 0; links->count > 0 && i < functions->spans_count; i++)
        if (find_references(&finding, &functions->spans[i]) != 0)
            return -1;
    return 0;
}

void patch_links_release(struct patch_links *links)
{
    free(links->links);
    free(links->references);
    *links = (struct patch_links){.links = NULL};
}
