/* Passes a pointer to memory that a userfaultfd has not filled, and reads none of it. Ends with 3; with 9 where the kernel
 * gives no userfaultfd. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static int pass(const char *page, int n)
{
    __asm__ volatile("" ::"r"(page) : "memory");
    return n;
}

int main(void)
{
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    struct uffdio_api api = {UFFD_API, 0, 0};
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0)
        return 9;
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register range = {{(unsigned long)page, 4096}, UFFDIO_REGISTER_MODE_MISSING, 0};
    if (ioctl(fd, UFFDIO_REGISTER, &range) != 0)
        return 9;
    pass(page, 1);
    pass("a constant", 2);
    return 3;
}
