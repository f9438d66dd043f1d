/*
 * Direct calls and what stands around them: see x86_calls.h. We go through the code once, in the order
 * of addresses.
 *
 * A register is *fresh* from the instruction that sets it to the next one that reads it, jumps or calls.
 * What is fresh at a call was set for the one that is called: the call overwrites it. Behind a call,
 * rax and xmm0 are *open* until an instruction writes them, jumps or calls; one that reads them before
 * that takes the result. `push rax` does not: clang makes room on the stack with it. A function that
 * returns with them open, or jumps to another one, hands the result on: it is taken if its own is.
 *
 * Code that loads a function's address may call it through the register. The address is only handed on
 * if the register is fresh at a call, or the next instruction that reads it stores it in memory; or if
 * the function that loads it calls nothing through a register, or through its frame.
 */
#include "debuginfo/x86/x86_calls.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/x86/x86_uses.h"

#define RESULTS (X86_USES_RAX | 1u << X86_USES_VECTOR)
#define REGISTERS 16u
#define MAYBE_MAX 256u
#define KEPT_BY_CALLS (1u << 3 | 1u << 5 | 0xf000u) /* rbx, rbp, r12 to r15 */
#define ROUNDS_MAX 64u /* what a damaged file hands on for longer stays unknown */

/* A function that returns what another one returns. */
struct handing_on {
    uint64_t from, to;
    uint32_t results;
};

struct calls_walk {
    struct x86_calls *calls;
    struct handing_on *handings;
    size_t handings_count, handings_capacity;
    const struct named_code *functions;
    size_t count, at;  /* the first function that does not lie before the instruction */
    uint64_t function; /* where the one starts that we are in */
    const struct elf_section *section;
    struct error *error;
    uint64_t next;              /* address of the next instruction */
    uint32_t fresh;             /* registers */
    uint64_t loaded[REGISTERS]; /* the address in code that a general register holds; 0 = none */
    /* Of the function that we are in: what it may call through a register, and whether it calls so. */
    uint64_t maybe[MAYBE_MAX];
    unsigned maybe_count;
    bool indirect;
    uint64_t open_callee;
    uint32_t open; /* of RESULTS */
};

static bool is_function(const struct calls_walk *walk, uint64_t address)
{
    size_t at = sorted_from(walk->functions, walk->count, address, address);
    return at < walk->count && walk->functions[at].address == address;
}

/* Adds what is known of the function that starts at an address; if none does, nothing. */
static int add(struct calls_walk *walk, struct x86_callee callee)
{
    if (!is_function(walk, callee.address))
        return 0;
    callee.end = named_code_end(walk->functions, walk->count, callee.address);
    return array_add(&walk->calls->items, &walk->calls->count, &walk->calls->capacity, callee,
                     walk->error);
}

/* Where a direct call or jump leads to. False: it is none. */
static bool leads_to(const struct calls_walk *walk, const ZydisDecodedInstruction *decoded,
                     uint64_t *target)
{
    if (!decoded->raw.imm[0].is_relative)
        return false;
    *target = walk->next + (uint64_t)decoded->raw.imm[0].value.s;
    return true;
}

/* The address in code that the instruction loads into a register, as a number or relative to itself;
 * 0 = none. */
static uint64_t loads(const struct calls_walk *walk, const ZydisDecodedInstruction *decoded,
                      const ZydisDecodedOperand *operands)
{
    const struct elf_section *section = walk->section;
    uint64_t address = 0;
    if (decoded->operand_count_visible < 2 || operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
        return 0;
    if (decoded->mnemonic == ZYDIS_MNEMONIC_LEA && operands[1].mem.base == ZYDIS_REGISTER_RIP)
        address = walk->next + (uint64_t)operands[1].mem.disp.value;
    else if (decoded->mnemonic == ZYDIS_MNEMONIC_MOV &&
             operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        address = operands[1].imm.value.u;
    return address >= section->address && address - section->address < section->size_bytes ? address
                                                                                           : 0;
}

/* Notes that the function that we are in returns the result of the one at `from`. */
static int add_handing(struct calls_walk *walk, uint64_t from, uint32_t results)
{
    const struct handing_on handing = {from, walk->function, results};
    return results == 0 || from == walk->function || !is_function(walk, from)
               ? 0
               : array_add(&walk->handings, &walk->handings_count, &walk->handings_capacity,
                           handing, walk->error);
}

/* Notes that the function may call an address in a register. */
static int add_maybe(struct calls_walk *walk, uint64_t address)
{
    if (walk->maybe_count == MAYBE_MAX)
        return add(walk, (struct x86_callee){.address = address, .called = true});
    walk->maybe[walk->maybe_count++] = address;
    return 0;
}

/* Forgets addresses in registers (by their numbers) that may be called there. */
static int forget(struct calls_walk *walk, uint32_t registers)
{
    int result = 0;
    for (unsigned i = 0; i < REGISTERS && result == 0; i++)
        if ((registers >> i & 1) != 0 && walk->loaded[i] != 0) {
            result = add_maybe(walk, walk->loaded[i]);
            walk->loaded[i] = 0;
        }
    return result;
}

/* The number of a general register, whichever part of it; REGISTERS = it is another one. */
static unsigned general(ZydisRegister part)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
    ZyanI8 id =
        ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
    return id >= 0 && id < (ZyanI8)REGISTERS ? (unsigned)id : REGISTERS;
}

/* Notes that the address in a register gets to others. */
static int hand_over(struct calls_walk *walk, unsigned at)
{
    uint64_t address = walk->loaded[at];
    walk->loaded[at] = 0;
    return address != 0 ? add(walk, (struct x86_callee){.address = address, .handed_on = true}) : 0;
}

static bool is_in_frame(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           (operand->mem.base == ZYDIS_REGISTER_RSP || operand->mem.base == ZYDIS_REGISTER_RBP);
}

/* Takes what the instruction does with registers that hold addresses of code. */
static int take_loaded(struct calls_walk *walk, const ZydisDecodedInstruction *decoded,
                       const ZydisDecodedOperand *operands)
{
    bool move = decoded->mnemonic == ZYDIS_MNEMONIC_MOV || decoded->mnemonic == ZYDIS_MNEMONIC_MOVQ;
    bool stores = move && (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                           general(operands[0].reg.value) == REGISTERS);
    uint64_t address = loads(walk, decoded, operands);
    int result = 0;
    for (unsigned i = 0; i < decoded->operand_count && result == 0; i++) {
        unsigned at =
            operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER ? general(operands[i].reg.value)
            : operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY ? general(operands[i].mem.base)
                                                            : REGISTERS;
        if (at == REGISTERS || walk->loaded[at] == 0)
            continue;
        if (stores && i == 1 && !is_in_frame(&operands[0]))
            result = hand_over(walk, at);
        else if ((operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 ||
                 operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            result = forget(walk, 1u << at);
        else
            walk->loaded[at] = 0;
    }
    unsigned to = address != 0 ? general(operands[0].reg.value) : REGISTERS;
    if (to < REGISTERS)
        walk->loaded[to] = address;
    return result;
}

/* Forgets the addresses that a call or jump may lead to, or hides. What is fresh is handed on. */
static int leave_loaded(struct calls_walk *walk, const ZydisDecodedOperand *operands, bool call)
{
    static const uint8_t numbers[] = {7, 6, 2, 1, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */
    static const uint8_t bits[] = {5, 4, 1, 2, 8, 9};
    unsigned through = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER
                           ? general(operands[0].reg.value)
                           : REGISTERS;
    int result = through < REGISTERS ? forget(walk, 1u << through) : 0;
    walk->indirect = walk->indirect || through < REGISTERS || is_in_frame(&operands[0]);
    for (unsigned i = 0; i < sizeof bits && call && result == 0; i++)
        if ((walk->fresh >> bits[i] & 1) != 0)
            result = hand_over(walk, numbers[i]);
    return result != 0 ? result : forget(walk, call ? ~KEPT_BY_CALLS : UINT32_MAX);
}

static int take_branch(struct calls_walk *walk, const ZydisDecodedInstruction *decoded,
                       const ZydisDecodedOperand *operands)
{
    uint64_t target = 0;
    bool direct = leads_to(walk, decoded, &target);
    bool call = decoded->meta.category == ZYDIS_CATEGORY_CALL;
    bool jump = decoded->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
    int result = decoded->meta.category == ZYDIS_CATEGORY_RET
                     ? add_handing(walk, walk->open_callee, walk->open)
                     : 0;
    walk->open = 0;
    const struct x86_callee callee = {
        .address = target, .called = true, .sets = call || jump ? walk->fresh : 0};
    if (direct && result == 0)
        result = add(walk, callee);
    if (direct && jump && result == 0)
        result = add_handing(walk, target, RESULTS);
    if (result == 0)
        result = leave_loaded(walk, operands, call);
    walk->fresh = 0;
    if (direct && call) {
        walk->open_callee = target;
        walk->open = RESULTS;
    }
    return result;
}

static int take(struct calls_walk *walk, const ZydisDecodedInstruction *decoded,
                const ZydisDecodedOperand *operands)
{
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_INTERRUPT:
        return take_branch(walk, decoded, operands);
    default:
        break;
    }
    const struct x86_uses uses = x86_uses_of(decoded, operands);
    uint32_t taken = uses.reads & walk->open;
    int result = take_loaded(walk, decoded, operands);
    if (taken != 0 && decoded->mnemonic != ZYDIS_MNEMONIC_PUSH && result == 0)
        result = add(walk, (struct x86_callee){.address = walk->open_callee, .takes = taken});
    walk->open &= ~(uses.reads | uses.writes);
    walk->fresh = (walk->fresh & ~(uses.reads | uses.writes)) | uses.sets;
    return result;
}

/* What came before does not go on here. */
static void start_anew(struct calls_walk *walk)
{
    walk->fresh = walk->open = 0;
    memset(walk->loaded, 0, sizeof walk->loaded);
}

static int finish_function(struct calls_walk *walk)
{
    int result = 0;
    for (unsigned i = 0; i < walk->maybe_count && result == 0; i++) {
        const struct x86_callee callee = {
            .address = walk->maybe[i], .called = walk->indirect, .handed_on = !walk->indirect};
        result = add(walk, callee);
    }
    walk->maybe_count = 0;
    walk->indirect = false;
    start_anew(walk);
    return result;
}

static int walk_section(struct calls_walk *walk)
{
    const struct elf_section *section = walk->section;
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    int result = 0;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    start_anew(walk);
    walk->at = sorted_from(walk->functions, walk->count, address, section->address);
    for (uint64_t at = 0; at < section->size_bytes && result == 0;) {
        while (walk->at < walk->count && walk->functions[walk->at].address < section->address + at)
            walk->at++;
        if (walk->at < walk->count && walk->functions[walk->at].address == section->address + at) {
            walk->function = section->address + at;
            result = finish_function(walk);
        }
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, section->data + at,
                                                 section->size_bytes - at, &decoded, operands))) {
            at++;
            start_anew(walk);
            continue;
        }
        at += decoded.length;
        walk->next = section->address + at;
        if (result == 0)
            result = take(walk, &decoded, operands);
    }
    return result != 0 ? result : finish_function(walk);
}

static int by_address(const void *left, const void *right)
{
    const struct x86_callee *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/* Hands results on until nothing changes: in as many rounds as functions return each other's. */
static void hand_on(const struct calls_walk *walk)
{
    bool changed = true;
    for (unsigned round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (size_t i = 0; i < walk->handings_count; i++) {
            const struct handing_on *handing = &walk->handings[i];
            struct x86_callee *from = x86_calls_of(walk->calls, handing->from);
            const struct x86_callee *to = x86_calls_of(walk->calls, handing->to);
            uint32_t more = from != NULL && to != NULL ? handing->results & to->takes : 0;
            changed = changed || (more != 0 && (more & ~from->takes) != 0);
            if (more != 0)
                from->takes |= more;
        }
    }
}

int x86_calls_find(struct x86_calls *calls, const struct elf_file *module,
                   const struct named_code *functions, size_t count, struct error *error)
{
    struct calls_walk walk = {
        .calls = calls, .functions = functions, .count = count, .error = error};
    size_t kept = 0;
    int result = 0;
    *calls = (struct x86_calls){.known = true};
    for (uint32_t i = 0; i < module->sections_count && result == 0; i++) {
        walk.section = &module->sections[i];
        if ((walk.section->flags & SHF_EXECINSTR) != 0 && walk.section->data != NULL)
            result = walk_section(&walk);
    }
    array_sort(calls->items, calls->count, by_address);
    for (size_t i = 0; i < calls->count; i++) {
        const struct x86_callee *item = &calls->items[i];
        if (kept > 0 && calls->items[kept - 1].address == item->address) {
            struct x86_callee *same = &calls->items[kept - 1];
            same->called = same->called || item->called;
            same->handed_on = same->handed_on || item->handed_on;
            same->sets |= item->sets;
            same->takes |= item->takes;
        } else {
            calls->items[kept++] = *item;
        }
    }
    calls->count = kept;
    hand_on(&walk);
    free(walk.handings);
    return result;
}

struct x86_callee *x86_calls_of(const struct x86_calls *calls, uint64_t address)
{
    size_t at = sorted_from(calls->items, calls->count, address, address);
    return at < calls->count && calls->items[at].address == address ? &calls->items[at] : NULL;
}

void x86_calls_release(struct x86_calls *calls)
{
    free(calls->items);
    *calls = (struct x86_calls){.known = false};
}
