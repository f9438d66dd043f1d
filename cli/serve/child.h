/*
 * Answers that a command of fisql makes: this program runs again as a child, and what it prints is
 * the answer, as it comes. Programs of the system, such as objdump, run in the same way.
 *
 * So many children run at once; others wait their turn. A child ends early when its client is gone,
 * at its deadline, and when its client has read nothing for some seconds while others wait. Its
 * memory has a limit. An answer that is small is sent whole, with what the child said on stderr in
 * the header X-Fisql-Notes (percent-encoded); of a larger one a failure shows as an answer that
 * breaks off.
 */
#ifndef FISQL_CLI_SERVE_CHILD_H
#define FISQL_CLI_SERVE_CHILD_H

#include "cli/serve/reply.h"

/* Answers with what fisql prints when it is given these arguments; argv[0] is ours to set, and a
 * NULL ends them. */
enum MHD_Result child_reply(struct request *request, char **argv, const char *type,
                            int64_t seconds_max);

/* What a program of the system prints when it is given these arguments, up to 256 KiB; the caller
 * frees it. NULL: *problem says why, a literal. */
char *child_collect(struct request *request, const char *program, char **argv, int64_t seconds_max,
                    const char **problem);

#endif
