// Built without hooks and recorded as it is (tests/stress/stress): threads that leave patched functions in every way
// while others come, go, fork, and load and unload libraries. Each function's calls are counted before the call and
// behind its entry, in memory that children share: what was recorded lies between the two, because a jump may cut off
// a call at any instant. Prints `NAME BEGUN ENTERED`, and what each part has found.
//
//     storm PARTS ROUNDS PLUGIN...    PARTS: letters of the parts below
//
// j: a handler leaves by siglongjmp, at any instant   f: a handler on its own stack throws at faults
// a: a handler throws, at any instant                 c: a thread is cancelled at any instant
// l: loads and unloads a library                      k: forks    s: swaps contexts    t: short threads
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <exception>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define RECORDED extern "C" APART
enum { DIG, ADD, HANDLED, FAULTS, TAIL, CALLED_BACK, PLUGIN, FUNCTIONS };
static const char *const names[] = {"dig",  "add",         "handled",     "faults",
                                    "tail", "called_back", "plugin_calls"};
struct counts {
    unsigned long begun[FUNCTIONS], entered[FUNCTIONS];
    long wrong;
};
static counts *all;
// Not std::atomic: its functions are noexcept, and an exception may come at any instruction.
#define CALL(which, call) (__atomic_fetch_add(&all->begun[which], 1, __ATOMIC_RELAXED), (call))
#define ENTERED(which) __atomic_fetch_add(&all->entered[which], 1, __ATOMIC_RELAXED)

static int rounds;
static volatile int zero;
static thread_local volatile sig_atomic_t armed; // 1: a handler jumps, 2: it throws
static thread_local sigjmp_buf landing;

static void expect(long expected, long found, const char *what)
{
    if (expected != found && __atomic_fetch_add(&all->wrong, 1, __ATOMIC_RELAXED) < 20)
        fprintf(stderr, "%s: expected %ld, found %ld\n", what, expected, found);
}

RECORDED int add(int a, int b)
{
    ENTERED(ADD);
    return a + b + zero;
}
RECORDED int tail(int n)
{
    ENTERED(TAIL);
    zero = 0;
    return CALL(ADD, add(n, 1));
}
RECORDED int dig(int n)
{
    ENTERED(DIG);
    if (n == 0)
        return zero;
    return CALL(ADD, add(CALL(DIG, dig(n - 1)), CALL(TAIL, tail(n)))) + zero;
}
static int dug(int n)
{
    return n * (n + 1) / 2 + n;
}
RECORDED int handled(int n)
{
    ENTERED(HANDLED);
    return CALL(ADD, add(n, 2)) + zero;
}

static void timer_again(long ns);
static thread_local uint64_t interrupted; // the instruction
static void on_usr1(int number, siginfo_t *, void *context)
{
    interrupted =
        static_cast<uint64_t>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
    int what = armed;
    timer_again(2000);
    CALL(HANDLED, handled(number));
    if (what == 0)
        return;
    armed = 0;
    if (what == 1)
        siglongjmp(landing, 1);
    throw 7;
}

RECORDED int faults(int *address)
{
    ENTERED(FAULTS);
    return CALL(ADD, add(*address, 1));
}
static void on_segv(int number)
{
    CALL(HANDLED, handled(number));
    throw 9;
}

static void signal_stack()
{
    stack_t stack = {};
    stack.ss_size = 256 << 10;
    stack.ss_sp =
        mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&stack, nullptr);
}

// ---- a signal again and again, after a random time of the thread itself
static thread_local timer_t timer;
static thread_local uint32_t seed;
static void timer_again(long ns)
{
    struct itimerspec when = {};
    seed = seed * 1664525 + 1013904223;
    when.it_value.tv_nsec = ns == 0 ? 0 : ns + seed % 60000;
    timer_settime(timer, 0, &when, nullptr);
}
static void timer_start()
{
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGUSR1;
    event._sigev_un._tid = gettid();
    seed = static_cast<uint32_t>(gettid());
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_again(1000);
}
static void timer_stop()
{
    timer_delete(timer);
}

static void jumps()
{
    for (volatile int i = 0; i < rounds; i = i + 1)
        if (sigsetjmp(landing, 1) == 0) {
            armed = 1;
            int got = CALL(DIG, dig(60));
            armed = 0;
            expect(dug(60), got, "jumps");
        }
}
static void *jumper(void *)
{
    signal_stack();
    timer_start();
    jumps();
    timer_stop();
    return nullptr;
}

APART int armed_dig(int n) // has no handlers: an exception may come at any instruction
{
    armed = 2;
    int got = CALL(DIG, dig(n));
    armed = 0;
    return got;
}
static void throws()
{
    for (int i = 0; i < rounds / 4; i++) {
        try {
            expect(dug(60), armed_dig(60), "throws");
        } catch (int number) {
            expect(7, number, "throws");
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, SIGUSR1);
            pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
        }
    }
}
static void *thrower(void *)
{
    timer_start();
    throws();
    timer_stop();
    return nullptr;
}

static void *faulter(void *)
{
    signal_stack();
    for (int i = 0; i < rounds / 4; i++) {
        int caught = 0;
        try {
            CALL(FAULTS, faults(reinterpret_cast<int *>(static_cast<intptr_t>(zero))));
        } catch (int number) {
            caught = number;
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, SIGSEGV);
            pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
        }
        expect(9, caught, "faults");
        expect(dug(3), CALL(DIG, dig(3)), "faults");
    }
    return nullptr;
}

struct cleans {
    std::atomic<int> *count;
    ~cleans()
    {
        ++*count;
    }
};
APART void digs_on() // has no handlers
{
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    for (;;)
        CALL(DIG, dig(20));
}
static std::atomic<int> started;
static void *cancelled(void *arg)
{
    cleans it = {static_cast<std::atomic<int> *>(arg)};
    started = 1;
    digs_on();
    return nullptr;
}
static void *canceller(void *)
{
    std::atomic<int> cleaned{0};
    int all_of_them = rounds / 20;
    for (int i = 0; i < all_of_them; i++) {
        pthread_t thread;
        started = 0;
        pthread_create(&thread, nullptr, cancelled, &cleaned);
        while (started == 0)
            usleep(50);
        for (volatile int k = i * 37 % 1000; k > 0; k = k - 1)
            ;
        pthread_cancel(thread);
        pthread_join(thread, nullptr);
    }
    expect(all_of_them, cleaned, "destructors of cancelled threads");
    return nullptr;
}

RECORDED int called_back(int n)
{
    ENTERED(CALLED_BACK);
    return n + 1 + zero;
}
static void *loader(void *path)
{
    for (int i = 0; i < rounds / 20; i++) {
        void *library = dlopen(static_cast<char *>(path), i % 2 != 0 ? RTLD_LAZY : RTLD_NOW);
        if (library == nullptr) {
            fprintf(stderr, "%s\n", dlerror());
            exit(3);
        }
        auto calls = reinterpret_cast<int (*)(int (*)(int), int)>(dlsym(library, "plugin_calls"));
        for (int k = 0; k < 10; k++) { // back(3k + 3) + 1: it has been loaded just now
            int got = CALL(PLUGIN, calls(called_back, k));
            ENTERED(PLUGIN);
            __atomic_fetch_add(&all->begun[CALLED_BACK], 1, __ATOMIC_RELAXED);
            expect(3 * k + 3 + k + 2, got, "plugin");
        }
        dlclose(library);
    }
    return nullptr;
}

static void *forker(void *)
{
    for (int i = 0; i < rounds / 40; i++) {
        pid_t child = fork();
        if (child == 0) {
            expect(dug(9), CALL(DIG, dig(9)), "forked");
            if (i % 3 == 0)
                _exit(5);
            raise(SIGKILL);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0)
            ;
        expect(i % 3 == 0 ? 5 << 8 : SIGKILL, status, "status of a child");
    }
    return nullptr;
}

static thread_local ucontext_t contexts[3], first;
static thread_local int turns;
static void context_body(int number)
{
    for (;;) {
        expect(dug(7), CALL(DIG, dig(7)), "context");
        swapcontext(&contexts[number], turns++ < 20 ? &contexts[(number + 1) % 3] : &first);
    }
}
static void *swapper(void *)
{
    static thread_local char *stacks[3];
    for (auto &stack : stacks)
        stack = static_cast<char *>(
            mmap(nullptr, 256 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (int i = 0; i < rounds / 40; i++) {
        turns = 0;
        for (int k = 0; k < 3; k++) {
            getcontext(&contexts[k]);
            contexts[k].uc_stack.ss_sp = stacks[k];
            contexts[k].uc_stack.ss_size = 256 << 10;
            contexts[k].uc_link = nullptr;
            makecontext(&contexts[k], reinterpret_cast<void (*)()>(context_body), 1, k);
        }
        swapcontext(&first, &contexts[i % 3]);
    }
    return nullptr;
}

static void *short_body(void *)
{
    expect(dug(30), CALL(DIG, dig(30)), "short thread");
    return nullptr;
}
static void *shorts(void *)
{
    for (int i = 0; i < rounds / 20; i++) {
        pthread_t threads[4];
        for (auto &thread : threads)
            pthread_create(&thread, nullptr, short_body, nullptr);
        for (auto &thread : threads)
            pthread_join(thread, nullptr);
    }
    return nullptr;
}

static void terminated() // an exception did not arrive
{
    Dl_info info = {};
    dladdr(reinterpret_cast<void *>(interrupted), &info);
    fprintf(stderr, "terminated: thrown at %s of %s, %#lx\n",
            info.dli_sname != nullptr ? info.dli_sname : "?",
            info.dli_fname != nullptr ? info.dli_fname : "?", interrupted);
    abort();
}

int main(int argc, char **argv)
{
    static const struct {
        char letter;
        void *(*body)(void *);
    } parts[] = {{'j', jumper}, {'f', faulter}, {'a', thrower}, {'c', canceller},
                 {'l', loader}, {'k', forker},  {'s', swapper}, {'t', shorts}};
    if (argc < 3)
        return 2;
    rounds = atoi(argv[2]);
    std::set_terminate(terminated);
    all = static_cast<counts *>(
        mmap(nullptr, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    struct sigaction action = {};
    action.sa_sigaction = on_usr1;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, nullptr);
    action.sa_handler = on_segv;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    pthread_t threads[32];
    int count = 0, plugin = 3;
    for (const char *letter = argv[1]; *letter != 0; letter++)
        for (auto &part : parts)
            if (part.letter == *letter)
                pthread_create(&threads[count++], nullptr, part.body,
                               *letter == 'l' ? argv[plugin++] : nullptr);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], nullptr);
    for (int i = 0; i < FUNCTIONS; i++)
        printf("%s %lu %lu\n", names[i], all->begun[i], all->entered[i]);
    return all->wrong != 0 ? 1 : 4;
}
