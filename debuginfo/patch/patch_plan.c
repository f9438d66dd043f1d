/* Planning: see patch_plan.h. Each function's stub is made in turn, behind the one before. */
#include "debuginfo/patch/patch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "base/sorted.h"
#include "debuginfo/patch/patch_links.h"
#include "debuginfo/patch/patch_parts.h"
#include "debuginfo/patch/patch_sleds.h"
#include "debuginfo/x86/x86_leaf.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/x86/x86_move.h"
#include "debuginfo/x86/x86_return.h"

#define NEAR_BYTES 4
#define WORD 8u
#define STUB_BYTES_MAX                                                                             \
    (FISQL_PATCH_ALIGN + FISQL_PATCH_HEAD + FISQL_PATCH_MOVED + X86_MOVED_BYTES_MAX + 2 * WORD)

_Static_assert(X86_LEAF_BYTES_MAX == FISQL_PATCH_LEAF_BYTES, "the collector knows how long");

struct making_links {
    struct patch_links found;
    struct fisql_patch_link *links; /* those that are referred to */
    size_t count;
    struct fisql_patch_reference *references;
    size_t references_count;
    char *texts;
    size_t texts_bytes, texts_capacity;
};

struct making {
    struct patch_functions functions;
    struct patch_plan *plan;
    struct fisql_patch_entry *entries;
    size_t entries_count, entries_capacity;
    struct fisql_patch_fixup *fixups;
    size_t fixups_count, fixups_capacity;
    unsigned char *code;
    size_t code_bytes, code_capacity;
    uint64_t low, high;
    size_t entries_code_bytes, entries_fixups_count; /* what the entries need of both */
    struct making_links links;
    bool hooks; /* the module calls hooks */
    bool holds; /* it holds the collector: of its functions those with sleds are patched */
    struct patch_sleds sleds; /* if it does */
    struct error *error;
};

const char *patch_reason_text(enum fisql_patch_reason reason)
{
    static const char *const texts[] = {[FISQL_PATCH_HOOKED] = "hooked",
#define REASON_TEXT(name, text) [FISQL_PATCH_##name] = (text),
                                        FISQL_PATCH_REASONS(REASON_TEXT)
#undef REASON_TEXT
    };
    must(reason < FISQL_PATCH_REASONS_COUNT);
    return texts[reason];
}

size_t patch_plan_functions(const struct patch_plan *plan)
{
    size_t count = plan->plan != NULL ? plan->plan->entries_count : 0;
    for (size_t i = 0; i < plan->left_count; i++)
        count += plan->left[i].reason != FISQL_PATCH_START &&
                 plan->left[i].reason != FISQL_PATCH_PART &&
                 plan->left[i].reason != FISQL_PATCH_NO_SLED;
    return count;
}

static int leave(struct making *making, uint64_t address, enum fisql_patch_reason reason)
{
    struct patch_plan *plan = making->plan;
    struct patch_left left = {address, reason};
    return array_add(&plan->left, &plan->left_count, &plan->left_capacity, left, making->error);
}

/* Where the next piece of code starts behind an address, or its span ends. */
static uint64_t room_end(const struct making *making, size_t index, uint64_t end)
{
    const struct patch_functions *functions = &making->functions;
    const struct patch_function *piece = &functions->functions[index];
    uint64_t limit = patch_span_of(functions, piece->start)->end;
    if (index + 1 < functions->count && functions->functions[index + 1].start < limit)
        limit = functions->functions[index + 1].start;
    size_t next = sorted_from(functions->symbols, functions->symbols_count, address, end);
    if (next < functions->symbols_count && functions->symbols[next].address < limit)
        limit = functions->symbols[next].address;
    return limit;
}

static void put_displacement(unsigned char *at, size_t target, size_t next)
{
    uint32_t distance = (uint32_t)(target - next);
    memcpy(at, &distance, NEAR_BYTES);
}

/* What each stub begins with; its displacement stays within the area. leaf: of a short leaf function. */
static void put_head(unsigned char *code, size_t stub, bool leaf)
{
    static const unsigned char call_word[] = {0xff, 0x15}, jump_on[] = {0xff, 0x64, 0x24, 0xf0};
    unsigned char *at = code + stub;
    memcpy(at, call_word, 2);
    /* The area's words lie before the code. */
    put_displacement(at + 2, (leaf ? WORD : 0) - (size_t)FISQL_PATCH_HEAD, stub + 6);
    memcpy(at + 6, jump_on, sizeof jump_on);
}

static bool in_reach(const struct making *making, const struct x86_moved *moved)
{
    for (unsigned i = 0; i < moved->fixups_count; i++)
        if (moved->fixups[i].target < making->functions.low ||
            moved->fixups[i].target > making->functions.high)
            return false;
    return true;
}

static int add_fixup(struct making *making, struct fisql_patch_fixup fixup)
{
    return array_add(&making->fixups, &making->fixups_count, &making->fixups_capacity, fixup,
                     making->error);
}

static int add_fixups(struct making *making, const struct x86_moved *moved, size_t place)
{
    for (unsigned i = 0; i < moved->fixups_count; i++) {
        const struct x86_fixup *from = &moved->fixups[i];
        struct fisql_patch_fixup fixup = {.place = (uint32_t)(place + from->place),
                                          .kind = FISQL_PATCH_RELATIVE,
                                          .trailing = from->trailing,
                                          .target = from->target};
        making->low = fixup.target < making->low ? fixup.target : making->low;
        making->high = fixup.target > making->high ? fixup.target : making->high;
        if (add_fixup(making, fixup) != 0)
            return -1;
    }
    return 0;
}

/* Adds the entry and its stub. */
static int hook(struct making *making, const struct patch_function *piece,
                const unsigned char *code, const struct x86_moved *moved)
{
    size_t room = making->code_bytes + STUB_BYTES_MAX;
    if (array_reserve(&making->code, &making->code_capacity, room, making->error) != 0)
        return -1;
    size_t stub = (making->code_bytes + FISQL_PATCH_HEAD + FISQL_PATCH_ALIGN - 1) /
                  FISQL_PATCH_ALIGN * FISQL_PATCH_ALIGN;
    size_t place = stub + FISQL_PATCH_MOVED, end = place + moved->bytes;
    if (moved->bytes < FISQL_PATCH_JUMP)
        end = place + FISQL_PATCH_JUMP;
    size_t pushed = (end + WORD - 1) / WORD * WORD;
    if (moved->calls)
        end = pushed + WORD;
    must(end <= making->code_capacity);
    memset(making->code + making->code_bytes, 0, end - making->code_bytes);
    put_head(making->code, stub, x86_is_leaf(code, piece->end - piece->start));
    memcpy(making->code + place, moved->code, moved->bytes);
    if (moved->calls)
        put_displacement(making->code + place + moved->push_place, pushed,
                         place + moved->push_place + NEAR_BYTES);
    making->code_bytes = end;
    struct fisql_patch_entry entry = {.address = piece->start,
                                      .stub = (uint32_t)stub,
                                      .flags = moved->calls ? FISQL_PATCH_CALLS : 0,
                                      .hop = piece->hop};
    struct fisql_patch_fixup word = {
        .place = (uint32_t)pushed, .kind = FISQL_PATCH_ABSOLUTE, .target = moved->pushed};
    memcpy(entry.before, code, fisql_patch_taken(&entry));
    if (entry.hop != 0)
        memcpy(entry.under, code + (int64_t)(fisql_patch_jump(&entry) - entry.address),
               sizeof entry.under);
    if (array_add(&making->entries, &making->entries_count, &making->entries_capacity, entry,
                  making->error) != 0 ||
        add_fixups(making, moved, place) != 0)
        return -1;
    return moved->calls ? add_fixup(making, word) : 0;
}

/* Moves what `bytes` bytes at the function's start hold. */
static enum fisql_patch_reason move(const struct making *making, size_t index, unsigned bytes,
                                    struct x86_moved *moved)
{
    static const enum fisql_patch_reason reasons[] = {[X86_MOVED] = FISQL_PATCH_HOOKED,
                                                      [X86_MOVE_SHORT] = FISQL_PATCH_SHORT,
                                                      [X86_MOVE_UNMOVABLE] = FISQL_PATCH_UNMOVABLE,
                                                      [X86_MOVE_UNREADABLE] =
                                                          FISQL_PATCH_UNREADABLE};
    const struct patch_function *piece = &making->functions.functions[index];
    const struct patch_span *span = patch_span_of(&making->functions, piece->start);
    uint64_t room = room_end(making, index, piece->end);
    enum fisql_patch_reason reason =
        reasons[x86_move(moved, span->bytes + (piece->start - span->start),
                         piece->end - piece->start, room - piece->start, piece->start, bytes)];
    if (reason != FISQL_PATCH_HOOKED)
        return reason;
    return in_reach(making, moved) ? FISQL_PATCH_HOOKED : FISQL_PATCH_FAR;
}

/* What keeps a function from being hooked, its first instructions apart. */
static enum fisql_patch_reason look(const struct making *making, size_t index)
{
    const struct patch_function *piece = &making->functions.functions[index];
    const struct patch_span *span = patch_span_of(&making->functions, piece->start);
    if (piece->role == PATCH_PART)
        return FISQL_PATCH_PART;
    if (making->holds &&
        !patch_sleds_within(&making->sleds, piece->start, piece->start + FISQL_PATCH_JUMP))
        return FISQL_PATCH_NO_SLED;
    if (piece->role == PATCH_START)
        return FISQL_PATCH_START;
    if (piece->overlapped)
        return FISQL_PATCH_UNREADABLE;
    if ((piece->marks & (PATCH_LEAVES | PATCH_UNWINDS)) != 0)
        return FISQL_PATCH_UNWINDS;
    if ((piece->marks & PATCH_POPS) != 0)
        return FISQL_PATCH_POPS;
    if ((piece->marks & PATCH_ASKS) != 0)
        return FISQL_PATCH_CALLER;
    /* Hooks that were compiled in get it, and are not called. */
    if (!making->hooks && x86_uses_return_address(span->bytes + (piece->start - span->start),
                                                  piece->end - piece->start))
        return FISQL_PATCH_RETURN;
    return FISQL_PATCH_HOOKED;
}

static void decide(struct making *making, size_t index)
{
    struct patch_function *piece = &making->functions.functions[index];
    struct x86_moved moved;
    piece->reason = look(making, index);
    if (piece->reason != FISQL_PATCH_HOOKED)
        return;
    if (piece->entered != 0 && piece->entered < FISQL_PATCH_JUMP)
        piece->reason = FISQL_PATCH_ENTERED;
    else
        piece->reason = move(making, index, FISQL_PATCH_JUMP, &moved);
}

/* ---- hops ---- */

/* Where the function's hop would lie behind the donor's jump; 0 if that is too far away. */
static int8_t hop_to(const struct patch_function *piece, const struct patch_function *donor)
{
    int64_t distance =
        (int64_t)(donor->start + FISQL_PATCH_JUMP - piece->start) - (int64_t)FISQL_PATCH_SHORT_JUMP;
    return distance >= INT8_MIN && distance <= INT8_MAX ? (int8_t)distance : 0;
}

static bool can_donate(const struct making *making, size_t index)
{
    const struct patch_function *donor = &making->functions.functions[index];
    struct x86_moved moved;
    return donor->reason == FISQL_PATCH_HOOKED && donor->hop == 0 && donor->entered == 0 &&
           (donor->marks & PATCH_DONATES) == 0 && donor->end - donor->start >= PATCH_REACH &&
           move(making, index, PATCH_REACH, &moved) == FISQL_PATCH_HOOKED;
}

static bool take_hop(struct making *making, size_t index, size_t other)
{
    struct patch_function *functions = making->functions.functions;
    int8_t hop = hop_to(&functions[index], &functions[other]);
    if (hop == 0 || !can_donate(making, other))
        return false;
    functions[index].hop = hop;
    functions[index].reason = FISQL_PATCH_HOOKED;
    functions[other].marks |= PATCH_DONATES;
    return true;
}

/* Finds a hop for a function in which there is room for a short jump alone. */
static void find_hop(struct making *making, size_t index)
{
    const struct patch_functions *functions = &making->functions;
    const struct patch_function *piece = &functions->functions[index];
    struct x86_moved moved;
    if ((piece->reason != FISQL_PATCH_SHORT && piece->reason != FISQL_PATCH_ENTERED) ||
        (piece->entered != 0 && piece->entered < FISQL_PATCH_SHORT_JUMP) ||
        move(making, index, FISQL_PATCH_SHORT_JUMP, &moved) != FISQL_PATCH_HOOKED)
        return;
    for (size_t i = index; i-- > 0 && piece->start - functions->functions[i].start <= INT8_MAX;)
        if (take_hop(making, index, i))
            return;
    for (size_t i = index + 1;
         i < functions->count && functions->functions[i].start - piece->start <= INT8_MAX; i++)
        if (take_hop(making, index, i))
            return;
}

static int plan_one(struct making *making, size_t index)
{
    const struct patch_function *piece = &making->functions.functions[index];
    const struct patch_span *span = patch_span_of(&making->functions, piece->start);
    struct x86_moved moved;
    unsigned bytes = piece->hop != 0                       ? FISQL_PATCH_SHORT_JUMP
                     : (piece->marks & PATCH_DONATES) != 0 ? PATCH_REACH
                                                           : FISQL_PATCH_JUMP;
    enum fisql_patch_reason reason = piece->reason;
    if (reason == FISQL_PATCH_HOOKED && (making->entries_count == FISQL_PATCH_ENTRIES_MAX ||
                                         making->code_bytes > UINT32_MAX - 2 * STUB_BYTES_MAX))
        reason = FISQL_PATCH_UNREADABLE;
    if (reason == FISQL_PATCH_HOOKED)
        reason = move(making, index, bytes, &moved);
    if (reason != FISQL_PATCH_HOOKED)
        return leave(making, piece->start, reason);
    return hook(making, piece, span->bytes + (piece->start - span->start), &moved);
}

static int plan_all(struct making *making)
{
    size_t count = making->functions.count;
    for (size_t i = 0; i < count; i++)
        decide(making, i);
    for (size_t i = 0; i < count; i++)
        find_hop(making, i);
    for (size_t i = 0; i < count; i++)
        if (plan_one(making, i) != 0)
            return -1;
    return 0;
}

/* ---- links ---- */

/* The offset of a text's copy, or -1 without memory. The first text is "". */
static int64_t add_text(struct making *making, const char *text)
{
    size_t bytes = strlen(text) + 1, at = making->links.texts_bytes;
    if (bytes == 1 && at > 0)
        return 0;
    if (array_reserve(&making->links.texts, &making->links.texts_capacity, at + bytes,
                      making->error) != 0)
        return -1;
    memcpy(making->links.texts + at, text, bytes);
    making->links.texts_bytes = at + bytes;
    return (int64_t)at;
}

/* Adds a link's stub: a jump through its slot. */
static int link_one(struct making *making, const struct patch_link *from,
                    struct fisql_patch_link *link)
{
    static const unsigned char jump_through[] = {0xff, 0x25};
    int64_t name = add_text(making, from->name), version = add_text(making, from->version);
    size_t room = making->code_bytes + STUB_BYTES_MAX;
    if (name < 0 || version < 0 ||
        array_reserve(&making->code, &making->code_capacity, room, making->error) != 0)
        return -1;
    size_t stub = (making->code_bytes + FISQL_PATCH_LINK_HEAD + FISQL_PATCH_ALIGN - 1) /
                  FISQL_PATCH_ALIGN * FISQL_PATCH_ALIGN;
    size_t place = stub + FISQL_PATCH_MOVED, end = place + sizeof jump_through + NEAR_BYTES;
    memset(making->code + making->code_bytes, 0, end - making->code_bytes);
    put_head(making->code, stub, false);
    memcpy(making->code + place, jump_through, sizeof jump_through);
    making->code_bytes = end;
    *link = (struct fisql_patch_link){.slot = from->slot,
                                      .stub = (uint32_t)stub,
                                      .name = (uint32_t)name,
                                      .flags = from->taken ? FISQL_PATCH_TAKEN : 0,
                                      .version = (uint32_t)version};
    making->low = from->slot < making->low ? from->slot : making->low;
    making->high = from->slot + WORD > making->high ? from->slot + WORD : making->high;
    return add_fixup(making,
                     (struct fisql_patch_fixup){.place = (uint32_t)(place + sizeof jump_through),
                                                .kind = FISQL_PATCH_RELATIVE,
                                                .target = from->slot});
}

/* Where a function's stub has the distance that the reference has in the function, 0 = it was not
 * moved. Both are in the order of instructions: `next` is the fixup to begin with. */
static uint32_t moved_place(const struct making *making, const struct patch_reference *reference,
                            size_t *next)
{
    size_t index = sorted_after(making->entries, making->entries_count, address, reference->place);
    if (index == 0 || reference->place - making->entries[index - 1].address > STUB_BYTES_MAX)
        return 0;
    const struct fisql_patch_entry *entry = &making->entries[index - 1];
    uint64_t slot = making->links.found.links[reference->link].slot;
    uint64_t end =
        index < making->entries_count ? making->entries[index].stub : making->entries_code_bytes;
    size_t first = sorted_from(making->fixups, making->entries_fixups_count, place, entry->stub);
    for (size_t i = first > *next ? first : *next;
         i < making->entries_fixups_count && making->fixups[i].place < end; i++)
        if (making->fixups[i].kind == FISQL_PATCH_RELATIVE && making->fixups[i].trailing == 0 &&
            making->fixups[i].target == slot) {
            *next = i + 1;
            return making->fixups[i].place;
        }
    return 0;
}

static int plan_links(struct making *making)
{
    const struct patch_links *links = &making->links.found;
    uint32_t *made = calloc(links->count + 1, sizeof *made);
    making->links.links = calloc(links->count + 1, sizeof *making->links.links);
    making->links.references =
        calloc(links->references_count + 1, sizeof *making->links.references);
    int result = made == NULL || making->links.links == NULL || making->links.references == NULL ||
                         add_text(making, "") < 0
                     ? error_set(making->error, "out of memory for %zu links", links->count)
                     : 0;
    for (size_t i = 0; i < links->count && result == 0; i++) {
        if (links->links[i].references == 0 || making->code_bytes > UINT32_MAX - 2 * STUB_BYTES_MAX)
            continue;
        made[i] = (uint32_t)making->links.count + 1;
        result = link_one(making, &links->links[i], &making->links.links[making->links.count++]);
    }
    size_t next = 0;
    for (size_t i = 0; i < links->references_count && result == 0; i++) {
        const struct patch_reference *from = &links->references[i];
        uint32_t moved = moved_place(making, from, &next);
        if (made[from->link] == 0)
            continue;
        making->links.references[making->links.references_count++] =
            (struct fisql_patch_reference){.place = moved != 0 ? moved : from->place,
                                           .link = made[from->link] - 1,
                                           .flags = moved != 0 ? FISQL_PATCH_IN_STUB : 0,
                                           .before = from->before};
    }
    free(made);
    return result;
}

/* The parts of the plan follow one another, each 8-byte aligned. */
static uint64_t part_after(uint64_t offset, uint64_t bytes)
{
    return (offset + bytes + 7) & ~(uint64_t)7;
}

static void put_part(unsigned char *at, const void *part, uint64_t bytes)
{
    if (bytes > 0)
        memcpy(at, part, bytes);
}

static int put_together(struct making *making)
{
    const struct patch_functions *functions = &making->functions;
    uint64_t start, end;
    must(patch_code_range(functions->module, &start, &end));
    uint64_t entries_bytes = making->entries_count * sizeof *making->entries;
    uint64_t fixups_bytes = making->fixups_count * sizeof *making->fixups;
    uint64_t links_bytes = making->links.count * sizeof *making->links.links;
    uint64_t references_bytes = making->links.references_count * sizeof *making->links.references;
    struct fisql_patch head = {.entries_count = (uint32_t)making->entries_count,
                               .fixups_count = (uint32_t)making->fixups_count,
                               .links_count = (uint32_t)making->links.count,
                               .references_count = (uint32_t)making->links.references_count,
                               .entries_code_bytes = making->entries_code_bytes,
                               .entries_fixups_count = (uint32_t)making->entries_fixups_count,
                               .entries = sizeof head,
                               .code_bytes = making->code_bytes,
                               .texts_bytes = making->links.texts_bytes,
                               .low = making->low < start ? making->low : start,
                               .high = making->high > end ? making->high : end};
    memcpy(head.magic, FISQL_PATCH_MAGIC, sizeof head.magic);
    head.links = part_after(head.entries, entries_bytes);
    head.references = part_after(head.links, links_bytes);
    head.fixups = part_after(head.references, references_bytes);
    head.texts = part_after(head.fixups, fixups_bytes);
    head.code = part_after(head.texts, head.texts_bytes);
    head.bytes = part_after(head.code, head.code_bytes);
    unsigned char *plan = calloc(1, head.bytes);
    if (plan == NULL)
        return error_set(making->error, "out of memory for %zu bytes", (size_t)head.bytes);
    memcpy(plan, &head, sizeof head);
    put_part(plan + head.entries, making->entries, entries_bytes);
    put_part(plan + head.links, making->links.links, links_bytes);
    put_part(plan + head.references, making->links.references, references_bytes);
    put_part(plan + head.fixups, making->fixups, fixups_bytes);
    put_part(plan + head.texts, making->links.texts, head.texts_bytes);
    memcpy(plan + head.code, making->code, head.code_bytes);
    making->plan->plan = (struct fisql_patch *)(void *)plan;
    must(fisql_patch_is_sound(making->plan->plan, head.bytes, start, end));
    return 0;
}

static int by_address(const void *left, const void *right)
{
    const struct patch_left *a = left, *b = right;
    return a->address != b->address ? (a->address < b->address ? -1 : 1)
                                    : (a->reason > b->reason) - (a->reason < b->reason);
}

static int find_hooks(struct making *making, const struct elf_file *module)
{
    struct hook_calls hooks;
    int result = hook_calls_open(&hooks, HOOK_ENTER_NAME, module, NULL, making->error);
    making->hooks = result == 0 && (making->holds ? hook_calls_made : hook_calls_any)(&hooks);
    hook_calls_close(&hooks);
    return result;
}

static int make(struct making *making, const struct elf_file *module)
{
    struct patch_functions *functions = &making->functions;
    making->holds = patch_holds_collector(module);
    if ((making->holds && patch_sleds_find(&making->sleds, module, making->error) != 0) ||
        find_hooks(making, module) != 0)
        return -1;
    if (making->holds && (making->hooks || making->sleds.count == 0))
        return 0; /* its hooks are called */
    if (patch_functions_open(functions, module, making->error) != 0)
        return -1;
    making->low = UINT64_MAX;
    if (plan_all(making) != 0)
        return -1;
    making->entries_code_bytes = making->code_bytes;
    making->entries_fixups_count = making->fixups_count;
    if (!making->holds && (patch_links_find(&making->links.found, functions, making->error) != 0 ||
                           plan_links(making) != 0))
        return -1;
    for (size_t i = 0; i < functions->frameless_count; i++)
        if (leave(making, functions->frameless[i].address,
                  making->holds ? FISQL_PATCH_NO_SLED : FISQL_PATCH_NO_FRAME) != 0)
            return -1;
    array_sort(making->plan->left, making->plan->left_count, by_address);
    if (functions->count == 0)
        making->plan->problem = "it has no unwind information";
    else if (making->entries_count == 0)
        making->plan->problem = "none of its functions can be patched";
    return making->entries_count + making->links.count > 0 ? put_together(making) : 0;
}

static bool section_holds(const struct elf_file *module, const char *section, const char *word)
{
    const struct elf_section *found = elf_file_section(module, section);
    return found != NULL && found->data != NULL &&
           memmem(found->data, found->size_bytes, word, strlen(word)) != NULL;
}

/* Runtime libraries that find return addresses on the stack in tables of their own, where those of
 * call sites are missing, or that leave no address space for the mirror. NULL = none. They are known
 * by words that they cannot do without. */
static const char *runtime_problem(const struct elf_file *module)
{
    if (section_holds(module, ".rodata", "OCAMLRUNPARAM"))
        return "OCaml's runtime reads its stacks by tables of its own";
    if (section_holds(module, ".dynstr", "_ZN2v87Isolate") ||
        section_holds(module, ".rodata", "Ineffective mark-compacts near heap limit"))
        return "V8 reads its stacks by tables of its own";
    if (section_holds(module, ".dynstr", "JNI_CreateJavaVM") &&
        section_holds(module, ".dynstr", "JVM_"))
        return "Java's virtual machine reads its stacks by tables of its own";
    if (section_holds(module, ".dynstr", "__tsan_init"))
        return "ThreadSanitizer takes the whole address space";
    if (section_holds(module, ".rodata", "QEMU_LD_PREFIX"))
        return "an emulator: programs in it are recorded by their hooks";
    if (section_holds(module, ".dynstr", "__msan_init"))
        return "MemorySanitizer checks the memory that hooks write";
    return NULL;
}

bool patch_holds_asan(const char *path)
{
    struct elf_file file;
    /* What a program may define for the runtime: it refers to this, and nobody else does. */
    bool holds = elf_file_open(&file, path) == NULL &&
                 section_holds(&file, ".dynstr", "__lsan_default_suppressions");
    elf_file_close(&file);
    return holds;
}

int patch_plan_make(struct patch_plan *plan, const struct elf_file *module, struct error *error)
{
    *plan = (struct patch_plan){.problem = NULL};
    if (module->machine == EM_AARCH64)
        return patch_plan_aarch64(plan, module, error);
    if (module->machine != EM_X86_64) {
        plan->problem = "only x86-64 code, and sleds of aarch64, can be patched";
        return 0;
    }
    if (elf_file_section(module, ".gopclntab") != NULL ||
        elf_file_section(module, ".go.buildinfo") != NULL) {
        plan->problem = "Go's runtime reads its stacks by tables of its own";
        return 0;
    }
    if ((plan->problem = runtime_problem(module)) != NULL)
        return 0;
    struct making making = {.plan = plan, .error = error};
    int result = make(&making, module);
    patch_functions_close(&making.functions);
    patch_sleds_release(&making.sleds);
    free(making.entries);
    free(making.fixups);
    free(making.code);
    patch_links_release(&making.links.found);
    free(making.links.links);
    free(making.links.references);
    free(making.links.texts);
    return result;
}

void patch_plan_release(struct patch_plan *plan)
{
    free(plan->plan);
    free(plan->left);
    *plan = (struct patch_plan){.problem = NULL};
}
