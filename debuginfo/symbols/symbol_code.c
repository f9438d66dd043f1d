/*
 * Calls read from machine code: see symbol_code.h.
 *
 * x86-64 instructions vary in length, so the bytes before a return address can be read in several
 * ways. `call n` (e8) counts if it leads to a function's start or to a stub; then we try the forms
 * of `call *operand` (ff /2), each with its operand's length. On aarch64 the word before the return
 * address is the instruction.
 *
 * We count a function's targets by the same signs in all its code: `call n` to a function's start
 * or a stub, `call *n(%rip)` through the global offset table, `bl`. We do not see calls through
 * other pointers. Code without hooks may end with a call, as a jump to a function's start: such
 * jumps count in modules that are recorded as they are, short ones, too, for which we read each
 * instruction, and when we look for the way to code without hooks. Calls that the compiler adds do
 * not count: the hooks, and what C++ and hardened programs add (added_by_compiler).
 */
#include "debuginfo/symbols/symbol_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/x86/x86_sweep.h"

#define ARM_BL_MASK 0xfc000000u
#define ARM_BL 0x94000000u
#define ARM_B 0x14000000u
#define CALL_BYTES_MAX 7 /* the longest that we read: call *n(base,index,scale) */

struct target {
    uint32_t caller;
    uint64_t callee; /* index of the function, or NAMELESS_TARGET */
    uint64_t after;  /* the return address */
};

struct symbol_code {
    struct elf_file module;
    bool calls_read;
    struct target *calls; /* to functions without hooks, by callee */
    size_t calls_count;
};

int symbol_code_open(struct symbol_code **out, struct elf_file *module, struct error *error)
{
    struct symbol_code *code = calloc(1, sizeof *code);
    if (code != NULL)
        code->module = *module;
    else
        elf_file_close(module);
    *module = (struct elf_file){0};
    *out = code;
    return code != NULL ? 0 : error_set(error, "out of memory for a module's code");
}

void symbol_code_close(struct symbol_code *code)
{
    if (code != NULL) {
        elf_file_close(&code->module);
        free(code->calls);
    }
    free(code);
}

/* ---- one call ---- */

static bool in_section(const struct elf_file *module, const char *prefix, uint64_t address)
{
    for (uint32_t i = 0; i < module->sections_count; i++) {
        const struct elf_section *section = &module->sections[i];
        if (strncmp(section->name, prefix, strlen(prefix)) == 0 && address >= section->address &&
            address - section->address < section->size_bytes)
            return true;
    }
    return false;
}

static uint64_t relative(const unsigned char *at, uint64_t address_after)
{
    int32_t distance;
    memcpy(&distance, at, sizeof distance);
    return address_after + (uint64_t)(int64_t)distance;
}

/* Does a function or a stub start here? In a module without an inventory: is there code? */
static bool is_callee(const struct symbols *symbols, const struct elf_file *module,
                      uint64_t address)
{
    const struct symbol_range *range = symbols_range(symbols, address);
    if (range != NULL)
        return range->start == address;
    return symbols->ranges_count == 0 ? elf_file_is_code(module, address)
                                      : in_section(module, ".plt", address);
}

/* The length of `call *operand` from its opcode at `code` on; 0 = another instruction. */
static unsigned indirect_length(const unsigned char *code, unsigned left)
{
    if (left < 2 || code[0] != 0xff || (code[1] & 0x38) != 0x10)
        return 0;
    unsigned mode = code[1] >> 6, base = code[1] & 7;
    unsigned length = mode != 3 && base == 4 ? 3 : 2;
    if (mode == 1)
        return length + 1;
    if (mode == 2 || (mode == 0 && base == 5) ||
        (mode == 0 && base == 4 && left > 2 && (code[2] & 7) == 5))
        return length + 4;
    return length;
}

static enum symbol_call call_x86(const struct symbols *symbols, const unsigned char *before,
                                 uint64_t address)
{
    const struct elf_file *module = &symbols->code->module;
    const unsigned char *end = before + CALL_BYTES_MAX;
    if (end[-5] == 0xe8 && is_callee(symbols, module, relative(end - 4, address)))
        return SYMBOL_CALL_DIRECT;
    if (end[-6] == 0xff && end[-5] == 0x15) /* call *n(%rip) */
        return in_section(module, ".got", relative(end - 4, address)) ? SYMBOL_CALL_DIRECT
                                                                      : SYMBOL_CALL_INDIRECT;
    for (unsigned length = 2; length <= CALL_BYTES_MAX; length++)
        if (indirect_length(end - length, length) == length)
            return SYMBOL_CALL_INDIRECT;
    return SYMBOL_CALL_UNKNOWN;
}

static enum symbol_call call_arm(const unsigned char *before)
{
    uint32_t word;
    memcpy(&word, before, sizeof word);
    if ((word & ARM_BL_MASK) == ARM_BL)
        return SYMBOL_CALL_DIRECT;
    /* blr; blraa and its relatives, which check a signed pointer */
    return (word & 0xfffffc1fu) == 0xd63f0000u || (word & 0xfefff800u) == 0xd63f0800u
               ? SYMBOL_CALL_INDIRECT
               : SYMBOL_CALL_UNKNOWN;
}

enum symbol_call symbol_code_call(const struct symbols *symbols, uint64_t address)
{
    if (symbols->code == NULL || address < CALL_BYTES_MAX)
        return SYMBOL_CALL_UNKNOWN;
    const struct elf_file *module = &symbols->code->module;
    unsigned bytes = module->machine == EM_AARCH64 ? 4 : CALL_BYTES_MAX;
    const unsigned char *before = elf_file_at(module, address - bytes, bytes);
    if (before == NULL || !elf_file_is_code(module, address - 1))
        return SYMBOL_CALL_UNKNOWN;
    if (module->machine == EM_X86_64)
        return call_x86(symbols, before, address);
    return module->machine == EM_AARCH64 ? call_arm(before) : SYMBOL_CALL_UNKNOWN;
}

/* ---- all calls of a function ---- */

static const char *const added_by_compiler[] = {HOOK_ENTER_NAME, HOOK_EXIT_NAME, "_Unwind_Resume",
                                                "__stack_chk_fail"};
#define ADDED_COUNT (sizeof added_by_compiler / sizeof added_by_compiler[0])
#define NAMELESS_TARGET ((uint64_t)1 << 63) /* with an address: a stub or a word of a table */

struct counter {
    const struct symbols *symbols;
    const struct elf_file *module;
    struct hook_calls added[ADDED_COUNT];
    bool ways;  /* look for calls of code without hooks, from any code; else for all calls of code
                 * with hooks */
    bool plain; /* no code of the module has hooks: all of it is looked at */
    struct target *targets;
    size_t count, capacity;
    struct error *error;
};

static bool is_added(const struct counter *counter, uint64_t address, bool slot)
{
    for (size_t i = 0; i < ADDED_COUNT; i++)
        if (slot ? hook_calls_is_slot(&counter->added[i], address)
                 : hook_calls_is_target(&counter->added[i], address))
            return true;
    return false;
}

static int add_target(struct counter *counter, uint32_t caller, uint64_t address, uint64_t after,
                      bool slot)
{
    const struct symbol_range *range = slot ? NULL : symbols_range(counter->symbols, address);
    if (is_added(counter, address, slot) || (range != NULL && range->function == caller))
        return 0;
    if (counter->ways &&
        (range == NULL || counter->symbols->functions[range->function].instrumented))
        return 0;
    return array_add(
        &counter->targets, &counter->count, &counter->capacity,
        ((struct target){caller, range != NULL ? range->function : NAMELESS_TARGET | address,
                         after}),
        counter->error);
}

/* Code without hooks may end with a call, as a jump; code with hooks ends with a hook. */
static bool may_jump(const struct counter *counter, const struct symbol_range *range)
{
    return counter->ways && !counter->symbols->functions[range->function].instrumented;
}

struct jumps {
    struct counter *counter;
    const struct symbol_range *range;
    int result;
};

static void visit_jump(void *context, enum x86_reference how, uint64_t target)
{
    struct jumps *jumps = context;
    const struct counter *counter = jumps->counter;
    bool slot = how == X86_REFERS_THROUGH;
    if (jumps->result != 0 || !(slot || how == X86_REFERS_JUMP || how == X86_REFERS_BRANCH) ||
        (target >= jumps->range->start && target < jumps->range->end))
        return;
    if (slot ? in_section(counter->module, ".got", target)
             : is_callee(counter->symbols, counter->module, target))
        jumps->result = add_target(jumps->counter, jumps->range->function, target, 0, slot);
}

static int walk_x86(struct counter *counter, const struct symbol_range *range,
                    const unsigned char *code, uint64_t size)
{
    int result = 0;
    bool jumps = may_jump(counter, range);
    for (uint64_t i = 1; i + 4 <= size && result == 0; i++) {
        unsigned char last = code[i - 1], before = i >= 2 ? code[i - 2] : 0;
        bool call = last == 0xe8 || (last == 0x15 && before == 0xff);
        bool jump =
            last == 0xe9 || ((last & 0xf0) == 0x80 && before == 0x0f); /* jcc: conditional */
        if (!call && !(jump && jumps))
            continue;
        bool slot = code[i - 1] == 0x15;
        uint64_t address = relative(code + i, range->start + i + 4);
        if (slot ? in_section(counter->module, ".got", address)
                 : is_callee(counter->symbols, counter->module, address))
            result = add_target(counter, range->function, address, range->start + i + 4, slot);
    }
    if (counter->plain && result == 0) {
        struct jumps visited = {counter, range, 0};
        x86_sweep(code, (size_t)size, range->start, visit_jump, &visited);
        result = visited.result;
    }
    return result;
}

static int walk_arm(struct counter *counter, const struct symbol_range *range,
                    const unsigned char *code, uint64_t size)
{
    int result = 0;
    bool jumps = counter->plain || may_jump(counter, range);
    for (uint64_t i = 0; i + 4 <= size && result == 0; i += 4) {
        uint32_t word;
        memcpy(&word, code + i, sizeof word);
        int64_t distance = (int64_t)((uint64_t)(word & 0x3ffffffu) << 38) >> 36;
        uint64_t address = range->start + i + (uint64_t)distance;
        bool call = (word & ARM_BL_MASK) == ARM_BL || (jumps && (word & ARM_BL_MASK) == ARM_B);
        if (call && is_callee(counter->symbols, counter->module, address))
            result = add_target(counter, range->function, address, range->start + i + 4, false);
    }
    return result;
}

static int by_caller(const void *left, const void *right)
{
    const struct target *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

static int by_callee(const void *left, const void *right)
{
    const struct target *a = left, *b = right;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return (a->after > b->after) - (a->after < b->after);
}

static int walk(struct counter *counter)
{
    const struct symbols *symbols = counter->symbols;
    const struct elf_file *module = counter->module;
    int result = 0;
    for (size_t i = 0; i < symbols->ranges_count && result == 0; i++) {
        const struct symbol_range *range = &symbols->ranges[i];
        uint64_t size = range->end - range->start;
        const unsigned char *code =
            counter->ways || counter->plain || symbols->functions[range->function].instrumented
                ? elf_file_at(module, range->start, size)
                : NULL;
        if (code != NULL)
            result = module->machine == EM_AARCH64 ? walk_arm(counter, range, code, size)
                                                   : walk_x86(counter, range, code, size);
    }
    return result;
}

/* Counts each pair of caller and callee once. */
static void count_pairs(struct symbols *symbols, struct counter *counter)
{
    for (size_t i = 0; i < symbols->functions_count; i++)
        symbols->functions[i].call_targets =
            counter->plain || symbols->functions[i].instrumented ? 0 : SYMBOL_NONE;
    array_sort(counter->targets, counter->count, by_caller);
    for (size_t i = 0; i < counter->count; i++)
        if (i == 0 || by_caller(&counter->targets[i], &counter->targets[i - 1]) != 0) {
            symbols->functions[counter->targets[i].caller].call_targets++;
            if ((counter->targets[i].callee & NAMELESS_TARGET) == 0)
                symbols->functions[counter->targets[i].callee].call_sources++;
        }
}

int symbol_code_count_targets(struct symbols *symbols, const struct elf_file *module,
                              const struct elf_file *names, bool plain, struct error *error)
{
    struct counter counter = {.symbols = symbols, .module = module, .plain = plain, .error = error};
    int result = 0;
    for (size_t i = 0; i < ADDED_COUNT && result == 0; i++)
        result = hook_calls_open(&counter.added[i], added_by_compiler[i], module, names, error);
    if (result == 0)
        result = walk(&counter);
    if (result == 0)
        count_pairs(symbols, &counter);
    for (size_t i = 0; i < ADDED_COUNT; i++)
        hook_calls_close(&counter.added[i]);
    free(counter.targets);
    return result;
}

/* ---- the way to code without hooks ---- */

static int read_calls(const struct symbols *symbols, struct error *error)
{
    struct symbol_code *code = symbols->code;
    struct counter counter = {
        .symbols = symbols, .module = &code->module, .ways = true, .error = error};
    if (code->calls_read)
        return 0;
    if (walk(&counter) != 0) {
        free(counter.targets);
        return -1;
    }
    array_sort(counter.targets, counter.count, by_callee);
    code->calls = counter.targets;
    code->calls_count = counter.count;
    code->calls_read = true;
    return 0;
}

static bool same_line(struct symbols *symbols, uint64_t one, uint64_t other)
{
    const char *files[2];
    uint32_t lines[2];
    symbols_own_line(symbols, one - 1, &files[0], &lines[0]);
    symbols_own_line(symbols, other - 1, &files[1], &lines[1]);
    return files[0] != NULL && files[1] != NULL && lines[0] == lines[1] &&
           strcmp(files[0], files[1]) == 0;
}

/* Goes from callees to callers without hooks. `waiting` has room for all functions. */
static uint64_t search_place(struct symbols *symbols, uint32_t function, uint32_t from,
                             uint32_t *waiting, bool *seen)
{
    const struct symbol_code *code = symbols->code;
    uint64_t place = 0;
    size_t count = 1;
    waiting[0] = from;
    seen[from] = true;
    while (count > 0) {
        uint32_t callee = waiting[--count];
        for (size_t i = sorted_from(code->calls, code->calls_count, callee, callee);
             i < code->calls_count && code->calls[i].callee == callee; i++) {
            const struct target *call = &code->calls[i];
            if (call->caller == function && place == 0)
                place = call->after;
            else if (call->caller == function && !same_line(symbols, place, call->after))
                return 0;
            if (seen[call->caller] || symbols->functions[call->caller].instrumented)
                continue;
            seen[call->caller] = true;
            waiting[count++] = call->caller;
        }
    }
    return place;
}

int symbol_code_place(struct symbols *symbols, uint32_t function, uint64_t address, uint64_t *place,
                      struct error *error)
{
    const struct symbol_range *range = symbols_range(symbols, address);
    *place = 0;
    if (symbols->code == NULL || range == NULL || !symbols->functions[function].instrumented)
        return 0;
    if (read_calls(symbols, error) != 0)
        return -1;
    uint32_t *waiting = calloc(symbols->functions_count, sizeof *waiting);
    bool *seen = calloc(symbols->functions_count, sizeof *seen);
    bool made = waiting != NULL && seen != NULL;
    if (made)
        *place = search_place(symbols, function, range->function, waiting, seen);
    free(waiting);
    free(seen);
    return made ? 0 : error_set(error, "out of memory");
}
