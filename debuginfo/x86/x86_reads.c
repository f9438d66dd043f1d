/* Reads of argument registers: see x86_reads.h. */
#include "debuginfo/x86/x86_reads.h"

#include "base/must.h"
#include "debuginfo/x86/x86_uses.h"

#define INSTRUCTIONS_MAX 4096u

/* Code that is read instruction by instruction. */
struct code {
    const struct elf_file *module;
    uint64_t at, next, end; /* of the instruction, behind it, behind them all */
    unsigned count;
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static void code_open(struct code *code, const struct elf_file *module, uint64_t start,
                      uint64_t end)
{
    must(start <= end);
    code->module = module;
    code->next = start;
    code->end = end;
    code->count = 0;
    ZydisDecoderInit(&code->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

/* Decodes the next instruction. False: there is none, or too many came. */
static bool code_next(struct code *code)
{
    uint64_t left = code->next < code->end ? code->end - code->next : 0;
    uint64_t length = left < ZYDIS_MAX_INSTRUCTION_LENGTH ? left : ZYDIS_MAX_INSTRUCTION_LENGTH;
    const unsigned char *bytes = elf_file_at(code->module, code->next, length);
    if (length == 0 || bytes == NULL || code->count++ == INSTRUCTIONS_MAX ||
        !ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&code->decoder, bytes, length, &code->decoded, code->operands)))
        return false;
    code->at = code->next;
    code->next += code->decoded.length;
    return true;
}

/* Where the code is, and what it did so far. */
struct reading {
    x86_frame_find *find;
    const void *context;
    uint64_t address; /* of the instruction */
    struct x86_reads reads;
    uint32_t writes;
};

/* Adds the words of the caller's stack that a memory operand covers. */
static void take_memory(struct reading *reading, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    uint16_t number = 0;
    int64_t cfa_offset = 0;
    bool stack = memory->base == ZYDIS_REGISTER_RSP, frame = memory->base == ZYDIS_REGISTER_RBP;
    if ((!stack && !frame) || memory->index != ZYDIS_REGISTER_NONE ||
        memory->type != ZYDIS_MEMOP_TYPE_MEM ||
        (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) == 0 ||
        !reading->find(reading->context, reading->address, &number, &cfa_offset) ||
        number != (stack ? 7 : 6))
        return;
    int64_t from = memory->disp.value - cfa_offset, to = from + operand->size / 8;
    for (int64_t word = from < 0 ? 0 : from / 8; word * 8 < to && word < X86_READS_WORDS; word++)
        reading->reads.words |= (uint64_t)1 << word;
}

/* Adds what an instruction reads and writes. */
static void take(struct reading *reading, const ZydisDecodedInstruction *decoded,
                 const ZydisDecodedOperand *operands)
{
    const struct x86_uses uses = x86_uses_of(decoded, operands);
    for (unsigned i = 0; i < decoded->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            take_memory(reading, &operands[i]);
    reading->reads.registers |= uses.reads & ~reading->writes;
    reading->writes |= uses.writes;
}

struct x86_reads x86_reads(const struct elf_file *module, uint64_t start, uint64_t end,
                           x86_frame_find *find, const void *context)
{
    struct reading reading = {.find = find, .context = context};
    struct code code;
    code_open(&code, module, start, end);
    while (code_next(&code)) {
        reading.address = code.at;
        /* What a call of another function does with its registers is not this one's doing. */
        if (code.decoded.meta.category != ZYDIS_CATEGORY_CALL)
            take(&reading, &code.decoded, code.operands);
    }
    return reading.reads;
}

bool x86_writes(const struct elf_file *module, uint64_t start, uint64_t end, uint32_t registers)
{
    struct code code;
    code_open(&code, module, start, end);
    while (code_next(&code))
        if (code.decoded.meta.category == ZYDIS_CATEGORY_CALL ||
            (x86_uses_of(&code.decoded, code.operands).writes & registers) != 0)
            return true;
    return false;
}

/* ---- on ways from the start ---- */

#define WAYS_MAX 128u
#define DEPTH_MAX 12u
#define NAMELESS_DEPTH_MAX 2u /* what they read is not remembered */
#define NAMELESS_BYTES 65536u

/* A place that the code jumps to, and the registers that are still as the function got them. */
struct way {
    uint64_t address;
    uint32_t untouched;
};

struct ways {
    const struct elf_file *module;
    const struct x86_calls *calls;
    uint64_t start, end;
    unsigned depth; /* of functions that pass on to each other */
    struct way items[WAYS_MAX];
    unsigned count;
    uint32_t reads;
};

static uint32_t reads_on_ways(const struct elf_file *module, const struct x86_calls *calls,
                              uint64_t start, uint64_t end, unsigned depth);

static bool no_frame(const void *context, uint64_t address, uint16_t *number, int64_t *offset)
{
    (void)context;
    (void)address;
    (void)number;
    (void)offset;
    return false;
}

/* What a function of the module reads, or passes on. */
static uint32_t read_by(const struct ways *ways, uint64_t address)
{
    struct x86_callee *callee = x86_calls_of(ways->calls, address);
    if (callee == NULL && ways->depth < NAMELESS_DEPTH_MAX)
        return reads_on_ways(ways->module, ways->calls, address, address + NAMELESS_BYTES,
                             ways->depth + 1);
    if (callee == NULL || callee->state == X86_CALLEE_BUSY || ways->depth == DEPTH_MAX)
        return 0;
    if (callee->state == X86_CALLEE_READ)
        return callee->reads;
    callee->state = X86_CALLEE_BUSY;
    callee->reads =
        x86_reads(ways->module, callee->address, callee->end, no_frame, NULL).registers |
        reads_on_ways(ways->module, ways->calls, callee->address, callee->end, ways->depth + 1);
    callee->state = X86_CALLEE_READ;
    return callee->reads;
}

static void add_way(struct ways *ways, uint64_t address, uint32_t untouched)
{
    for (unsigned i = 0; i < ways->count; i++)
        if (ways->items[i].address == address && (untouched & ~ways->items[i].untouched) == 0)
            return;
    if (ways->count < WAYS_MAX && untouched != 0)
        ways->items[ways->count++] = (struct way){address, untouched};
}

/* Follows a jump or call. Returns what is untouched at the next instruction. */
static uint32_t follow(struct ways *ways, const struct code *code, uint32_t untouched)
{
    const ZydisDecodedInstruction *decoded = &code->decoded;
    bool conditional = decoded->meta.category == ZYDIS_CATEGORY_COND_BR;
    if (decoded->raw.imm[0].is_relative) {
        uint64_t target = code->next + (uint64_t)decoded->raw.imm[0].value.s;
        if (decoded->meta.category != ZYDIS_CATEGORY_CALL && target > ways->start &&
            target < ways->end)
            add_way(ways, target, untouched);
        else
            ways->reads |= untouched & read_by(ways, target);
    }
    return conditional ? untouched : 0;
}

static void follow_way(struct ways *ways, struct code *code, struct way way)
{
    code->next = way.address;
    while (way.untouched != 0 && code_next(code)) {
        const struct x86_uses uses = x86_uses_of(&code->decoded, code->operands);
        switch (code->decoded.meta.category) {
        case ZYDIS_CATEGORY_CALL:
        case ZYDIS_CATEGORY_UNCOND_BR:
        case ZYDIS_CATEGORY_COND_BR:
            way.untouched = follow(ways, code, way.untouched);
            break;
        case ZYDIS_CATEGORY_RET:
        case ZYDIS_CATEGORY_INTERRUPT:
            return;
        default:
            ways->reads |= way.untouched & uses.reads;
            way.untouched &= ~uses.writes;
        }
    }
}

static uint32_t reads_on_ways(const struct elf_file *module, const struct x86_calls *calls,
                              uint64_t start, uint64_t end, unsigned depth)
{
    struct ways ways = {
        .module = module, .calls = calls, .start = start, .end = end, .depth = depth};
    struct code code;
    code_open(&code, module, start, end);
    add_way(&ways, start, UINT32_MAX & ~X86_USES_RAX);
    for (unsigned done = 0; done < ways.count; done++)
        follow_way(&ways, &code, ways.items[done]);
    return ways.reads;
}

uint32_t x86_reads_on_ways(const struct elf_file *module, const struct x86_calls *calls,
                           uint64_t start, uint64_t end)
{
    return reads_on_ways(module, calls, start, end, 0);
}
