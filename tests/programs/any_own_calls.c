/* Has functions of its own in place of the C library's, which the collector may call, too: they are patched. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int called;
static __attribute__((noinline)) long system_call(long number, long a, long b, long c, long d,
                                                  long e, long f)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    called++;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return (void *)system_call(SYS_mmap, (long)at, (long)bytes, protection, flags, file, offset);
}
int munmap(void *at, size_t bytes)
{
    return (int)system_call(SYS_munmap, (long)at, (long)bytes, 0, 0, 0, 0);
}
int mprotect(void *at, size_t bytes, int protection)
{
    return (int)system_call(SYS_mprotect, (long)at, (long)bytes, protection, 0, 0, 0);
}
int madvise(void *at, size_t bytes, int advice)
{
    return (int)system_call(SYS_madvise, (long)at, (long)bytes, advice, 0, 0, 0);
}
void *memcpy(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *to, int value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = (char)value;
    return to;
}
ssize_t write(int file, const void *from, size_t bytes)
{
    return system_call(SYS_write, file, (long)from, (long)bytes, 0, 0, 0);
}
pid_t getpid(void)
{
    return (pid_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}
static __attribute__((noinline)) int work(int n)
{
    called++;
    return n + (called > 0);
}
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += work(i);
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 5, 4096);
    printf("%d %d\n", sum, memory[77]);
    return munmap(memory, 4096);
}
