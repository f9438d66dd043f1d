/* A stream into memory keeps all that is written, and says where memory ran out. */
#include "base/memory_text.h"
#include "base/shortage.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void keeps_all(void)
{
    char *text = NULL;
    size_t size = 1;
    FILE *out = memory_text_open(&text, &size);
    check(out != NULL, "it is opened");
    check_equal(0, fflush(out), "nothing is flushed");
    check_string("", text, "it begins empty");
    for (int i = 0; i < 100000; i++)
        fprintf(out, "%06d,", i);
    check_equal(0, fclose(out), "it is closed");
    check_equal(700000, size, "all is there");
    check_equal(700000, strlen(text), "with a NUL behind it");
    check(memcmp(text, "000000,000001,", 14) == 0 && strcmp(text + 700000 - 7, "099999,") == 0,
          "in order");
    free(text);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void tells_what_is_lost(void)
{
    char *text = NULL;
    size_t size = 0;
    struct rlimit all, few = {256u << 20, 256u << 20};
    static char block[1 << 16];
    memset(block, 'x', sizeof block);
    FILE *out = memory_text_open(&text, &size);
    check_equal(0, getrlimit(RLIMIT_AS, &all), "the limit is known");
    few.rlim_max = all.rlim_max;
    check_equal(0, setrlimit(RLIMIT_AS, &few), "memory becomes short");
    shortage_forget();
    for (int i = 0; i < 1 << 14; i++) /* 1 GB */
        fwrite(block, 1, sizeof block, out);
    check_equal(0, setrlimit(RLIMIT_AS, &all), "memory is there again");
    fputs("the end", out);
    check_equal(EOF, fclose(out), "what was lost in the middle is told at the end");
    check(shortage_noted() != 0, "and noted");
    check(strlen(text) == size && strstr(text, "the end") == NULL, "nothing follows a gap");
    free(text);
    shortage_forget();
}
#endif

int main(void)
{
    keeps_all();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    tells_what_is_lost();
#endif
    return check_status();
}
