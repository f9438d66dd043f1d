// Functions that are made to throw, and operators new that fail: what their callers come to see.
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#define APART __attribute__((noinline))

static int alive;

struct guard {
    guard()
    {
        alive++;
    }
    ~guard()
    {
        alive--;
    }
};

struct reader {
    int at = 0;
    APART int next(int step);
    APART std::string text(const std::string &from);
};

int reader::next(int step)
{
    guard kept;
    if (step > 100)
        throw std::out_of_range("step");
    at += step;
    return at;
}

std::string reader::text(const std::string &from)
{
    return from + "!";
}

APART static void read_all(reader &from)
{
    guard kept;
    for (int i = 1; i <= 5; i++) {
        try {
            std::printf("next %d\n", from.next(i));
        } catch (const std::runtime_error &error) {
            std::printf("runtime_error: %s\n", error.what());
        } catch (int number) {
            std::printf("int %d\n", number);
        } catch (const char *text) {
            std::printf("text %s\n", text);
        }
    }
}

APART static void outer(reader &from)
{
    guard kept;
    read_all(from);
    std::printf("text %s\n", from.text("hello").c_str());
}

APART static void allocate()
{
    try {
        int *volatile one = new int(5);
        std::printf("new %d\n", *one);
        delete one;
    } catch (const std::bad_alloc &error) {
        std::printf("new: %s\n", error.what());
    }
    try {
        int *volatile many = new int[100];
        many[0] = 3;
        std::printf("new[] %d\n", many[0]);
        delete[] many;
    } catch (const std::bad_alloc &error) {
        std::printf("new[]: %s\n", error.what());
    }
    int *volatile quiet = new (std::nothrow) int(7);
    std::printf("nothrow %s\n", quiet != nullptr ? "block" : "NULL");
    delete quiet;
}

int main()
{
    reader from;
    try {
        outer(from);
    } catch (const std::exception &error) {
        std::printf("main: %s\n", error.what());
    }
    allocate();
    std::printf("alive %d\n", alive);
    return 0;
}
