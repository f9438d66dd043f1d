/*
 * What refers to a module's functions: see patch_parts.h.
 *
 * All loaded code is gone through, also what no unwind information describes. Addresses in data are
 * known by relocations; a program that is loaded at fixed addresses has none, and there each word
 * counts that could be one. Switches jump through tables: of 4-byte distances from the table, whose
 * address the code takes, or of addresses.
 */
#include "debuginfo/patch/patch_parts.h"

#include <string.h>

#include "base/sorted.h"
#include "debuginfo/elf/elf_dynamic.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/x86/x86_sweep.h"

#define WORD 8u

/* They look at their return address to know whose folders and scope to search. */
static const char *const asked_names[] = {"dlopen", "dlmopen", "dlsym", "dlvsym"};
#define ASKED (sizeof asked_names / sizeof *asked_names)

struct marking {
    struct patch_functions *functions;
    size_t current;                 /* the piece gone through, or PATCH_NONE */
    bool fixed;                     /* the module's addresses are those in memory */
    struct hook_calls asked[ASKED]; /* where the functions are imported that ask who calls them */
    uint64_t budget; /* entries of tables left to read: a hostile file might name one again and
                        again */
};

/* The piece that an address lies in or behind, or NULL. */
static struct patch_function *piece_at(const struct marking *marking, uint64_t address)
{
    struct patch_functions *functions = marking->functions;
    size_t next = sorted_after(functions->functions, functions->count, start, address);
    return next > 0 ? &functions->functions[next - 1] : NULL;
}

/* Something leads to an address, or has it. */
static bool enter(struct patch_function *piece, uint64_t address)
{
    uint64_t at = address - piece->start;
    if (at == 0 || at >= PATCH_REACH)
        return false;
    if (piece->entered == 0 || at < piece->entered)
        piece->entered = (uint8_t)at;
    return true;
}

/* Something has an address. */
static void take(struct marking *marking, uint64_t address)
{
    struct patch_function *piece = piece_at(marking, address);
    if (piece == NULL)
        return;
    if (address == piece->start)
        piece->taken += piece->taken < UINT32_MAX;
    else
        enter(piece, address);
}

static void lead(struct marking *marking, enum x86_reference how, uint64_t target)
{
    struct patch_functions *functions = marking->functions;
    const struct patch_function *current =
        marking->current != PATCH_NONE ? &functions->functions[marking->current] : NULL;
    if (current != NULL && target >= current->start + PATCH_REACH && target < current->end)
        return;
    struct patch_function *piece = piece_at(marking, target);
    if (piece == NULL)
        return;
    if (enter(piece, target))
        return;
    if (target == piece->start && piece != current) {
        if (how == X86_REFERS_CALL || current == NULL)
            piece->marks |= PATCH_CALLED;
        if (how == X86_REFERS_CALL && current != NULL && (current->marks & PATCH_LEAVES) != 0)
            piece->marks |= PATCH_UNWINDS;
        else if (piece->before == marking->current)
            piece->marks |= PATCH_JUMPED;
    } else if (target == piece->start && how == X86_REFERS_CALL) {
        piece->marks |= PATCH_CALLED;
    }
}

/* A table of distances, if there is one: ends where one leads elsewhere. */
static void read_distances(struct marking *marking, uint64_t table)
{
    const struct patch_functions *functions = marking->functions;
    if (marking->current == PATCH_NONE)
        return;
    const struct patch_function *current = &functions->functions[marking->current];
    for (uint64_t at = table; marking->budget > 0; at += sizeof(int32_t), marking->budget--) {
        int32_t distance;
        const unsigned char *bytes = elf_file_at(functions->module, at, sizeof distance);
        if (bytes == NULL)
            return;
        memcpy(&distance, bytes, sizeof distance);
        uint64_t target = table + (uint64_t)(int64_t)distance;
        const struct patch_function *piece = piece_at(marking, target);
        if ((target < current->start || target >= current->end) &&
            (piece == NULL || piece->before != marking->current || target != piece->start))
            return;
        lead(marking, X86_REFERS_JUMP, target);
    }
}

/* A table of addresses. */
static void read_addresses(struct marking *marking, uint64_t table)
{
    const struct patch_functions *functions = marking->functions;
    if (marking->current == PATCH_NONE)
        return;
    const struct patch_function *current = &functions->functions[marking->current];
    for (uint64_t at = table; marking->budget > 0; at += WORD, marking->budget--) {
        uint64_t target;
        const unsigned char *bytes = elf_file_at(functions->module, at, WORD);
        if (bytes == NULL)
            return;
        memcpy(&target, bytes, WORD);
        struct patch_function *piece = piece_at(marking, target);
        if (piece == NULL || (piece != current && target != piece->start))
            return;
        if (target == piece->start && piece != current)
            piece->tabled += piece->tabled < UINT32_MAX;
        lead(marking, X86_REFERS_JUMP, target);
    }
}

/* The piece's end is a jump to a function that asks who calls it: its caller would be a call site. */
static void ask(struct marking *marking)
{
    if (marking->current != PATCH_NONE)
        marking->functions->functions[marking->current].marks |= PATCH_ASKS;
}

static void visit(void *context, enum x86_reference how, uint64_t target)
{
    struct marking *marking = context;
    switch (how) {
    case X86_REFERS_POPS:
        if (marking->current != PATCH_NONE)
            marking->functions->functions[marking->current].marks |= PATCH_POPS;
        return;
    case X86_REFERS_NUMBER:
        if (marking->fixed && patch_span_of(marking->functions, target) != NULL) {
            struct patch_function *piece = piece_at(marking, target);
            if (piece != NULL && target == piece->start)
                take(marking, target);
        }
        return;
    case X86_REFERS_ADDRESS:
        if (patch_span_of(marking->functions, target) != NULL)
            take(marking, target);
        else
            read_distances(marking, target);
        return;
    case X86_REFERS_TABLE:
        if (marking->fixed)
            read_addresses(marking, target);
        return;
    case X86_REFERS_THROUGH:
        for (size_t i = 0; i < ASKED; i++)
            if (hook_calls_is_slot(&marking->asked[i], target))
                ask(marking);
        return;
    case X86_REFERS_JUMP:
        for (size_t i = 0; i < ASKED; i++)
            if (hook_calls_is_target(&marking->asked[i], target))
                ask(marking);
        lead(marking, how, target);
        return;
    default:
        lead(marking, how, target);
    }
}

static void sweep(struct marking *marking, const struct patch_span *span, size_t current,
                  uint64_t start, uint64_t end)
{
    marking->current = current;
    if (start < end)
        x86_sweep(span->bytes + (start - span->start), end - start, start, visit, marking);
}

/* Goes through each piece, and what lies between. */
static void mark_code(struct marking *marking)
{
    const struct patch_functions *functions = marking->functions;
    size_t next = 0;
    for (size_t i = 0; i < functions->spans_count; i++) {
        const struct patch_span *span = &functions->spans[i];
        uint64_t at = span->start;
        for (; next < functions->count && functions->functions[next].start < span->end; next++) {
            const struct patch_function *piece = &functions->functions[next];
            sweep(marking, span, PATCH_NONE, at, piece->start);
            sweep(marking, span, next, piece->start, piece->end);
            at = piece->end;
        }
        sweep(marking, span, PATCH_NONE, at, span->end);
    }
}

/* Each word of data, in a program without relocations. */
static void mark_words(struct marking *marking)
{
    const struct elf_file *module = marking->functions->module;
    uint64_t reached = 0;
    for (uint16_t i = 0; i < module->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(module, i);
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) != 0 ||
            segment.p_vaddr < reached || segment.p_vaddr > UINT64_MAX / 4)
            continue;
        const unsigned char *bytes = elf_file_at(module, segment.p_vaddr, segment.p_filesz);
        if (bytes == NULL)
            continue;
        reached = segment.p_vaddr + segment.p_filesz;
        for (uint64_t at = -segment.p_vaddr % WORD; at + WORD <= segment.p_filesz; at += WORD) {
            uint64_t word;
            memcpy(&word, bytes + at, WORD);
            if (patch_span_of(marking->functions, word) != NULL)
                take(marking, word);
        }
    }
}

static int mark_addend(void *context, const Elf64_Rela *relocation)
{
    struct marking *marking = context;
    uint64_t type = ELF64_R_TYPE(relocation->r_info);
    if ((type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE) &&
        patch_span_of(marking->functions, (uint64_t)relocation->r_addend) != NULL)
        take(marking, (uint64_t)relocation->r_addend);
    return 0;
}

static void mark_packed_word(struct marking *marking, uint64_t place)
{
    uint64_t word;
    const unsigned char *bytes = elf_file_at(marking->functions->module, place, WORD);
    if (bytes == NULL)
        return;
    memcpy(&word, bytes, WORD);
    if (patch_span_of(marking->functions, word) != NULL)
        take(marking, word);
}

/* Packed ones: an even word is a place; an odd one tells which of the next 63 words are, too. */
static void mark_packed(struct marking *marking, uint64_t table, uint64_t size_bytes)
{
    const unsigned char *bytes = elf_file_at(marking->functions->module, table, size_bytes);
    uint64_t place = 0;
    for (uint64_t at = 0; bytes != NULL && at + WORD <= size_bytes; at += WORD) {
        uint64_t word;
        memcpy(&word, bytes + at, WORD);
        if ((word & 1) == 0) {
            mark_packed_word(marking, word);
            place = word + WORD;
            continue;
        }
        for (unsigned bit = 1; bit < 64; bit++)
            if ((word >> bit & 1) != 0)
                mark_packed_word(marking, place + (bit - 1) * (uint64_t)WORD);
        place += 63 * (uint64_t)WORD;
    }
}

static void mark_relocations(struct marking *marking)
{
    static const unsigned own[] = {DT_INIT, DT_FINI};
    struct elf_dynamic dynamic;
    elf_dynamic_read(&dynamic, marking->functions->module);
    const uint64_t *values = dynamic.values;
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (values[own[i]] != 0)
            take(marking, values[own[i]]);
    elf_dynamic_relocations(&dynamic, values[DT_RELA], values[DT_RELASZ], mark_addend, marking);
    mark_packed(marking, values[DT_RELR], values[DT_RELRSZ]);
}

int patch_references_mark(struct patch_functions *functions, struct error *error)
{
    int result = 0;
    struct marking marking = {.functions = functions,
                              .current = PATCH_NONE,
                              .fixed = functions->module->type == ET_EXEC,
                              .budget = functions->module->size_bytes};
    for (size_t i = 0; i < ASKED; i++)
        if (hook_calls_open(&marking.asked[i], asked_names[i], functions->module, NULL, error) != 0)
            result = -1;
    if (result == 0) {
        mark_code(&marking);
        mark_relocations(&marking);
        if (marking.fixed)
            mark_words(&marking);
    }
    for (size_t i = 0; i < ASKED; i++)
        hook_calls_close(&marking.asked[i]);
    return result;
}
