/* The text of an answer: see answer.h. */
#include "cli/mcp/answer.h"

#include "base/must.h"
#include "base/utf8.h"
#include "cli/out/json.h"
#include "cli/out/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Keeps what may fit at all, which is the text without an escape, and counts the rest. */
static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    struct answer *answer = cookie;
    if (answer->watch != NULL && ask_watch_is_over(answer->watch)) {
        errno = EINTR;
        return 0; /* stdio takes it for an error */
    }
    size_t room = answer->capacity - answer->size, kept = count < room ? count : room;
    memcpy(answer->text + answer->size, bytes, kept);
    answer->size += kept;
    answer->text[answer->size] = '\0';
    for (size_t i = kept; i < count; i++)
        answer->left_out_lines += bytes[i] == '\n';
    answer->left_out_bytes += count - kept;
    return (ssize_t)count;
}

int answer_open(struct answer *answer, size_t bytes_max, struct ask_watch *watch)
{
    must(bytes_max > 2 * ANSWER_LAST_LINE_BYTES);
    *answer = (struct answer){.bytes_max = bytes_max, .capacity = bytes_max, .watch = watch};
    answer->text = malloc(bytes_max + ANSWER_LAST_LINE_BYTES + 1);
    if (answer->text == NULL)
        return fail("out of memory");
    answer->text[0] = '\0';
    answer->stream = fopencookie(answer, "w", (cookie_io_functions_t){.write = put});
    return answer->stream != NULL ? 0 : fail("out of memory");
}

size_t answer_fits(const char *text, size_t size, size_t bytes_max)
{
    size_t fits = 0;
    for (size_t used = 0; fits < size;) {
        int length = utf8_length((const unsigned char *)text + fits);
        size_t character = length > 0 ? (size_t)length : 1;
        used += json_string_bytes(text + fits, character) - strlen("\"\"");
        if (used > bytes_max)
            break;
        fits += character;
    }
    return fits < size ? fits : size;
}

/* Cuts the text behind a line, if it has one. */
static void cut(struct answer *answer, size_t fits)
{
    size_t kept = fits;
    while (kept > 0 && answer->text[kept - 1] != '\n')
        kept--;
    kept = kept > 0 ? kept : fits;
    for (size_t i = kept; i < answer->size; i++)
        answer->left_out_lines += answer->text[i] == '\n';
    answer->left_out_bytes += answer->size - kept;
    answer->size = kept;
}

int answer_close(struct answer *answer)
{
    bool sound = fclose(answer->stream) == 0;
    answer->stream = NULL;
    /* Bytes of names that are no UTF-8 become U+FFFD, and count so. */
    if (answer->left_out_bytes > 0 ||
        json_string_bytes(answer->text, answer->size) - 2 > answer->bytes_max) {
        cut(answer,
            answer_fits(answer->text, answer->size, answer->bytes_max - ANSWER_LAST_LINE_BYTES));
        answer->size += (size_t)snprintf(
            answer->text + answer->size, ANSWER_LAST_LINE_BYTES,
            "\n[left out: %zu lines more, %zu bytes, for an answer is %zu bytes at most: ask for "
            "less]\n",
            answer->left_out_lines, answer->left_out_bytes, answer->bytes_max);
    }
    must(json_string_bytes(answer->text, answer->size) - 2 <= answer->bytes_max);
    return sound || (answer->watch != NULL && answer->watch->end != ASK_DONE)
               ? 0
               : fail("out of memory");
}

void answer_release(struct answer *answer)
{
    if (answer->stream != NULL)
        fclose(answer->stream);
    free(answer->text);
    *answer = (struct answer){.stream = NULL};
}
