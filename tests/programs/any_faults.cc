/* Faults in the first instructions of functions, which lie in stubs in a program recorded as it is: a
 * handler's backtrace() names the functions, and exceptions that it throws reach the callers. */
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>

#define APART extern "C" __attribute__((noipa))
static bool throws;

static void name(void *address)
{
    Dl_info info;
    bool known = dladdr(address, &info) != 0 && info.dli_sname != nullptr;
    if (known && strncmp(info.dli_sname, "f_", 2) == 0)
        printf(" %s", info.dli_sname);
}

static void on_fault(int number, siginfo_t *, void *)
{
    void *frames[50];
    int count = backtrace(frames, 50);
    printf("signal %d:", number);
    for (int i = 0; i < count; i++)
        name(frames[i]);
    printf("\n");
    if (throws)
        throw number;
}

struct end {
    const char *what;
    ~end()
    {
        printf("%s ends\n", what);
    }
};

APART int f_reads(volatile int *from)
{
    return *from;
}
APART void f_writes(volatile char *to)
{
    *to = 1;
}
APART int f_divides(int a, int b)
{
    return a / b;
}
APART int f_saves(volatile int *from, int n)
{
    int sum = *from;
    end end{"f_saves"};
    for (int i = 0; i < n; i++)
        sum += f_reads(from);
    return sum;
}
APART int f_catches(volatile int *from)
{
    try {
        return *from;
    } catch (int number) {
        printf("f_catches: %d\n", number);
        return 7;
    }
}
APART int f_calls(int which)
{
    end end{"f_calls"};
    switch (which) {
    case 0:
        return f_reads(nullptr);
    case 1:
        f_writes(nullptr);
        return 1;
    case 2:
        return f_divides(which, 0);
    case 3:
        return f_saves(nullptr, 3);
    default:
        return f_catches(nullptr);
    }
}

int main()
{
    struct sigaction action = {};
    void *none[1];
    backtrace(none, 1);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGFPE, &action, nullptr);
    throws = true;
    for (int i = 0; i < 5; i++)
        try {
            printf("f_calls: %d\n", f_calls(i));
        } catch (int number) {
            printf("main: %d\n", number);
        }
    return 5;
}
