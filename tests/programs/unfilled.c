/* Passes a pointer to memory that a userfaultfd has not filled, and reads none of it. The userfaultfd is had by the system
 * call ("call"), of a device ("device"), of that by numbers of system calls ("number"), or by an instruction of the
 * program's own ("instruction"). Ends with 3; with 9 where the kernel gives no userfaultfd. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef USERFAULTFD_IOC_NEW /* Linux 6.1 */
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

__attribute__((noinline)) static int pass(const char *page, int n)
{
    __asm__ volatile("" ::"r"(page) : "memory");
    return n;
}

static int by_instruction(long flags)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_userfaultfd), "D"(flags)
                     : "rcx", "r11", "memory");
#else
    register long result __asm__("x0") = flags;
    register long number __asm__("x8") = SYS_userfaultfd;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(number) : "memory");
#endif
    return (int)result;
}

static int had(const char *how)
{
    const long flags = O_CLOEXEC | O_NONBLOCK;
    if (strcmp(how, "call") == 0)
        return (int)syscall(SYS_userfaultfd, flags);
    if (strcmp(how, "instruction") == 0)
        return by_instruction(flags);
    int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    return device < 0 ? -1
           : strcmp(how, "device") == 0
               ? ioctl(device, USERFAULTFD_IOC_NEW, flags)
               : (int)syscall(SYS_ioctl, device, USERFAULTFD_IOC_NEW, flags);
}

static int asked(const char *how, int fd, unsigned long request, void *argument)
{
    return strcmp(how, "number") == 0 ? (int)syscall(SYS_ioctl, fd, request, argument)
                                      : ioctl(fd, request, argument);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "call";
    int fd = had(how);
    struct uffdio_api api = {UFFD_API, 0, 0};
    if (fd < 0 || asked(how, fd, UFFDIO_API, &api) != 0)
        return 9;
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register range = {{(unsigned long)page, 4096}, UFFDIO_REGISTER_MODE_MISSING, 0};
    if (asked(how, fd, UFFDIO_REGISTER, &range) != 0)
        return 9;
    pass(page, 1);
    pass("a constant", 2);
    return 3;
}
