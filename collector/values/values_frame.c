/* Keeping vector registers: see values_frame.h. */
#include "collector/values/values_frame.h"

THREAD_LOCAL struct values_patched *values_patched;
THREAD_LOCAL uint64_t values_patched_stack;

void values_keep(uint64_t stack)
{
    struct values_frame *frame = values_frame_of(stack);
    if (frame->vectors_kept != 0)
        return;
    frame->vectors_kept = 1;
#if defined(__x86_64__)
    __asm__ volatile("movups %%xmm0, (%0)\n\tmovups %%xmm1, 16(%0)\n\t"
                     "movups %%xmm2, 32(%0)\n\tmovups %%xmm3, 48(%0)\n\t"
                     "movups %%xmm4, 64(%0)\n\tmovups %%xmm5, 80(%0)\n\t"
                     "movups %%xmm6, 96(%0)\n\tmovups %%xmm7, 112(%0)"
                     :
                     : "r"(frame->vector)
                     : "memory");
#elif defined(__aarch64__)
    __asm__ volatile(".arch_extension fp\n\tstp q0, q1, [%0]\n\tstp q2, q3, [%0, 32]\n\t"
                     "stp q4, q5, [%0, 64]\n\tstp q6, q7, [%0, 96]"
                     :
                     : "r"(frame->vector)
                     : "memory");
#endif
}
