/*
 * The text of an answer, of which no more than a number of bytes is kept: what is beyond is counted
 * and named at the end. The bytes are those of the text as a JSON string, in which it is sent.
 */
#ifndef FISQL_CLI_MCP_ANSWER_H
#define FISQL_CLI_MCP_ANSWER_H

#include "cli/ask/ask.h"

#include <stddef.h>
#include <stdio.h>

enum { ANSWER_LAST_LINE_BYTES = 200 }; /* of them, for what is said of the rest */

struct answer {
    FILE *stream; /* to write to: it fails when the watch is over */
    char *text;   /* after answer_close(); owned */
    size_t size;
    size_t left_out_lines, left_out_bytes; /* beyond the bound */
    /* Private. */
    size_t bytes_max, capacity;
    struct ask_watch *watch;
};

/* Opens it; `watch` may be NULL, and is borrowed until it is closed. Returns 0, or 2 after saying
 * that there is no memory; release it in both cases. */
int answer_open(struct answer *answer, size_t bytes_max, struct ask_watch *watch);

/* Ends it: the text is whole, or ends with a line that says what is left out. Returns 0, or 2 after
 * saying that there was no memory. */
int answer_close(struct answer *answer);

void answer_release(struct answer *answer);

/* The length of the text's longest start that takes at most so many bytes as a JSON string, its
 * quotes not counted, and cuts no character. */
size_t answer_fits(const char *text, size_t size, size_t bytes_max);

#endif
