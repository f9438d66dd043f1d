/* Leaving out functions of system headers with gcc, by its option
 * -finstrument-functions-exclude-file-list. */
#ifndef FISQL_CLI_CC_SYSTEM_HEADERS_H
#define FISQL_CLI_CC_SYSTEM_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

struct compiler_facts {
    bool gcc, clang;
    bool aarch64;      /* it compiles for such machines */
    char version[256]; /* clang's line with its version */
    char *folders[32]; /* searched for headers, absolute and clean; live until exec */
    size_t folders_count;
};

/* Asks the compiler for its kind, version and header folders. words[0] is its name. We pass on
 * those of its arguments that choose other folders. */
void compiler_ask(struct compiler_facts *facts, const char *const *words, size_t count);

/* The option's value: the folders, separated by commas; NULL = none. gcc leaves out each function
 * whose file's path *contains* one of them. So we omit a folder that may be part of the path of the
 * user's own sources (/home/me/rootfs/usr/include): rather a function too many. `words` are the
 * compiler's arguments. Lives until exec. */
const char *system_headers_list(const struct compiler_facts *facts, const char *const *words,
                                size_t count);

#endif
