/* References of code, from Zydis's quick decoding, which knows no operands: see x86_sweep.h. */
#include "debuginfo/x86/x86_sweep.h"

#include <Zydis/Zydis.h>

#include "base/must.h"

#define CALL 0xe8
#define JUMP 0xe9
#define JUMP_SHORT 0xeb
#define LEA 0x8d
#define RETURN_POPS 0xc2
#define GROUP_5 0xff /* with 4 in its reg field: a jump through memory */

static enum x86_reference branch_of(const ZydisDecodedInstruction *decoded)
{
    if (decoded->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
        return X86_REFERS_BRANCH;
    return decoded->opcode == CALL                                    ? X86_REFERS_CALL
           : decoded->opcode == JUMP || decoded->opcode == JUMP_SHORT ? X86_REFERS_JUMP
                                                                      : X86_REFERS_BRANCH;
}

static void look(const ZydisDecodedInstruction *decoded, uint64_t next, x86_sweep_visit *visit,
                 void *context)
{
    const __typeof__(decoded->raw.imm[0]) *number = &decoded->raw.imm[0];
    if (number->is_relative) {
        visit(context, branch_of(decoded), next + (uint64_t)number->value.s);
        return;
    }
    if (decoded->opcode == RETURN_POPS && decoded->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        visit(context, X86_REFERS_POPS, 0);
    if (number->size >= 32)
        visit(context, X86_REFERS_NUMBER, number->value.u);
    if (decoded->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || decoded->raw.disp.size != 32 ||
        decoded->raw.modrm.mod != 0)
        return;
    uint64_t value = (uint64_t)decoded->raw.disp.value;
    if (decoded->opcode == LEA && decoded->raw.modrm.rm == 5)
        visit(context, X86_REFERS_ADDRESS, next + value);
    else if (decoded->opcode == GROUP_5 && decoded->raw.modrm.reg == 4 &&
             decoded->raw.modrm.rm == 5)
        visit(context, X86_REFERS_THROUGH, next + value);
    else if (decoded->opcode == GROUP_5 && decoded->raw.modrm.reg == 4 &&
             decoded->raw.modrm.rm == 4 && decoded->raw.sib.base == 5)
        visit(context, X86_REFERS_TABLE, value);
}

void x86_sweep(const unsigned char *code, size_t size_bytes, uint64_t address,
               x86_sweep_visit *visit, void *context)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    must(ZYAN_SUCCESS(
             ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
         ZYAN_SUCCESS(ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE)));
    for (size_t at = 0; at < size_bytes;) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, size_bytes - at,
                                                        &decoded))) {
            at++;
            continue;
        }
        at += decoded.length;
        look(&decoded, address + at, visit, context);
    }
}
