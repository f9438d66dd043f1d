/* UTF-8: see utf8.h. */
#include "base/utf8.h"

#include "base/must.h"

#include <stdbool.h>

int utf8_length(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] < 0xe0)
        return (at[1] & 0xc0) == 0x80 ? 2 : 0;
    if (at[0] >= 0xe0 && at[0] < 0xf0) {
        bool sound = (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80;
        bool overlong = at[0] == 0xe0 && at[1] < 0xa0;
        bool surrogate = at[0] == 0xed && at[1] >= 0xa0;
        return sound && !overlong && !surrogate ? 3 : 0;
    }
    if (at[0] >= 0xf0 && at[0] < 0xf5) {
        bool sound = (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80 && (at[3] & 0xc0) == 0x80;
        bool wrong = (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90);
        return sound && !wrong ? 4 : 0;
    }
    return 0;
}

uint32_t utf8_character(const unsigned char *at, int length)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    must(length >= 1 && length <= 4);
    uint32_t character = at[0] & first[length];
    for (int i = 1; i < length; i++)
        character = character << 6 | (at[i] & 0x3f);
    return character;
}

size_t utf8_cut(const char *text, size_t length, size_t most)
{
    if (length <= most)
        return length;
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

size_t utf8_open_end(const char *text, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        unsigned char byte = (unsigned char)text[length - back];
        if (byte >= 0xc0)
            return back < (byte >= 0xf0 ? 4u : byte >= 0xe0 ? 3u : 2u) ? back : 0;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}
