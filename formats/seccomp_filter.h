/*
 * What a filter of system calls (seccomp(2)) answers to a call: classic BPF, as the kernel has checked it,
 * so jumps go forward and stay within, and words are read within the call's data.
 */
#ifndef FISQL_FORMATS_SECCOMP_FILTER_H
#define FISQL_FORMATS_SECCOMP_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t fisql_seccomp_word(const struct seccomp_data *data, uint32_t at)
{
    uint32_t word = 0;
    if (at <= sizeof *data - sizeof word)
        memcpy(&word, (const unsigned char *)data + at, sizeof word);
    return word;
}

static inline uint32_t fisql_seccomp_compute(uint32_t operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case BPF_ADD:
        return a + b;
    case BPF_SUB:
        return a - b;
    case BPF_MUL:
        return a * b;
    case BPF_DIV:
        return b != 0 ? a / b : 0;
    case BPF_OR:
        return a | b;
    case BPF_AND:
        return a & b;
    case BPF_XOR:
        return a ^ b;
    case BPF_LSH:
        return b < 32 ? a << b : 0;
    case BPF_RSH:
        return b < 32 ? a >> b : 0;
    default: /* BPF_NEG */
        return 0 - a;
    }
}

static inline bool fisql_seccomp_holds(uint32_t operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case BPF_JEQ:
        return a == b;
    case BPF_JGT:
        return a > b;
    case BPF_JGE:
        return a >= b;
    default: /* BPF_JSET */
        return (a & b) != 0;
    }
}

/* The filter's return value; "kill" if we do not understand it. Jumps go forward. */
static inline uint32_t fisql_seccomp_run(const struct sock_filter *filter, uint32_t length,
                                         const struct seccomp_data *data)
{
    uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};
    for (uint32_t at = 0; at < length; at++) {
        const struct sock_filter *step = &filter[at];
        uint32_t class = BPF_CLASS(step->code), k = step->k;
        uint32_t source = BPF_SRC(step->code) == BPF_X ? x : k;
        if (class == BPF_RET)
            return BPF_RVAL(step->code) == BPF_A ? a : k;
        if (class == BPF_ALU) {
            a = fisql_seccomp_compute(BPF_OP(step->code), a, source);
        } else if (class == BPF_JMP) {
            bool always = BPF_OP(step->code) == BPF_JA;
            at += always                                               ? k
                  : fisql_seccomp_holds(BPF_OP(step->code), a, source) ? step->jt
                                                                       : step->jf;
        } else if (class == BPF_LD || class == BPF_LDX) {
            uint32_t mode = BPF_MODE(step->code);
            uint32_t value = mode == BPF_IMM   ? k
                             : mode == BPF_LEN ? (uint32_t)sizeof *data
                             : mode == BPF_MEM ? memory[k % BPF_MEMWORDS]
                                               : fisql_seccomp_word(data, k);
            *(class == BPF_LD ? &a : &x) = value;
        } else if (class == BPF_ST || class == BPF_STX) {
            memory[k % BPF_MEMWORDS] = class == BPF_ST ? a : x;
        } else { /* BPF_MISC */
            if (BPF_MISCOP(step->code) == BPF_TAX)
                x = a;
            else
                a = x;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

#endif
