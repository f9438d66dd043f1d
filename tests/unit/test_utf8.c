/* UTF-8: which sequences are sound, and where a text may be cut. */
#include "base/utf8.h"
#include "tests/unit/check.h"

static void lengths(void)
{
    static const struct {
        const char *what, *bytes;
        int length;
        uint32_t character;
    } cases[] = {
        {"a letter", "a", 1, 'a'},
        {"two bytes", "\xc2\x80", 2, 0x80},
        {"three bytes", "\xe2\x82\xac", 3, 0x20ac},
        {"four bytes", "\xf0\x9f\x98\x80", 4, 0x1f600},
        {"the last character", "\xf4\x8f\xbf\xbf", 4, 0x10ffff},
        {"a byte beyond it", "\xf4\x90\x80\x80", 0, 0},
        {"an overlong slash", "\xc0\xaf", 0, 0},
        {"a longer one", "\xe0\x80\xaf", 0, 0},
        {"the longest one", "\xf0\x80\x80\xaf", 0, 0},
        {"a surrogate", "\xed\xa0\x80", 0, 0},
        {"a byte of the middle", "\x80", 0, 0},
        {"a start at the end", "\xe2\x82", 0, 0},
        {"a start before a letter", "\xc3q", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const unsigned char *at = (const unsigned char *)cases[i].bytes;
        int length = utf8_length(at);
        check_equal(cases[i].length, length, cases[i].what);
        if (length > 0)
            check_equal(cases[i].character, utf8_character(at, length), cases[i].what);
    }
}

int main(void)
{
    lengths();
    check_equal(3, utf8_cut("abc", 3, 5), "a text that fits stays whole");
    check_equal(1, utf8_cut("a\xe2\x82\xac", 4, 3), "a character is not cut");
    check_equal(4, utf8_cut("a\xe2\x82\xac!", 5, 4), "a cut between characters stays");
    check_equal(2, utf8_open_end("a\xe2\x82", 3), "a character whose end is still to come");
    check_equal(0, utf8_open_end("a\xe2\x82\xac", 4), "a whole character at the end");
    check_equal(0, utf8_open_end("a\x82", 2), "no character begins there");
    return check_status();
}
