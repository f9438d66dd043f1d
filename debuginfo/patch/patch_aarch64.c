/* Plans for aarch64: functions whose compiler left a nop at their start (patch_sleds.h), which
 * becomes a jump. Nothing is moved. See patch_plan.h. */
#include "debuginfo/patch/patch_parts.h"
#include "debuginfo/patch/patch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "debuginfo/dwarf/call_frames.h"
#include "debuginfo/patch/patch_sleds.h"

#define INSTRUCTION 4u
#define ENTRY_BYTES 8u /* the nop, and what follows it */
#define NOP 0xd503201fu
#define BTI_MASK 0xffffff3fu
#define BTI 0xd503241fu    /* bti, bti c, bti j, bti jc */
#define BRANCH 0x14000000u /* b */
#define STUB_BYTES 16u
#define ROW_BYTES (FISQL_PATCH_HEAD + STUB_BYTES)
#define REACH ((uint64_t)1 << 26) /* half of what a branch spans: stubs lie before or behind */

static const uint32_t stub_head[] = {
    0x10000011, /* adr x17, 0 */
    0x58ffffb0, /* ldr x16, the word 8 bytes before the stub */
    0xd61f0200, /* br x16 */
};

static uint32_t instruction_at(const unsigned char *at)
{
    uint32_t instruction;
    memcpy(&instruction, at, sizeof instruction);
    return instruction;
}

/* The entry of a sled; false if its bytes are not as they should be. */
static bool entry_of(const struct patch_functions *functions, const struct patch_sleds *sleds,
                     size_t index, struct fisql_patch_entry *entry)
{
    uint64_t address = sleds->items[index].address;
    const struct patch_span *span = patch_span_of(functions, address);
    uint64_t next = index + 1 < sleds->count ? sleds->items[index + 1].address : UINT64_MAX;
    if (span == NULL || address % INSTRUCTION != 0 || span->end - address < ENTRY_BYTES ||
        next - address < ENTRY_BYTES)
        return false;
    const unsigned char *code = span->bytes + (address - span->start);
    if (instruction_at(code) != NOP)
        return false;
    *entry = (struct fisql_patch_entry){.address = address};
    memcpy(entry->before, code, sizeof entry->before);
    if (address - span->start >= INSTRUCTION &&
        (instruction_at(code - INSTRUCTION) & BTI_MASK) == BTI)
        entry->flags = FISQL_PATCH_BEHIND;
    return true;
}

/* gcc before version 13 puts the nop before what it describes as the function. */
static void find_described(struct fisql_patch_entry *entries, size_t count,
                           const struct call_frames *frames)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = entries[i].address;
        while (at < frames->count && call_frames_range(frames, at).start < address)
            at++;
        if (at < frames->count && call_frames_range(frames, at).start == address + INSTRUCTION)
            entries[i].flags = FISQL_PATCH_BEFORE;
    }
}

/* Writes stubs and fixups of the entries. */
static void put_stubs(struct fisql_patch *plan, struct fisql_patch_entry *entries,
                      struct fisql_patch_fixup *fixups, unsigned char *code)
{
    const uint32_t branch = BRANCH;
    for (uint32_t i = 0; i < plan->entries_count; i++) {
        uint32_t stub = i * ROW_BYTES + FISQL_PATCH_HEAD;
        entries[i].stub = stub;
        memcpy(code + stub, stub_head, sizeof stub_head);
        memcpy(code + stub + sizeof stub_head, &branch, sizeof branch);
        fixups[i] = (struct fisql_patch_fixup){.place = stub + (uint32_t)sizeof stub_head,
                                               .kind = FISQL_PATCH_BRANCH,
                                               .target = entries[i].address + INSTRUCTION};
    }
}

static int put_together(struct patch_plan *plan, const struct fisql_patch_entry *entries,
                        size_t count, const struct elf_file *module, struct error *error)
{
    struct fisql_patch head = {.entries_count = (uint32_t)count,
                               .fixups_count = (uint32_t)count,
                               .entries = sizeof head,
                               .code_bytes = count * ROW_BYTES,
                               .entries_code_bytes = count * ROW_BYTES,
                               .entries_fixups_count = (uint32_t)count};
    must(patch_code_range(module, &head.low, &head.high));
    memcpy(head.magic, FISQL_PATCH_MAGIC, sizeof head.magic);
    head.fixups = head.entries + count * sizeof *entries;
    head.code = head.fixups + count * sizeof(struct fisql_patch_fixup);
    head.links = head.references = head.texts = head.code; /* it has none */
    head.bytes = head.code + head.code_bytes;
    if (head.high - head.low > REACH || head.code_bytes > REACH) {
        plan->problem = "its code is too large for jumps";
        return 0;
    }
    unsigned char *bytes = calloc(1, head.bytes);
    if (bytes == NULL)
        return error_set(error, "out of memory for %zu bytes", (size_t)head.bytes);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + head.entries, entries, count * sizeof *entries);
    plan->plan = (struct fisql_patch *)(void *)bytes;
    put_stubs(plan->plan, (struct fisql_patch_entry *)(void *)(bytes + head.entries),
              (struct fisql_patch_fixup *)(void *)(bytes + head.fixups), bytes + head.code);
    must(fisql_patch_is_sound(plan->plan, head.bytes, head.low, head.high));
    return 0;
}

int patch_plan_aarch64(struct patch_plan *plan, const struct elf_file *module, struct error *error)
{
    struct patch_functions functions;
    struct patch_sleds sleds = {.items = NULL};
    struct call_frames frames;
    struct fisql_patch_entry *entries = NULL, entry;
    size_t count = 0, capacity = 0;
    patch_functions_spans(&functions, module);
    int result = call_frames_open(&frames, module, NULL, error);
    result = patch_sleds_find(&sleds, module, error) != 0 ? -1 : result;
    for (size_t i = 0; result == 0 && i < sleds.count && count < FISQL_PATCH_ENTRIES_MAX; i++) {
        struct patch_left left = {sleds.items[i].address, FISQL_PATCH_SHORT};
        result = entry_of(&functions, &sleds, i, &entry)
                     ? array_add(&entries, &count, &capacity, entry, error)
                     : array_add(&plan->left, &plan->left_count, &plan->left_capacity, left, error);
    }
    if (result == 0)
        find_described(entries, count, &frames);
    if (result == 0 && count > 0)
        result = put_together(plan, entries, count, module, error);
    else if (result == 0)
        plan->problem = "it has no sleds: compile it with `fisql cc --sleds`";
    patch_sleds_release(&sleds);
    call_frames_close(&frames);
    free(entries);
    return result;
}
