// Exceptions that a library throws, from functions that the program calls through its links; and blocks of new.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int caught;

__attribute__((noinline)) static int number(const std::string &text)
{
    try {
        return std::stoi(text);
    } catch (const std::invalid_argument &) {
        caught++;
        return -1;
    }
}

__attribute__((noinline)) static void rethrow(std::vector<int> &numbers, size_t at)
{
    try {
        numbers.at(at) = 1;
    } catch (...) {
        caught++;
        throw;
    }
}

int main()
{
    int sum = 0;
    std::vector<int> numbers(3);
    for (int i = 0; i < 100; i++)
        sum += number(i % 2 ? "12" : "x");
    for (int i = 0; i < 10; i++)
        try {
            rethrow(numbers, i);
        } catch (const std::out_of_range &) {
            sum++;
        }
    std::thread other([&] {
        for (int i = 0; i < 10; i++)
            sum += number("y");
    });
    other.join();
    std::printf("sum %d, caught %d\n", sum, caught);
    std::printf("calls strtol 110\n");
    return 0;
}
