/* Defaults and names of the C++ library's templates: see short_name_parts.h. */
#include "debuginfo/names/short_name_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool piece_is(struct text_piece piece, const char *text)
{
    return piece.length == strlen(text) && memcmp(piece.text, text, piece.length) == 0;
}

static bool piece_starts(struct text_piece piece, const char *text)
{
    size_t length = strlen(text);
    return piece.length >= length && memcmp(piece.text, text, length) == 0;
}

/* Is it one of these words, with spaces between them? */
static bool piece_among(struct text_piece piece, const char *words)
{
    for (size_t length; *words != '\0'; words += length + strspn(words + length, " ")) {
        length = strcspn(words, " ");
        if (length == piece.length && memcmp(words, piece.text, length) == 0)
            return true;
    }
    return false;
}

/* Templates and their defaults, from the second argument (`first` 1) or third (2) on. $1 and $2 are
 * the first and second argument. */
static const struct {
    const char *names;
    unsigned first;
    const char *defaults[3];
} templates[] = {
    {"std::vector std::deque std::list std::forward_list", 1, {"std::allocator<$1>"}},
    {"std::set std::multiset", 1, {"std::less<$1>", "std::allocator<$1>"}},
    {"std::map std::multimap", 2, {"std::less<$1>", "std::allocator<std::pair<$1 const, $2>>"}},
    {"std::unordered_set std::unordered_multiset",
     1,
     {"std::hash<$1>", "std::equal_to<$1>", "std::allocator<$1>"}},
    {"std::unordered_map std::unordered_multimap",
     2,
     {"std::hash<$1>", "std::equal_to<$1>", "std::allocator<std::pair<$1 const, $2>>"}},
    {"std::stack std::queue", 1, {"std::deque<$1>"}},
    {"std::priority_queue", 1, {"std::vector<$1>", "std::less<$1>"}},
    {"std::unique_ptr", 1, {"std::default_delete<$1>"}},
    {"std::basic_string std::basic_stringbuf std::basic_stringstream "
     "std::basic_istringstream std::basic_ostringstream",
     1,
     {"std::char_traits<$1>", "std::allocator<$1>"}},
    {"std::basic_string_view std::basic_ios std::basic_istream std::basic_ostream "
     "std::basic_iostream std::basic_streambuf std::basic_filebuf std::basic_ifstream "
     "std::basic_ofstream std::basic_fstream std::istreambuf_iterator std::ostreambuf_iterator",
     1,
     {"std::char_traits<$1>"}},
    {"std::basic_regex", 1, {"std::regex_traits<$1>"}},
    {"std::span", 1, {"18446744073709551615ul"}},
    {"std::chrono::duration", 1, {"std::ratio<1l, 1l>"}},
    {"std::chrono::time_point", 1, {"std::chrono::nanoseconds"}},
};
enum { TEMPLATES_COUNT = sizeof templates / sizeof templates[0], DEFAULTS_MAX = 3 };

/* Is the argument the default, with $1 and $2 filled in? */
static bool is_default(struct text_piece argument, const char *pattern,
                       const struct text_piece *arguments)
{
    const char *at = argument.text, *end = at + argument.length;
    for (; *pattern != '\0'; pattern++) {
        struct text_piece part = {pattern, 1};
        if (*pattern == '$')
            part = arguments[*++pattern - '1'];
        if ((size_t)(end - at) < part.length || memcmp(at, part.text, part.length) != 0)
            return false;
        at += part.length;
    }
    return at == end;
}

/* C++ lets nobody leave out arguments of the library's inner templates, but these say nothing. */
static bool says_nothing(struct text_piece name, struct text_piece argument)
{
    static const char *const fillers[] = {
        "std::allocator<",           "std::char_traits<",
        "std::default_delete<",      "(__gnu_cxx::_Lock_policy)",
        "std::__detail::_Mod_range", "std::__detail::_Default_ranged_hash",
        "std::__detail::_Prime_re",  "std::__detail::_Hashtable_traits<"};
    static const char *const keyed[] = {"std::less<", "std::hash<", "std::equal_to<"};
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
        if (piece_starts(argument, fillers[i]))
            return true;
    bool of_keys = piece_starts(name, "std::_Rb_tree") || piece_starts(name, "std::_Hashtable") ||
                   piece_starts(name, "std::__detail::_");
    for (size_t i = 0; of_keys && i < sizeof keyed / sizeof keyed[0]; i++)
        if (piece_starts(argument, keyed[i]))
            return true;
    return false;
}

/* Is it an inner template, or an operator or function of streams and strings whose last arguments
 * are deduced? */
static bool is_inner(struct text_piece name)
{
    if (piece_is(name, "std::_Tuple_impl"))
        return false;
    return piece_among(name, "std::endl std::ends std::flush std::getline std::ws") ||
           piece_starts(name, "std::_") || piece_starts(name, "__gnu_cxx::_") ||
           piece_starts(name, "std::operator");
}

size_t std_arguments_shown(struct text_piece name, const struct text_piece *arguments, size_t count)
{
    size_t least = piece_starts(name, "std::operator") ? 0 : 1;
    if (is_inner(name)) {
        while (count > least && says_nothing(name, arguments[count - 1]))
            count--;
        return count;
    }
    if (!piece_starts(name, "std::"))
        return count;
    for (size_t i = 0; i < TEMPLATES_COUNT; i++) {
        unsigned first = templates[i].first;
        if (!piece_among(name, templates[i].names))
            continue;
        while (
            count > first && count <= first + DEFAULTS_MAX &&
            templates[i].defaults[count - first - 1] != NULL &&
            is_default(arguments[count - 1], templates[i].defaults[count - first - 1], arguments))
            count--;
    }
    return count;
}

size_t std_alias(struct text_piece instance, char *name, size_t size)
{
    static const char basic[] = "std::basic_";
    static const struct {
        const char *instance, *name;
    } durations[] = {
        {"std::chrono::duration<long, std::ratio<1l, 1000000000l>>", "std::chrono::nanoseconds"},
        {"std::chrono::duration<long, std::ratio<1l, 1000000l>>", "std::chrono::microseconds"},
        {"std::chrono::duration<long, std::ratio<1l, 1000l>>", "std::chrono::milliseconds"},
        {"std::chrono::duration<long>", "std::chrono::seconds"},
        {"std::chrono::duration<long, std::ratio<60l, 1l>>", "std::chrono::minutes"},
        {"std::chrono::duration<long, std::ratio<3600l, 1l>>", "std::chrono::hours"},
    };
    static const char *const characters[][2] = {{"<char>", ""},
                                                {"<wchar_t>", "w"},
                                                {"<char8_t>", "u8"},
                                                {"<char16_t>", "u16"},
                                                {"<char32_t>", "u32"}};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        if (piece_is(instance, durations[i].instance))
            return (size_t)snprintf(name, size, "%s", durations[i].name);
    const char *open = memchr(instance.text, '<', instance.length);
    if (open == NULL || !piece_starts(instance, basic))
        return 0;
    const char *stem = instance.text + strlen(basic);
    struct text_piece rest = {open, instance.length - (size_t)(open - instance.text)};
    int length = (int)(open - stem);
    bool string = strncmp(stem, "string<", 7) == 0 || strncmp(stem, "string_view<", 12) == 0;
    for (size_t i = 0; i < 5 && length < 40; i++)
        if ((i < 2 || string) && piece_is(rest, characters[i][0]))
            return (size_t)snprintf(name, size, "std::%s%.*s", characters[i][1], length, stem);
    return 0;
}

int std_inline_namespace(struct text_piece part)
{
    if (piece_among(part, "__cxx11 _V2 __ndk1 __cxx1998 fundamentals_v1 fundamentals_v2"))
        return true;
    bool number = part.length > 2 && part.length < 6 && piece_starts(part, "__");
    for (size_t i = 2; number && i < part.length; i++)
        number = isdigit((unsigned char)part.text[i]);
    return number;
}
