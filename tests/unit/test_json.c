/* JSON that stands in a page: no text may end the script element or break the JSON. */
#include "cli/out/json.h"
#include "tests/unit/check.h"

#include <math.h>
#include <stdlib.h>

/* What json_text writes for the text, in a buffer that lives until the next call. */
static const char *written(const char *text, size_t bytes_max, long *bytes)
{
    static char kept[256];
    char *buffer = NULL;
    size_t size = 0;
    struct json json = {.out = open_memstream(&buffer, &size)};
    json_text(&json, text, bytes_max);
    fclose(json.out);
    snprintf(kept, sizeof kept, "%s", buffer);
    if (bytes != NULL)
        *bytes = json.bytes;
    free(buffer);
    return kept;
}

static void texts(void)
{
    static const struct {
        const char *what, *text, *expected;
    } cases[] = {
        {"plain text", "main", "\"main\""},
        {"quotes and backslashes", "a\"b\\c", "\"a\\\"b\\\\c\""},
        {"the end of the element", "</script>", "\"\\u003c/script>\""},
        {"a comment's start", "<!--", "\"\\u003c!--\""},
        {"control characters", "\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\""},
        {"UTF-8", "\xc3\xa4\xe2\x82\xac", "\"\xc3\xa4\xe2\x82\xac\""},
        {"bytes that are none", "a\xff\xc3", "\"a\\ufffd\\ufffd\""},
        {"an overlong <", "\xc0\xbc", "\"\\ufffd\\ufffd\""},
        {"nothing", "", "\"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        long bytes = 0;
        const char *text = written(cases[i].text, 100, &bytes);
        check(strcmp(text, cases[i].expected) == 0, "%s: %s", cases[i].what, text);
        check_equal_at((long long)strlen(text), bytes, "its bytes are counted", __FILE__, __LINE__);
        if (strchr(cases[i].text, '<') == NULL) /* outside of pages it stays */
            check_equal(bytes, json_string_bytes(cases[i].text, strlen(cases[i].text)),
                        "and known before");
    }
    check(strcmp(written(NULL, 100, NULL), "null") == 0, "no text is null");
}

static void cuts(void)
{
    check(strcmp(written("abcdef", 6, NULL), "\"abcdef\"") == 0, "text that fits stays");
    check(strcmp(written("abcdef", 5, NULL), "\"abcde\xe2\x80\xa6\"") == 0, "longer text is cut");
    check(strcmp(written("a\xc3\xa4z", 2, NULL), "\"a\xe2\x80\xa6\"") == 0,
          "no character is cut in two");
    check(strcmp(written("a<<", 7, NULL), "\"a\\u003c\xe2\x80\xa6\"") == 0,
          "escapes count as what they are written as");
}

static void structure(void)
{
    char *buffer = NULL;
    size_t size = 0;
    struct json json = {.out = open_memstream(&buffer, &size)};
    json_open(&json, '{');
    json_key(&json, "a");
    json_open(&json, '[');
    json_integer(&json, -3);
    json_real(&json, 1.5);
    json_real(&json, NAN);
    json_close(&json, ']');
    json_key(&json, "b");
    json_raw(&json, "[\"<b>\"]");
    json_key(&json, "c");
    json_open(&json, '{');
    json_close(&json, '}');
    json_close(&json, '}');
    fclose(json.out);
    check(strcmp(buffer, "{\"a\":[-3,1.5,null],\"b\":[\"\\u003cb>\"],\"c\":{}}") == 0,
          "commas stand between values alone: %s", buffer);
    free(buffer);
}

int main(void)
{
    texts();
    cuts();
    structure();
    return check_status();
}
