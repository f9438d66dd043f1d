/* System calls that nobody can interpose. */
#ifndef FISQL_COLLECTOR_CORE_SYSTEM_CALL_H
#define FISQL_COLLECTOR_CORE_SYSTEM_CALL_H

/* Returns the kernel's result: errors as negative numbers. */
static inline long system_call(long number, const long argument[6])
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = argument[3];
    register long r8 __asm__("r8") = argument[4];
    register long r9 __asm__("r9") = argument[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(argument[0]), "S"(argument[1]), "d"(argument[2]), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = argument[0];
    register long x1 __asm__("x1") = argument[1];
    register long x2 __asm__("x2") = argument[2];
    register long x3 __asm__("x3") = argument[3];
    register long x4 __asm__("x4") = argument[4];
    register long x5 __asm__("x5") = argument[5];
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#endif
}

#endif
