/* Calls whose arguments are flags, permissions, characters and bytes: formats of --value show them so. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define APART __attribute__((noinline))
static volatile int sink;
APART int open_file(const char *path, int flags, unsigned short mode)
{
    sink = flags + mode;
    return path[0] + (flags == 0);
}
APART int mapped(void *at, size_t bytes, int prot, int flags)
{
    sink = prot + flags;
    return at == NULL && bytes == 0;
}
APART int put(int c, unsigned char *buf, long n)
{
    buf[0] = (unsigned char)c;
    sink = (int)n;
    return buf[0];
}
int main(void)
{
    volatile unsigned char buf[8] = {1, 2, 3, 0xff, 5, 6, 7, 8};
    open_file("/etc/passwd", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    open_file("x", O_RDONLY, 0);
    open_file("y", 0x100 | 0x40000000, 07);
    open_file("z", -1, 65535);
    mapped(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    put('A', (unsigned char *)buf, -1);
    put(7, (unsigned char *)buf, 1);
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    put('B', (unsigned char *)pages + 4094, 0);
    put('C', (unsigned char *)pages + 4090, 0);
    return 0;
}
