/*
 * Which parts of the processor's extended state a C function may change, and what room they take
 * (Intel's Software Developer's Manual 1, chapter 13: XSAVE in its standard format). Not the x87
 * registers and those of AMX: nothing in the collector or in what it calls uses them.
 */
#include "collector/patch/patch_state.h"

#include "collector/patch/patch_hook.h"

#if defined(FISQL_PATCHES) && defined(__x86_64__)
#include <cpuid.h>

#define STATE_MASK 0xe6u /* SSE, AVX, and the three of AVX-512 */
#define FXSAVE_BYTES 512u
#define HEADER_END 576u

uint64_t patch_state_bytes = FXSAVE_BYTES;
uint32_t patch_state_mask;

void patch_state_setup(void)
{
    uint32_t a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0)
        return;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    uint32_t mask = low & STATE_MASK;
    uint64_t bytes = HEADER_END;
    for (uint32_t i = 2; i < 8; i++)
        if ((mask >> i & 1) != 0 && __get_cpuid_count(0xd, i, &a, &b, &c, &d) &&
            (uint64_t)a + b > bytes)
            bytes = (uint64_t)a + b;
    patch_state_bytes = bytes;
    patch_state_mask = mask;
}
#else
void patch_state_setup(void)
{
}
#endif
