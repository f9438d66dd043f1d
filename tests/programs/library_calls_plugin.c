/* A library that the program opens; calls into others, also while it is loaded and unloaded. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static unsigned long sum;

__attribute__((constructor)) static void loaded(void)
{
    sum = crc32(0, (const unsigned char *)"loaded", 6);
}

__attribute__((destructor)) static void unloaded(void)
{
    sum = crc32(sum, (const unsigned char *)"unloaded", 8);
}

int plugin_run(int times)
{
    for (int i = 0; i < times; i++)
        sum = adler32(sum, (const unsigned char *)"text", 4);
    return (int)(sum & 0xff);
}
