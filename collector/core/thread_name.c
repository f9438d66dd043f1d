/* Names of threads: see thread_name.h. */
#include "collector/core/thread_name.h"

#include "collector/core/base.h"

#include <string.h>
#include <sys/prctl.h>

static THREAD_LOCAL char given[THREAD_NAME_BYTES];

const char *thread_name_given(void)
{
    return given;
}

void thread_name_give(const char *name)
{
    size_t bytes = strnlen(name, THREAD_NAME_BYTES - 1);
    while (name[bytes] != 0 && bytes > 0 && ((unsigned char)name[bytes] & 0xc0) == 0x80)
        bytes--; /* not inside a UTF-8 character */
    memcpy(given, name, bytes);
    given[bytes] = 0;
}

void thread_name_get(char name[THREAD_NAME_BYTES])
{
    memcpy(name, given, THREAD_NAME_BYTES);
    if (name[0] == 0)
        prctl(PR_GET_NAME, (unsigned long)name, 0, 0, 0);
}
