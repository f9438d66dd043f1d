/* What Go's runtime does in programs with C code: it asks the kernel which stack a thread has for handlers, takes that
 * one if there is one, and then sets handlers that need it. It knows itself by this symbol. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) long _cgo_topofstack(void);
long _cgo_topofstack(void)
{
    return 0;
}

static void on_signal(int number)
{
    printf("signal: %d\n", number);
}

int main(void)
{
    stack_t before, now;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    syscall(SYS_sigaltstack, NULL, &before);
    sigaction(SIGURG, &action, NULL);
    syscall(SYS_sigaltstack, NULL, &now);
    printf("%s\n", before.ss_sp == now.ss_sp && before.ss_flags == now.ss_flags ? "the same stack"
                                                                                : "another stack");
    raise(SIGURG);
    return 3;
}
