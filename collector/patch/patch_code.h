/* The instructions that patching writes, for each kind of machine. */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_CODE_H
#define FISQL_COLLECTOR_PATCH_PATCH_CODE_H

#include "collector/patch/patch_hook.h"
#include "formats/patch.h"

#include <string.h>
#include <sys/auxv.h>

#if defined(__x86_64__)
#define PATCH_PAGE 4096u
#define PATCH_REACH ((uint64_t)0x7fff0000) /* of a displacement, less what an instruction takes */
#define PATCH_FAR_JUMP 14u                 /* bytes */
#define PATCH_JUMP 5u                      /* bytes that patch_code_jump() writes */

/* The jump from `at` to `target`, in `code`. */
static inline void patch_code_jump(unsigned char *code, uint64_t at, uint64_t target)
{
    int32_t displacement = (int32_t)(int64_t)(target - at - FISQL_PATCH_JUMP);
    *code = 0xe9;
    memcpy(code + 1, &displacement, sizeof displacement);
}

static inline void patch_code_far_jump(unsigned char *code, uint64_t target)
{
    static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(code, jump, sizeof jump);
    memcpy(code + sizeof jump, &target, sizeof target);
}

static inline void patch_code_return(unsigned char *code)
{
    *(volatile unsigned char *)code = 0xc3;
}

/* Is it a function that only returns, with room for a jump? */
static inline bool patch_code_is_empty(const unsigned char *code)
{
    static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    size_t at = memcmp(code, mark, sizeof mark) == 0 ? sizeof mark : 0;
    if (((uintptr_t)code & 15) > 16 - FISQL_PATCH_JUMP || code[at++] != 0xc3)
        return false;
    /* Behind it lies alignment: int3, or one of the long forms of nop. */
    return at >= FISQL_PATCH_JUMP || code[at] == 0xcc || code[at] == 0x66 || code[at] == 0x90 ||
           (code[at] == 0x0f && code[at + 1] == 0x1f);
}

/* Does the processor keep return addresses, too (CET)? RDSSPQ does nothing if not. */
static inline bool patch_code_returns_kept(void)
{
    uint64_t pointer = 0;
    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
}
#elif defined(__aarch64__)
#define PATCH_PAGE ((uint64_t)getauxval(AT_PAGESZ))
#define PATCH_REACH ((uint64_t)0x7ff0000)
#define PATCH_FAR_JUMP 16u
#define PATCH_JUMP 4u
#define PATCH_RETURN 0xd65f03c0u

static inline void patch_code_put(unsigned char *code, uint32_t instruction)
{
    memcpy(code, &instruction, sizeof instruction);
}

static inline void patch_code_jump(unsigned char *code, uint64_t at, uint64_t target)
{
    patch_code_put(code, 0x14000000u | ((uint32_t)((target - at) >> 2) & 0x3ffffffu)); /* b */
}

static inline void patch_code_far_jump(unsigned char *code, uint64_t target)
{
    patch_code_put(code, 0x58000050u);     /* ldr x16, 8 bytes on */
    patch_code_put(code + 4, 0xd61f0200u); /* br x16 */
    memcpy(code + 8, &target, sizeof target);
}

static inline void patch_code_return(unsigned char *code)
{
    patch_code_put(code, PATCH_RETURN);
}

static inline bool patch_code_is_empty(const unsigned char *code)
{
    uint32_t words[2];
    memcpy(words, code, sizeof words);
    return words[0] == PATCH_RETURN ||
           (words[0] == 0xd503245fu && words[1] == PATCH_RETURN); /* bti c */
}

static inline bool patch_code_returns_kept(void)
{
    return false; /* no entry here takes a call apart */
}
#endif

/* The code there has changed. */
static inline void patch_code_changed(unsigned char *code, uint64_t bytes)
{
    __builtin___clear_cache((char *)code, (char *)code + bytes);
}

#endif
