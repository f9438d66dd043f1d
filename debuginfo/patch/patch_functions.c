/*
 * Which pieces of code are functions: see patch_plan.h.
 *
 * Unwind information describes pieces of code. Most are functions. Compilers also put what rarely
 * runs into a piece of its own, which the function jumps to and nothing calls. Where the function
 * has a frame by then, the first row of that piece shows it. Otherwise it looks like a function,
 * and a jump to it like a tail call, which would be counted as a call. Symbols tell the two apart.
 * Without them, what is called, or has its address taken, or is exported is a function. A piece
 * that is only jumped to is a part if it is described right behind the piece that jumps, but does
 * not lie behind it. (Of the functions of Node.js, libjvm, CPython, Cargo and fisql, with symbols
 * and without: all but one of some 240,000 are told alike.)
 */
#include "debuginfo/patch/patch_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/call_frames.h"

#define STACK_POINTER 7
#define WORD 8
#define NOP 0x90
#define SKIPPED_MAX 16

/* A range of addresses that holds no functions. */
struct skipped {
    uint64_t start, end;
};

struct listing {
    struct patch_functions *functions;
    struct skipped skipped[SKIPPED_MAX];
    size_t skipped_count;
    struct error *error;
};

/* Jumps to other modules, and what is glued together of many files. */
static void find_skipped(struct listing *listing)
{
    const struct elf_file *module = listing->functions->module;
    for (uint32_t i = 0; i < module->sections_count && listing->skipped_count < SKIPPED_MAX; i++) {
        const struct elf_section *section = &module->sections[i];
        if ((section->flags & SHF_EXECINSTR) != 0 && section->size_bytes <= UINT64_MAX / 4 &&
            section->address <= UINT64_MAX / 4 &&
            (strncmp(section->name, ".plt", 4) == 0 || strcmp(section->name, ".iplt") == 0 ||
             strcmp(section->name, ".init") == 0 || strcmp(section->name, ".fini") == 0))
            listing->skipped[listing->skipped_count++] =
                (struct skipped){section->address, section->address + section->size_bytes};
    }
}

static bool is_skipped(const struct listing *listing, uint64_t address)
{
    for (size_t i = 0; i < listing->skipped_count; i++)
        if (address >= listing->skipped[i].start && address < listing->skipped[i].end)
            return true;
    return false;
}

/* In a file without sections: does the code at an address only jump to another module? */
static bool is_stub(const struct patch_functions *functions, const struct patch_span *span,
                    uint64_t start)
{
    static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25};
    const unsigned char *code = span->bytes + (start - span->start);
    uint64_t left = span->end - start;
    if (functions->module->sections_count > 0)
        return false;
    if (left > sizeof mark && memcmp(code, mark, sizeof mark) == 0) {
        code += sizeof mark;
        left -= sizeof mark;
    }
    if (left > 1 && *code == 0xf2) {
        code++;
        left--;
    }
    return left >= sizeof jump && memcmp(code, jump, sizeof jump) == 0;
}

/* ---- pieces ---- */

static bool is_called_frame(const struct call_frame *frame)
{
    return frame->cfa_register == STACK_POINTER && frame->cfa_offset == WORD &&
           frame->saved[frame->return_register].how == CALL_FRAME_AT &&
           frame->saved[frame->return_register].offset == -WORD;
}

/* Where an exception would lead to the first byte of a part, the compiler puts a nop before it: the
 * frame that is there already is described behind the nop. */
static enum patch_role role_of(const struct call_frames *frames, const struct patch_span *span,
                               uint64_t start)
{
    struct call_frame frame;
    if (!call_frames_at(frames, start, &frame))
        return PATCH_PART;
    if (frame.saved[frame.return_register].how == CALL_FRAME_UNSAID)
        return PATCH_START;
    if (!is_called_frame(&frame))
        return PATCH_PART;
    bool framed_behind = span->bytes[start - span->start] == NOP &&
                         call_frames_at(frames, start + 1, &frame) && !is_called_frame(&frame);
    return framed_behind ? PATCH_PART : PATCH_ENTRY;
}

/* Where the program starts, 0 = the module has no header or no start. */
static uint64_t start_of(const struct elf_file *module)
{
    Elf64_Ehdr header;
    if (module->size_bytes < sizeof header || memcmp(module->bytes, ELFMAG, SELFMAG) != 0)
        return 0;
    memcpy(&header, module->bytes, sizeof header);
    return header.e_entry;
}

/* Functions that use __builtin_eh_return() save the registers in which they hand values to a
 * handler: rax and rdx. No other function does that. */
static bool leaves(const struct call_frames *frames, size_t index)
{
    return call_frames_save_both(frames, index, 0, 1);
}

static int list_pieces(struct listing *listing, const struct call_frames *frames)
{
    struct patch_functions *functions = listing->functions;
    uint64_t program_start = start_of(functions->module), reached = 0;
    for (size_t i = 0; i < frames->count; i++) {
        struct call_frame_range range = call_frames_range(frames, i);
        const struct patch_span *span = patch_span_of(functions, range.start);
        if (i + 1 < frames->count && call_frames_range(frames, i + 1).start == range.start)
            continue;
        if (span == NULL || is_skipped(listing, range.start) ||
            is_stub(functions, span, range.start))
            continue;
        uint64_t end = range.end < span->end ? range.end : span->end;
        struct patch_function piece = {.start = range.start,
                                       .end = end,
                                       .place = range.place,
                                       .before = PATCH_NONE,
                                       .role = role_of(frames, span, range.start),
                                       .overlapped = range.start < reached,
                                       .marks = leaves(frames, i) ? PATCH_LEAVES : 0};
        if (program_start >= range.start && program_start < end)
            piece.role = PATCH_START;
        if (piece.overlapped && functions->count > 0 &&
            functions->functions[functions->count - 1].end > piece.start)
            functions->functions[functions->count - 1].end = piece.start;
        reached = end > reached ? end : reached;
        if (array_add(&functions->functions, &functions->count, &functions->capacity, piece,
                      listing->error) != 0)
            return -1;
    }
    return 0;
}

struct placed {
    uint64_t place;
    size_t index;
};

static int by_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    return a->place != b->place ? (a->place < b->place ? -1 : 1)
                                : (a->index > b->index) - (a->index < b->index);
}

static int find_before(struct patch_functions *functions, struct error *error)
{
    struct placed *order = calloc(functions->count + 1, sizeof *order);
    if (order == NULL)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < functions->count; i++)
        order[i] = (struct placed){functions->functions[i].place, i};
    array_sort(order, functions->count, by_place);
    for (size_t i = 1; i < functions->count; i++)
        functions->functions[order[i].index].before = order[i - 1].index;
    free(order);
    return 0;
}

/* ---- symbols ---- */

static bool has_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = name; (at = strstr(at, word)) != NULL; at++)
        if (at > name && at[-1] != '.' && (at[length] == 0 || at[length] == '.'))
            return true;
    return false;
}

/* foo.cold, foo.cold.3; BOLT has foo.warm, too. */
static bool is_cold_name(const char *name)
{
    return has_word(name, ".cold") || has_word(name, ".warm");
}

static int take_symbol(void *context, const struct elf_symbol *symbol)
{
    struct listing *listing = context;
    struct patch_functions *functions = listing->functions;
    uint64_t address = symbol->address;
    const struct patch_address found = {address};
    if (patch_span_of(functions, address) == NULL || is_skipped(listing, address))
        return 0;
    size_t next = sorted_after(functions->functions, functions->count, start, address);
    struct patch_function *piece = next > 0 ? &functions->functions[next - 1] : NULL;
    bool covered = piece != NULL && address < piece->end;
    if (covered && address == piece->start)
        piece->marks |= is_cold_name(symbol->name) ? PATCH_COLD : PATCH_NAMED;
    if (!covered && symbol->size_bytes > 0 &&
        array_add(&functions->frameless, &functions->frameless_count,
                  &functions->frameless_capacity, found, listing->error) != 0)
        return -1;
    return array_add(&functions->symbols, &functions->symbols_count, &functions->symbols_capacity,
                     found, listing->error);
}

static int by_address(const void *left, const void *right)
{
    const struct patch_address *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static void sort_once(struct patch_address *addresses, size_t *count)
{
    size_t kept = 0;
    array_sort(addresses, *count, by_address);
    for (size_t i = 0; i < *count; i++)
        if (kept == 0 || addresses[kept - 1].address != addresses[i].address)
            addresses[kept++] = addresses[i];
    *count = kept;
}

/* ---- parts ---- */

static bool is_part(const struct patch_functions *functions, size_t index)
{
    const struct patch_function *piece = &functions->functions[index];
    bool called = (piece->marks & PATCH_CALLED) != 0 || piece->taken > piece->tabled;
    if ((piece->marks & PATCH_COLD) != 0)
        return !called;
    if (called || (piece->marks & PATCH_NAMED) != 0)
        return false;
    return (piece->marks & PATCH_JUMPED) != 0 && piece->before + 1 != index;
}

int patch_functions_open(struct patch_functions *functions, const struct elf_file *module,
                         struct error *error)
{
    patch_functions_spans(functions, module);
    struct listing listing = {.functions = functions, .error = error};
    struct call_frames frames;
    find_skipped(&listing);
    int result = call_frames_open(&frames, module, NULL, error);
    if (result == 0)
        result = list_pieces(&listing, &frames);
    call_frames_close(&frames);
    if (result != 0 || find_before(functions, error) != 0 ||
        elf_file_functions(module, SHT_SYMTAB, take_symbol, &listing) != 0 ||
        elf_file_functions(module, SHT_DYNSYM, take_symbol, &listing) != 0)
        return -1;
    sort_once(functions->symbols, &functions->symbols_count);
    sort_once(functions->frameless, &functions->frameless_count);
    if (patch_references_mark(functions, error) != 0)
        return -1;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->functions[i].role == PATCH_ENTRY && is_part(functions, i))
            functions->functions[i].role = PATCH_PART;
    return 0;
}

void patch_functions_close(struct patch_functions *functions)
{
    free(functions->functions);
    free(functions->symbols);
    free(functions->frameless);
    *functions = (struct patch_functions){0};
}
