/* Draws frames one after another and writes each. TWO_THREADS: two threads draw. HALF: write_out takes
 * half as long. */
#include "work.h"

#ifdef SHORT
enum { FRAMES = 60 };
#else
enum { FRAMES = 300 };
#endif
enum { DRAW_US = 2000 };
#ifdef HALF
enum { WRITE_US = 600 };
#else
enum { WRITE_US = 1200 };
#endif

PART uint64_t draw(uint64_t value)
{
    return turn(value, DRAW_US);
}

PART uint64_t write_out(uint64_t value)
{
    return turn(value, WRITE_US);
}

static uint64_t drawn[FRAMES];

PART void draw_all(int from, int step)
{
    for (int i = from; i < FRAMES; i += step)
        drawn[i] = draw((uint64_t)i + 1);
}

#ifdef TWO_THREADS
static void *draw_odd(void *nothing)
{
    draw_all(1, 2);
    return nothing;
}
#endif

int main(void)
{
    uint64_t sum = 0;
#ifdef TWO_THREADS
    pthread_t thread;
    pthread_create(&thread, NULL, draw_odd, NULL);
    draw_all(0, 2);
    pthread_join(thread, NULL);
#else
    draw_all(0, 1);
#endif
    for (int i = 0; i < FRAMES; i++)
        sum += write_out(drawn[i]);
    return sum == 0;
}
