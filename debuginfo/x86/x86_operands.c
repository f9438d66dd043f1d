/* Opcodes and operands: see x86_operands.h. */
#include "debuginfo/x86/x86_operands.h"

#include <string.h>

#define NO_BYTE 0x100u /* behind the end */

static unsigned take_byte(struct x86_operands *operands)
{
    return operands->at < operands->length ? operands->code[operands->at++] : NO_BYTE;
}

bool x86_take_number(struct x86_operands *operands, unsigned bytes, int32_t *number)
{
    if (operands->at + bytes > operands->length)
        return false;
    if (bytes == 1)
        *number = (int8_t)operands->code[operands->at];
    else
        memcpy(number, operands->code + operands->at, 4);
    operands->at += bytes;
    return true;
}

void x86_take_opcode(struct x86_operands *operands)
{
    unsigned code = take_byte(operands);
    for (; code == 0x66 || code == 0xf2 || code == 0xf3; code = take_byte(operands))
        operands->prefix = code;
    if ((code & 0x1f0) == 0x40) {
        operands->rex = code;
        code = take_byte(operands);
    }
    operands->opcode = code == 0x0f ? 0x0f00 | take_byte(operands) : code;
}

bool x86_take_operands(struct x86_operands *operands)
{
    unsigned modrm = take_byte(operands), mode = modrm >> 6;
    if (modrm == NO_BYTE)
        return false;
    operands->reg = (modrm >> 3 & 7) | (operands->rex & 4) << 1;
    operands->rm = (modrm & 7) | (operands->rex & 1) << 3;
    operands->memory = mode != 3;
    operands->addressable = operands->memory;
    if (mode == 3)
        return true;
    if ((modrm & 7) == 4) {
        unsigned sib = take_byte(operands);
        operands->rm = (sib & 7) | (operands->rex & 1) << 3;
        operands->addressable = /* no index */
            (sib & 0x138) == 0x20 && (operands->rex & 2) == 0 && (mode != 0 || (sib & 7) != 5);
    } else if (mode == 0 && (modrm & 7) == 5) {
        operands->addressable = false; /* from the instruction on */
    }
    return mode == 0 || x86_take_number(operands, mode == 1 ? 1 : 4, &operands->displacement);
}
