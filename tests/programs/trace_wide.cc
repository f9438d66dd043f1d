/* Wide text by the macros of fisql_trace.h in C++, which needs no marks. */
#include "fisql_trace.h"

#include <string>
#include <string_view>

int main()
{
    const std::wstring name = L"h\u00e9llo";
    const std::u16string_view part = std::u16string_view(u"\U0001F600 text").substr(0, 4);
    const std::u32string full = U"x\u20ac";
    const wchar_t *none = nullptr;
    char16_t room[8] = u"room";
    const int number = 65;
    FISQL_CHECKPOINT(1, "wide", name, part, full, std::wstring_view(), none, room, name.c_str(),
                     number == 65, L'\u00e9', u'\u20ac', U'\U0001F600', nullptr, L"literal");
    FISQL_FUNCTION(1);
    return FISQL_RESULT(full).size() == 2 ? 0 : 1;
}
