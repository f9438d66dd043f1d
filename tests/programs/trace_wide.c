/* Wide text and characters by the macros of fisql_trace.h, as C and as C++ (there also without marks). */
#include "fisql_trace.h"

#include <uchar.h>
#include <wchar.h>

static const wchar_t *given(const wchar_t *text)
{
    FISQL_FUNCTION(1);
    return FISQL_WIDE_RESULT(text);
}

int main(void)
{
    static const char16_t lone[] = {0xd83d, 65, 0xdc00, 0};
    static wchar_t longer[4097]; /* of three bytes each */
    const wchar_t *text = L"h\u00e9llo \U0001F600";
    const char16_t *sixteen = u"\u20ac \U0001F600!";
    const char32_t *thirty_two = U"x\u20ac";
    const wchar_t *none = NULL;
    wchar_t room[8] = L"room";
    wchar_t single = L'\u00e9';
    char16_t small = u'\u20ac';
    char32_t large = U'\U0001F600', wrong = 0x110000;
    int number = 65;
    for (int i = 0; i < 4096; i++)
        longer[i] = 0x20ac;
    FISQL_CHECKPOINT(1, "wide", FISQL_WIDE(text), FISQL_WIDE(sixteen), FISQL_WIDE(thirty_two),
                     FISQL_WIDE(none), FISQL_WIDE(room), FISQL_WIDE(lone), FISQL_WIDE(L""), &number,
                     number, FISQL_WIDE(single), FISQL_WIDE(small), FISQL_WIDE(large),
                     FISQL_WIDE(wrong), FISQL_WIDE(L"a, (b"), FISQL_WIDE(longer));
    FISQL_VALUE(FISQL_WIDE(given(thirty_two[0] == 'x' ? L"g\u00e4ste" : text)));
    return 0;
}
