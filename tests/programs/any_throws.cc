// Unwinding through frames of a program recorded as it is: each part counts its calls itself (count.h) and prints
// what it has come to. Its argument is the part.
#include "count.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define APART __attribute__((noinline))
COUNTED_NAMES;
static volatile int zero;

struct Guard {
    const char *name;
    explicit Guard(const char *n) : name(n)
    {
    }
    ~Guard()
    {
        std::fprintf(stderr, "~%s ", name);
    }
};

APART static int thrower(int n)
{
    COUNT();
    if (n % 3 == 0)
        throw std::runtime_error("by three");
    if (n % 3 == 1)
        throw n;
    return n;
}
APART static int deeper(int n, int depth)
{
    COUNT();
    Guard guard("deeper");
    if (depth == 0)
        return thrower(n) + 1;
    return deeper(n, depth - 1) + 1;
}
APART static int rethrower(int n)
{
    COUNT();
    try {
        return deeper(n, 4);
    } catch (std::exception &e) {
        std::fprintf(stderr, "again %s ", e.what());
        throw;
    }
}
APART static int nests(int n)
{
    COUNT();
    try {
        return rethrower(n);
    } catch (int k) {
        try {
            return rethrower(k - 1);
        } catch (...) {
            std::exception_ptr kept = std::current_exception();
            try {
                std::rethrow_exception(kept);
            } catch (std::exception &) {
                std::throw_with_nested(std::logic_error("nested"));
            }
        }
    }
    return 0;
}
APART static int catcher(int n)
{
    COUNT();
    try {
        return nests(n);
    } catch (std::logic_error &e) {
        try {
            std::rethrow_if_nested(e);
        } catch (std::exception &inner) {
            std::fprintf(stderr, "%s in %s ", inner.what(), e.what());
        }
        return -1;
    } catch (std::exception &e) {
        return -2;
    }
}
APART static int goes_on(int n)
{
    COUNT();
    return n * 2;
}
static void exceptions()
{
    int sum = 0;
    for (int i = 0; i < 12; i++)
        sum = sum * 3 + catcher(i) + goes_on(i);
    std::fprintf(stderr, "%d\n", sum);
}

// ---- through frames of libraries that are not patched
APART static bool less(int a, int b)
{
    COUNT();
    if (a == 50 + zero)
        throw std::string("compared");
    return a < b;
}
APART static int compare(const void *a, const void *b)
{
    COUNT();
    if (*static_cast<const int *>(a) == 17)
        throw std::string("qsort");
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
APART static int sorts(bool with_qsort)
{
    COUNT();
    std::vector<int> values;
    for (int i = 0; i < 90; i++)
        values.push_back(i * 37 % 101);
    try {
        if (with_qsort)
            qsort(values.data(), values.size(), sizeof(int), compare);
        else
            std::sort(values.begin(), values.end(), less);
    } catch (const std::string &text) {
        std::fprintf(stderr, "%s\n", text.c_str());
        return goes_on(1);
    }
    return 0;
}
APART static int called(int n)
{
    COUNT();
    return thrower(n);
}
struct Buffer : std::streambuf {
    int overflow(int c) override
    {
        called(0);
        return c;
    }
};
APART static void throws_in_stream()
{
    COUNT();
    Buffer buffer;
    std::ostream stream(&buffer);
    stream.exceptions(std::ios::badbit);
    try {
        stream << "text " << 5;
    } catch (std::exception &e) {
        std::fprintf(stderr, "stream %s\n", e.what());
    }
}
APART static int once_thrower()
{
    COUNT();
    static std::once_flag flag;
    int caught = 0;
    for (int i = 0; i < 3; i++)
        try {
            std::call_once(flag, [i] { called(i + 3); });
        } catch (...) {
            caught++;
        }
    std::fprintf(stderr, "once %d\n", caught);
    return caught;
}
static void libraries()
{
    for (int i = 0; i < 3; i++)
        sorts(i % 2), throws_in_stream();
    once_thrower();
    std::function<int(int)> function = called;
    try {
        function(4);
    } catch (int n) {
        std::fprintf(stderr, "function %d\n", n);
    }
    auto future = std::async(std::launch::async, called, 3);
    try {
        future.get();
    } catch (std::exception &e) {
        std::fprintf(stderr, "future %s\n", e.what());
    }
    try {
        std::string text(static_cast<size_t>(zero) - 2, 'x');
    } catch (std::length_error &) {
        goes_on(2);
    }
    try {
        std::vector<int>().at(static_cast<size_t>(goes_on(3)));
    } catch (std::out_of_range &) {
        goes_on(2);
    }
    try {
        throw std::bad_alloc();
    } catch (std::bad_alloc &) {
        goes_on(2);
    }
}

// ---- threads
APART static void body(int n)
{
    COUNT();
    for (int i = 0; i < 200; i++)
        try {
            deeper(i, i % 7);
        } catch (...) {
            goes_on(n);
        }
}
static void threads()
{
    std::vector<std::thread> all;
    for (int i = 0; i < 8; i++)
        all.emplace_back(body, i);
    for (std::thread &thread : all)
        thread.join();
    std::fprintf(stderr, "\n");
}

// ---- out of a handler of a signal
APART static void on_fault(int number)
{
    COUNT();
    throw number;
}
APART static int faults(volatile int *where)
{
    COUNT();
    return *where;
}
APART static int in_handler(int n)
{
    COUNT();
    try {
        return faults(nullptr) + n;
    } catch (int number) {
        sigset_t all;
        sigemptyset(&all);
        sigaddset(&all, SIGSEGV);
        sigprocmask(SIG_UNBLOCK, &all, nullptr);
        return goes_on(number);
    }
}
static void signals()
{
    std::signal(SIGSEGV, on_fault);
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += in_handler(i);
    std::fprintf(stderr, "signals %d\n", sum);
}

// ---- forced unwinding
static pthread_barrier_t ready;
APART static void cleans(void *what)
{
    COUNT();
    std::fprintf(stderr, "cleanup %s\n", static_cast<const char *>(what));
}
APART static void waits(int depth)
{
    COUNT();
    Guard guard("waits");
    if (depth > 0)
        return waits(depth - 1);
    try {
        pthread_barrier_wait(&ready);
        for (;;)
            pause();
    } catch (...) { // foreign: has to be thrown again
        std::fprintf(stderr, "forced ");
        goes_on(1);
        throw;
    }
}
APART static void *cancelled(void *)
{
    COUNT();
    pthread_cleanup_push(cleans, const_cast<char *>("cancelled"));
    waits(5);
    pthread_cleanup_pop(0);
    return nullptr;
}
APART static void leaves(int depth)
{
    COUNT();
    Guard guard("leaves");
    if (depth == 0)
        pthread_exit(const_cast<char *>("left"));
    leaves(depth - 1);
    goes_on(7);
}
APART static void *exits(void *)
{
    COUNT();
    pthread_cleanup_push(cleans, const_cast<char *>("exits"));
    leaves(6);
    pthread_cleanup_pop(0);
    return nullptr;
}
static void forced()
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        void *result;
        pthread_barrier_init(&ready, nullptr, 2);
        pthread_create(&thread, nullptr, cancelled, nullptr);
        pthread_barrier_wait(&ready);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        std::fprintf(stderr, "%d ", result == PTHREAD_CANCELED);
        pthread_create(&thread, nullptr, exits, nullptr);
        pthread_join(thread, &result);
        std::fprintf(stderr, "%s\n", static_cast<const char *>(result));
    }
}

// ---- the end by an exception
APART static void ends()
{
    COUNT();
    std::fprintf(stderr, "terminate\n");
    report();
    _exit(7);
}
APART static void never(int n) noexcept
{
    COUNT();
    deeper(n, 3);
}
APART static int reports(int n)
{
    COUNT();
    if (n == 0) {
        report();
        throw std::runtime_error("not caught");
    }
    return reports(n - 1) + 1 + zero;
}
APART static void never_reports() noexcept
{
    COUNT();
    reports(3);
}
APART static void exits_deep(int n)
{
    COUNT();
    Guard guard("exits_deep");
    if (n == 0) {
        report();
        std::exit(23);
    }
    exits_deep(n - 1);
}
APART static void aborts(int n)
{
    COUNT();
    if (n == 0) {
        report();
        std::abort();
    }
    aborts(n - 1);
    goes_on(n);
}
struct Static {
    const char *name;
    ~Static()
    {
        std::fprintf(stderr, "static %s\n", name);
    }
};
static Static first{"first"}, second{"second"};

int main(int, char **argv)
{
    const std::string part = argv[1];
    static Static third{"third"};
    if (part == "exceptions")
        exceptions();
    else if (part == "libraries")
        libraries();
    else if (part == "threads")
        threads();
    else if (part == "signals")
        signals();
    else if (part == "forced")
        forced();
    else if (part == "uncaught")
        reports(5);
    else if (part == "handler")
        std::set_terminate(ends), never(0);
    else if (part == "noexcept")
        never_reports();
    else if (part == "thread-uncaught")
        std::thread(reports, 5).join();
    else if (part == "exit")
        exits_deep(6);
    else if (part == "abort")
        aborts(6);
    report();
    return 3;
}
