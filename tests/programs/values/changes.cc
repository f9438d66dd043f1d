// What calls change behind their pointers, at random, with the program's own account: `NAME CHANGED`, a line for each call, where CHANGED is a
// digit for each parameter that leads to something that may change: 1 = its first 16 bytes did. For value_changed.sh.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#define KEPT __attribute__((noipa, noinline))
#if defined(__clang__)
#undef KEPT
#define KEPT __attribute__((noinline))
#endif

struct pair_of { // as long as the dump
    long first, second;
};
struct wide { // longer
    int head[4], tail[4];
};
typedef const struct pair_of fixed;

static unsigned long state = 7;
static volatile int sink;

static unsigned roll(unsigned below)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(state >> 33) % below;
}

extern "C" {
KEPT void in_pair(struct pair_of *pair, int how)
{
    if (how == 1)
        pair->first++;
    if (how == 2)
        pair->second--;
    if (how == 3)
        pair->first += 0;
    sink = how;
}
KEPT void in_wide(struct wide *wide, int how)
{
    if (how == 1)
        wide->head[3]++;
    if (how == 2)
        wide->tail[0]++;
    sink = how;
}
KEPT void in_bytes(unsigned char *bytes, int how)
{
    if (how == 1)
        bytes[15] ^= 1;
    if (how == 2)
        bytes[16] ^= 1;
    sink = how;
}
KEPT void in_any(void *any, int how)
{
    if (how == 1)
        ((char *)any)[0]++;
    sink = how;
}
KEPT void in_text(char *text, int how)
{
    if (how == 1)
        text[2]++;
    if (how == 2)
        text[7]++;
    sink = how;
} // its end is at 5
KEPT void in_two(int *one, double *two, int how)
{
    if (how & 1)
        ++*one;
    if (how & 2)
        *two += 1;
    sink = how;
}
KEPT void nothing(fixed *pair, const char *text, const struct wide *wide, int how)
{
    sink = how + (pair != nullptr) + (text != nullptr) + (wide != nullptr);
}
KEPT void beyond(int *at, int how)
{
    if (how)
        ++*at;
    sink = how;
}
}

struct counter {
    long count = 0;
    KEPT void tell(int how)
    {
        if (how)
            count++;
        sink = how;
    }
    KEPT long told(int how) const
    {
        return count + how;
    }
};
KEPT void in_reference(long &number, int how)
{
    if (how)
        number++;
    sink = how;
}
KEPT void throws(long *at, int how)
{
    ++*at;
    if (how)
        throw how;
}

static jmp_buf back;
KEPT void jumps(int *at)
{
    ++*at;
    longjmp(back, 1);
}
KEPT int nested(int *at, int n) // some change it, some only the calls below them
{
    int before = *at;
    if (n > 0)
        nested(at, n - 1);
    if (n % 3 == 0)
        ++*at;
    return *at - before;
}

static void *thread(void *argument)
{
    long mine = 0;
    for (int i = 0; i < 2000; i++)
        in_reference(mine, i % 3 == 0);
    return argument;
}

int main(int argc, char **argv)
{
    struct pair_of pair = {1, 2};
    struct wide wide = {};
    unsigned char bytes[32] = {};
    char text[16] = "hello";
    int one = 0, far = 0;
    double two = 0;
    long number = 0;
    counter told;
    const bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    pthread_t others[3];
    if (threads) {
        for (auto &other : others)
            pthread_create(&other, nullptr, thread, nullptr);
        for (auto &other : others)
            pthread_join(other, nullptr);
        return 0;
    }
    for (int i = 0; i < 3000; i++) {
        int how = (int)roll(4);
        switch (roll(9)) {
        case 0:
            in_pair(&pair, how);
            printf("in_pair %d\n", how == 1 || how == 2);
            break;
        case 1:
            in_wide(&wide, how);
            printf("in_wide %d\n", how == 1);
            break;
        case 2:
            in_bytes(bytes, how);
            printf("in_bytes %d\n", how == 1);
            break;
        case 3:
            in_any(bytes + 3, how);
            printf("in_any %d\n", how == 1);
            break;
        case 4:
            in_text(text, how);
            printf("in_text %d\n", how == 1);
            break;
        case 5:
            in_two(&one, &two, how);
            printf("in_two %d%d\n", how & 1, how >> 1);
            break;
        case 6:
            nothing(&pair, text, &wide, how);
            printf("nothing \n");
            break;
        case 7:
            in_reference(number, how & 1);
            printf("in_reference %d\n", how & 1);
            break;
        case 8:
            told.tell(how & 1);
            told.told(how);
            printf("tell %d\ntold \n", how & 1);
            break;
        }
    }
    in_pair(nullptr, 0);
    printf("in_pair 0\n");
    for (int i = 0; i < 4; i++)
        try {
            throws(&number, i % 2);
            printf("throws 1\n");
        } catch (int) {
            printf("throws 0\n");
        }
    if (setjmp(back) == 0)
        jumps(&far);
    printf("jumps 0\n");
    nested(&far, 5); // entered 5 4 3 2 1 0: all change it, as 0 does
    for (int n = 5; n >= 0; n--)
        printf("nested 1\n");
    beyond(&far, 0);
    printf("beyond 0\n");
    return 0;
}
