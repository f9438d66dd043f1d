/*
 * memcpy() and its kin for the shared library's own use, seen by nobody else. A sanitizer stands in
 * front of the C library's and would take what the collector does in its own memory for the
 * program's doing: ThreadSanitizer found races in it, and crashed where a thread was about to end.
 */
#include <stddef.h>
#include <string.h>

/* A loop that copies must not be made into a call of memcpy(). */
#if defined(__clang__)
#define OWN __attribute__((visibility("hidden"), no_builtin))
#else
#define OWN __attribute__((visibility("hidden"), optimize("no-tree-loop-distribute-patterns")))
#endif

OWN void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *start = to;
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
#else
    unsigned char *out = to;
    for (const unsigned char *in = from; bytes > 0; bytes--)
        *out++ = *in++;
#endif
    return start;
}

OWN void *memset(void *to, int value, size_t bytes)
{
    void *start = to;
#if defined(__x86_64__)
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
#else
    for (unsigned char *out = to; bytes > 0; bytes--)
        *out++ = (unsigned char)value;
#endif
    return start;
}

OWN void *memmove(void *to, const void *from, size_t bytes)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if (out <= in || out >= in + bytes)
        return memcpy(to, from, bytes);
    while (bytes-- > 0)
        out[bytes] = in[bytes];
    return to;
}

OWN int memcmp(const void *left, const void *right, size_t bytes)
{
    const unsigned char *one = left, *other = right;
    for (; bytes > 0; bytes--, one++, other++)
        if (*one != *other)
            return *one < *other ? -1 : 1;
    return 0;
}
