/*
 * Moves a function's first instructions to another place, so that a jump can be written over them.
 * Instructions that depend on their place become others that do the same: short branches become
 * near ones, and displacements are filled in later (fixups). A call becomes
 *
 *     call +1; int3; push the return address; pop (%rsp); jump
 *
 * with the return address that it had before, so that unwinders find the function. The first call
 * keeps the processor's own stack of return addresses even: else each return further up would be
 * mispredicted. It must not lead to the next instruction: processors know that as a way to read the
 * instruction pointer.
 */
#ifndef FISQL_DEBUGINFO_X86_X86_MOVE_H
#define FISQL_DEBUGINFO_X86_X86_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each of the bytes that a jump of 5 replaces may be an instruction, the last one of 15. */
#define X86_MOVED_BYTES_MAX 96
#define X86_MOVED_FIXUPS_MAX 8

/* 4 bytes of the moved code, to become: target - (their address + 4) - trailing. */
struct x86_fixup {
    uint8_t place, trailing;
    uint64_t target;
};

struct x86_moved {
    unsigned char code[X86_MOVED_BYTES_MAX]; /* with a jump behind the moved ones at the end */
    unsigned bytes;
    struct x86_fixup fixups[X86_MOVED_FIXUPS_MAX];
    unsigned fixups_count;
    bool
        calls; /* it pushes `pushed`, a word whose distance belongs into the 4 bytes at push_place */
    unsigned push_place;
    uint64_t pushed;
};

enum x86_move_result {
    X86_MOVED,
    X86_MOVE_SHORT,     /* the function is too short, and what follows it is in use */
    X86_MOVE_UNMOVABLE, /* an instruction depends on its place */
    X86_MOVE_UNREADABLE /* an instruction cannot be decoded */
};

/* Moves whole instructions that cover `wanted_bytes` (a jump's 5) at the start of a function, whose
 * code has `size_bytes` and lies at `address`. Bytes behind it up to `room_bytes` (at least
 * `size_bytes`; all of them readable) may be taken if they only fill a gap. */
enum x86_move_result x86_move(struct x86_moved *moved, const unsigned char *code,
                              uint64_t size_bytes, uint64_t room_bytes, uint64_t address,
                              unsigned wanted_bytes);

#endif
