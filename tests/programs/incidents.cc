// Goes wrong in the way that its argument names; before that it writes on standard output what a report has to
// say: a line "frame NAME LINE" for each open call of the thread that fails, the innermost first, and "block",
// "left" or "lost" where these are known to it. The stacks are known to it because it keeps them by hand.
#include "fisql.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function, noinline))
#define CALL __attribute__((noinline))

static const char *how;
static volatile int zero;
static volatile char sink;
static thread_local struct {
    const char *name;
    int line;
} stack[64];
static thread_local int depth;

// Where the program stands, kept by hand. Called in each function once, and before each call with its line.
struct here {
    PLAIN explicit here(const char *name)
    {
        stack[depth++].name = name;
    }
    PLAIN ~here()
    {
        depth--;
    }
};
#define HERE here kept(__func__)
#define AT (stack[depth - 1].line = __LINE__)

static PLAIN void say(void)
{
    for (int i = depth; i-- > 0;)
        printf("frame %s %d\n", stack[i].name, stack[i].line);
    fflush(stdout);
}
#define SAY (AT, say())

static bool is(const char *name)
{
    return strcmp(how, name) == 0;
}

static CALL char *make_block(size_t bytes)
{
    HERE;
    return static_cast<char *>(malloc(bytes));
}

static CALL void drop_block(char *block)
{
    HERE;
    free(block);
}

static CALL void overflow_stack(volatile char *above)
{
    volatile char here[8192];
    here[0] = above != nullptr ? above[0] : '\1';
    overflow_stack(here);
    sink = here[0];
}

// 100,000 calls within one another.
static CALL void recurse(int levels)
{
    if (levels == 0)
        *static_cast<volatile int *>(nullptr) = 1;
    else
        recurse(levels - 1);
    sink = static_cast<char>(levels);
}
static CALL void outer_two(void)
{
    recurse(99999);
    sink = 1;
}
static CALL void outer_one(void)
{
    outer_two();
    sink = 2;
}

static char bytes_a[8192];
// Writes past its array: over what lies above it on the stack.
extern "C" CALL __attribute__((optimize("no-stack-protector"))) void smash(size_t bytes)
{
    char small[16];
    char *volatile to = small;
    memcpy(to, bytes_a, bytes);
}
extern "C" CALL __attribute__((optimize("stack-protector-all"))) void smash_guarded(size_t bytes)
{
    char small[16];
    char *volatile to = small;
    memcpy(to, bytes_a, bytes);
}
// Five callers, each with a frame of some 700 bytes: so much of 4 KiB.
#define CALLER(name, next)                                                                         \
    extern "C" CALL __attribute__((optimize("no-stack-protector"))) void name(size_t bytes)        \
    {                                                                                              \
        volatile char room[700];                                                                   \
        room[0] = 1;                                                                               \
        next(bytes);                                                                               \
        sink = room[0];                                                                            \
    }
CALLER(caller_1, smash)
CALLER(caller_2, caller_1)
CALLER(caller_3, caller_2)
CALLER(caller_4, caller_3)
CALLER(caller_5, caller_4)
CALLER(caller_6, caller_5)
CALLER(caller_7, caller_6)
CALLER(caller_8, caller_7)

// Returns into the middle of a function that nobody called.
static void *inside;
extern "C" CALL void never_called(int find)
{
    if (find) {
        inside = &&here_it_is;
        return;
    }
here_it_is:
    sink = 1;
}
extern "C" CALL void returns_astray(void)
{
    void **frame = static_cast<void **>(__builtin_frame_address(0));
    void *true_one = frame[1];
    frame[1] = inside;
    sink = true_one != nullptr;
}

static CALL void thrower(int levels)
{
    HERE;
    if (levels > 0) {
        AT, thrower(levels - 1);
        return;
    }
    SAY, throw std::runtime_error("the text of the exception");
}

static CALL void out_of_range(void)
{
    HERE;
    std::string text = "abc";
    SAY, sink = text.at(static_cast<size_t>(depth) + 7);
}

static CALL void copies(size_t bytes)
{
    HERE;
    char room[64];
    const char *volatile from = reinterpret_cast<const char *>(16);
    SAY, memcpy(room, from, bytes);
    sink = room[0];
}

/* What it reads from the freed block is an address that cannot be one. */
static CALL void follows_freed(void)
{
    HERE;
    char **block = reinterpret_cast<char **>(make_block(40));
    memset(block, 0x5a, 40);
    char *volatile found = block[3];
    drop_block(reinterpret_cast<char *>(block));
    SAY, sink = *found;
}

static CALL void not_thrown(void) noexcept
{
    HERE;
    AT, thrower(0);
}

static CALL void touch_null(void)
{
    HERE;
    SAY, *static_cast<volatile int *>(nullptr) = 1;
}

static CALL void touch(volatile char *address)
{
    HERE;
    SAY, *address = 1;
}

static CALL void divide(void)
{
    HERE;
    SAY, sink = static_cast<char>(100 / zero);
}

static CALL void touch_file(void)
{
    HERE;
    char name[] = "/tmp/fisql-incident-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    void *map = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    SAY, *static_cast<volatile char *>(map) = 1; // there is nothing of the file
}

static CALL void check(int value)
{
    HERE;
    SAY, assert(value == 1);
}

static CALL void check_ours(int value)
{
    HERE;
    SAY, FISQL_ASSERT(value == 1, "value is %d, \"%s\"", value, how);
    printf("went on\n");
}

static CALL void show(void)
{
    HERE;
    SAY, FISQL_STACKS("state %d", 7);
}

static CALL void give_up(void)
{
    HERE;
    SAY, abort();
}

static CALL void free_twice(void)
{
    HERE;
    char *block = make_block(100);
    drop_block(block);
    SAY, free(block);
}

// Frees a block again without the C library's noticing it: the mark that it left in the block is gone.
static CALL void free_unnoticed(void)
{
    HERE;
    char *block = make_block(40);
    drop_block(block);
    memset(block, 0, 16);
    SAY, free(block);
}

static CALL void delete_twice(void)
{
    HERE;
    long *block = new long[5];
    drop_block(reinterpret_cast<char *>(block));
    memset(static_cast<void *>(block), 0, 16);
    SAY, delete[] block;
}

static CALL void grow_freed(void)
{
    HERE;
    char *block = make_block(40);
    drop_block(block);
    char *grown;
    SAY, grown = static_cast<char *>(realloc(block, 48));
    sink = grown != nullptr;
}

static CALL void free_inside(void)
{
    HERE;
    char *block = make_block(100);
    SAY, free(block + 16);
}

// Blocks that come and go, so that addresses are used again: nothing here is freed twice.
static CALL void free_often(void)
{
    static char *blocks[512];
    unsigned seed = 1;
    for (int i = 0; i < 200000; i++) {
        seed = seed * 1664525u + 1013904223u;
        char **block = &blocks[seed >> 16 & 511];
        if (*block != nullptr && (seed & 64) != 0)
            *block = static_cast<char *>(realloc(*block, seed >> 8 & 1023));
        else if (*block != nullptr) {
            free(*block);
            *block = nullptr;
        } else
            *block = static_cast<char *>(malloc((seed >> 8 & 255) + 1));
    }
    for (char *block : blocks)
        free(block);
}

static CALL void past_a_buffer(void)
{
    HERE;
    char small[8];
    volatile size_t bytes = 100;
    SAY, __builtin___memcpy_chk(small, bytes_a, bytes, sizeof small);
    sink = small[0];
}

static CALL void in_thread_inner(void)
{
    HERE;
    AT, touch_null();
}

static void *in_thread(void *)
{
    HERE;
    pthread_setname_np(pthread_self(), "worker");
    AT, in_thread_inner();
    return nullptr;
}

static pthread_barrier_t all_wait;
static CALL void wait_here(void)
{
    pthread_barrier_wait(&all_wait);
    for (;;)
        pause();
}
static void *waiter(void *)
{
    wait_here();
    return nullptr;
}

static void on_user(int)
{
    HERE;
    AT, touch_null();
}

static void own_handler(int number)
{
    static const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(4);
    _exit(number == SIGSEGV ? 3 : 4);
}

static CALL void on_own_stack(void)
{
    HERE;
    stack_t own = {};
    own.ss_sp = malloc(65536);
    own.ss_size = 65536;
    sigaltstack(&own, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_user;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    AT, raise(SIGUSR1);
}

static CALL void in_handler(void)
{
    HERE;
    signal(SIGUSR1, on_user);
    AT, raise(SIGUSR1);
}

static CALL int in_child(void)
{
    HERE;
    pid_t child = fork();
    int status = 0;
    if (child == 0)
        AT, touch_null();
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : 0;
}

static CALL void with_own_handler(void)
{
    HERE;
    struct sigaction action = {}, seen = {};
    sigaction(SIGSEGV, nullptr, &seen);
    printf("before: %s\n", seen.sa_handler == SIG_DFL ? "default" : "other");
    printf("signal: %s\n", signal(SIGBUS, SIG_DFL) == SIG_DFL ? "default" : "other");
    stack_t stack_seen = {};
    sigaltstack(nullptr, &stack_seen);
    printf("stack: %s\n", stack_seen.ss_flags == SS_DISABLE ? "none" : "one");
    action.sa_handler = own_handler;
    sigaction(SIGSEGV, &action, nullptr);
    fflush(stdout);
    AT, touch_null();
}

static void on_abort(int)
{
    static const char text[] = "own handler of SIGABRT\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(4);
    if (is("double-free-exits") || is("bad-free-exits"))
        _exit(7);
}

// As the program sees its handlers, that is its own.
static CALL void free_twice_handled(void)
{
    HERE;
    struct sigaction action = {}, seen = {};
    action.sa_handler = on_abort;
    sigaction(SIGABRT, &action, nullptr);
    sigaction(SIGABRT, nullptr, &seen);
    bool own = seen.sa_handler == on_abort && (seen.sa_flags & (SA_SIGINFO | SA_RESTART)) == 0;
    own &= signal(SIGABRT, SIG_DFL) == on_abort;
    own &= signal(SIGABRT, on_abort) == SIG_DFL;
    own &= signal(SIGABRT, on_abort) == on_abort;
    printf("handler: %s\n", own ? "own" : "other");
    if (is("bad-free-exits"))
        AT, free_inside();
    AT, free_twice();
}

static CALL void assert_handled(void)
{
    HERE;
    signal(SIGABRT, on_abort);
    AT, check(zero);
}

static CALL void back_to_default(void)
{
    HERE;
    signal(SIGSEGV, own_handler);
    sighandler_t before = signal(SIGSEGV, SIG_DFL);
    printf("before: %s\n", before == own_handler ? "own" : "other");
    AT, touch_null();
}

// Kills the program so many us after it began to fail.
static int kill_after_us;
static volatile bool failing;
static PLAIN void *killer(void *)
{
    while (!failing)
        continue;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long end_ns = now.tv_sec * 1000000000LL + now.tv_nsec + kill_after_us * 1000LL;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec * 1000000000LL + now.tv_nsec < end_ns);
    kill(getpid(), SIGKILL);
    return nullptr;
}
static CALL void touch_null_soon(void)
{
    HERE;
    SAY, failing = true, *static_cast<volatile int *>(nullptr) = 1;
}

static CALL void smash_some(size_t bytes)
{
    printf("left smash\n");
    fflush(stdout);
    caller_8(bytes);
}

static CALL void fail(void)
{
    HERE;
    memset(bytes_a, 'A', sizeof bytes_a);
    pthread_t thread;
    if (is("assert"))
        AT, check(zero);
    if (is("assert-ours"))
        AT, check_ours(zero);
    if (is("stacks"))
        AT, show();
    if (is("abort"))
        AT, give_up();
    if (is("exception"))
        AT, thrower(2);
    if (is("out-of-range"))
        AT, out_of_range();
    if (is("copies"))
        AT, copies(strlen(how) * 4);
    if (is("follows-freed"))
        AT, follows_freed();
    if (is("noexcept"))
        AT, not_thrown();
    if (is("null"))
        AT, touch_null();
    if (is("divide"))
        AT, divide();
    if (is("bus"))
        AT, touch_file();
    if (is("double-free"))
        AT, free_twice();
    if (is("double-free-unnoticed"))
        AT, free_unnoticed();
    if (is("double-delete"))
        AT, delete_twice();
    if (is("double-realloc"))
        AT, grow_freed();
    if (is("bad-free"))
        AT, free_inside();
    if (is("double-free-sixth"))
        for (int i = 0; i < 6; i++)
            i < 5 ? free_unnoticed() : free_twice();
    if (is("frees"))
        free_often();
    if (is("double-free-exits") || is("double-free-returns") || is("bad-free-exits"))
        AT, free_twice_handled();
    if (is("assert-handled"))
        AT, assert_handled();
    if (is("buffer"))
        AT, past_a_buffer();
    if (is("deep"))
        AT, outer_one();
    if (is("overflow"))
        overflow_stack(nullptr);
    if (is("smash-200"))
        smash_some(200);
    if (is("smash-4096"))
        smash_some(4096);
    if (is("astray")) {
        never_called(1);
        returns_astray();
    }
    if (is("guard"))
        AT, smash_guarded(200);
    if (is("freed")) {
        char *block = make_block(1 << 20);
        drop_block(block);
        AT, touch(block + 500000);
    }
    if (is("past")) {
        void *behind;
        char *page;
        do { // until a page of the program's own lies behind the block, as where nothing does
            behind = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            char *end = make_block(1 << 20) + (1 << 20);
            page =
                reinterpret_cast<char *>((reinterpret_cast<unsigned long>(end) + 4095) & ~4095ul);
        } while (page != behind);
        AT, touch(page + 8);
    }
    if (is("thread")) {
        AT, pthread_create(&thread, nullptr, in_thread, nullptr);
        pthread_join(thread, nullptr);
    }
    if (is("threads")) {
        pthread_barrier_init(&all_wait, nullptr, 5);
        for (int i = 0; i < 4; i++)
            pthread_create(&thread, nullptr, waiter, nullptr);
        pthread_barrier_wait(&all_wait);
        usleep(20000);
        AT, touch_null();
    }
    if (is("own-stack"))
        AT, on_own_stack();
    if (is("in-handler"))
        AT, in_handler();
    if (is("own-handler"))
        AT, with_own_handler();
    if (is("default-again"))
        AT, back_to_default();
    if (is("raised"))
        SAY, raise(SIGILL);
    if (is("killed-after")) {
        pthread_create(&thread, nullptr, killer, nullptr);
        AT, touch_null_soon();
    }
    if (is("killed"))
        SAY, kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    HERE;
    how = argc > 1 ? argv[1] : "";
    kill_after_us = argc > 2 ? atoi(argv[2]) : 0;
    if (is("child")) {
        int status = (AT, in_child());
        printf("child %d\n", status);
        return 0;
    }
    AT, fail();
    return 0;
}
