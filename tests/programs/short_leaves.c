/* Functions that call nothing, of all shapes, called in a loop; with an argument one of them fails. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __clang__
#define OWN __attribute__((noinline))
#else
#define OWN __attribute__((noipa))
#endif

struct node {
    int value, more[31];
    struct node *next;
};

OWN int first_instruction(const struct node *node)
{
    return node->value;
}

OWN int later_instruction(const struct node *node, int factor)
{
    int made = factor * 7 + 3;
    if (factor > 1000000)
        return made;
    return made ^ node->more[factor & 7];
}

OWN int divides(int number, int by)
{
    return number / by;
}

OWN int chooses(int number)
{
    if (number < 10)
        return number + 1;
    if (number < 20)
        return number ^ 5;
    return number > 1000 ? 7 : number - 3;
}

OWN int loops(const int *numbers, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

OWN int jumps_on(int number) /* a tail call of a leaf */
{
    return chooses(number + 2);
}

OWN int calls(const struct node *node, int number)
{
    return first_instruction(node) + chooses(number) * 3;
}

OWN double computes(double x)
{
    return x * 1.5 + 2;
}

OWN int descends(const struct node *node, int depth)
{
    return depth == 0 ? first_instruction(node) : 1 + descends(node, depth - 1);
}

static struct node *page;
static volatile sig_atomic_t mended;

OWN void mends(int number)
{
    (void)number;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    mended++;
}

static void mend(void)
{
    struct sigaction action = {.sa_handler = mends};
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 5; i++) {
        mprotect(page, 4096, PROT_NONE);
        mended += first_instruction(page);
    }
}

int main(int argc, char **argv)
{
    int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
    double x = 1;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 20000; i++) {
        sum +=
            first_instruction(page) + later_instruction(page, i) + divides(i, 3) + chooses(i % 40);
        sum += loops(numbers, 8) + jumps_on(i) + calls(page, i) + descends(page, i % 5);
        x = computes(x) / 2;
    }
    printf("%d %.3f\n", sum, x);
    fflush(stdout);
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "first") == 0)
        return calls(NULL, 1);
    if (strcmp(what, "later") == 0)
        return later_instruction(NULL, 3);
    if (strcmp(what, "divides") == 0)
        return divides(sum, argc - 2);
    if (strcmp(what, "mends") == 0)
        mend();
    return mended != 0 && mended != 5;
}
