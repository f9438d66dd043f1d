/*
 * Tracing by hand, for code without fisql's hooks and for what hooks cannot know: scopes that
 * become calls, checkpoints with values, messages, pauses. C11 and C++17, with gcc and clang.
 *
 *     int parse(struct request *request)
 *     {
 *         FISQL_FUNCTION(1);                        // this scope is a call
 *         FISQL_CHECKPOINT(2, "header", request->method, request->length);
 *         FISQL_PAUSE();                            // what follows is not our own work
 *         read_body(request);
 *         FISQL_RESUME();
 *         FISQL_SAY(3, "%d bytes left", request->length);
 *         return FISQL_RESULT(request->status);
 *     }
 *
 * Levels are constants from 1 to 5. The collector records a macro if its level is at most the
 * current one. There are two current levels: `functions` for scopes, checkpoints and messages;
 * `values` for the values of checkpoints, FISQL_VALUE and FISQL_RESULT. The latter two have the
 * level of their scope (1 outside of any). `fisql record --level`, FISQL_LEVELS and `fisql control`
 * set the current levels. Without the collector, and above the current level, a macro does not
 * evaluate its arguments, except FISQL_RESULT's. With -DFISQL_OFF the macros compile to nothing.
 *
 * Any thread, and a signal handler, may use each macro. None allocates (a C++ operator<< may),
 * blocks or changes errno. The functions and structs here are for the macros alone.
 */
#ifndef FISQL_TRACE_H
#define FISQL_TRACE_H

#include <stddef.h>

/* ---- what the macros are made of ---- */

/* The place of a macro in the source. */
struct fisql_trace_point {
    const char *function, *file;
    const char *label;  /* of a checkpoint */
    const char *values; /* the macro's arguments */
    unsigned what, line, level;
    unsigned number; /* 0 = the collector has not given it one */
};
enum {
    FISQL_TRACE_FUNCTION,
    FISQL_TRACE_ENTRY,
    FISQL_TRACE_CHECKPOINT,
    FISQL_TRACE_VALUE,
    FISQL_TRACE_RESULT,
    FISQL_TRACE_MESSAGE
};

/* A scope on the program's stack. */
struct fisql_trace_scope {
    struct fisql_trace_point *point;
    const void *site;
    unsigned long long stack, tick;
    unsigned state; /* 0 = it is not recorded; else it is the collector's */
};

struct fisql_trace_value {
    unsigned kind;
    unsigned length; /* of a text */
    union {
        long long whole;
        double real;
        unsigned char wide[sizeof(long double)];
        const volatile void *pointer;
        const char *text; /* NULL is a pointer that is NULL */
    } is;
};
enum {
    FISQL_TRACE_SIGNED,
    FISQL_TRACE_UNSIGNED,
    FISQL_TRACE_DOUBLE,
    FISQL_TRACE_LONG_DOUBLE,
    FISQL_TRACE_POINTER,
    FISQL_TRACE_TEXT,      /* to its NUL */
    FISQL_TRACE_TEXT_PART, /* length bytes */
    FISQL_TRACE_TEXT_CUT,  /* length bytes, the first of a longer text */
    FISQL_TRACE_TEXT_16,   /* UTF-16, to its 0 */
    FISQL_TRACE_TEXT_32,
    FISQL_TRACE_TEXT_16_PART, /* length units, or to a 0 */
    FISQL_TRACE_TEXT_32_PART,
    FISQL_TRACE_CHARACTER /* `whole` is one of Unicode */
};

/* Nothing here gets hooks. */
#define FISQL_NO_HOOKS_ __attribute__((no_instrument_function, unused))

#ifdef __cplusplus
extern "C" {
#endif

/* Two bytes: the current levels. NULL = not yet known. */
__attribute__((weak)) const volatile unsigned char *fisql_trace_levels(void);
__attribute__((weak)) void fisql_trace_set_levels(int functions, int values);
__attribute__((weak)) void fisql_trace_enter(struct fisql_trace_scope *scope);
__attribute__((weak)) void fisql_trace_leave(struct fisql_trace_scope *scope);
__attribute__((weak)) void fisql_trace_reach(struct fisql_trace_scope *scope,
                                             struct fisql_trace_point *point,
                                             const struct fisql_trace_value *values,
                                             unsigned count);
__attribute__((weak, format(printf, 3, 4))) void fisql_trace_say(struct fisql_trace_scope *scope,
                                                                 struct fisql_trace_point *point,
                                                                 const char *format, ...);
__attribute__((weak)) void fisql_trace_pause(void);
__attribute__((weak)) void fisql_trace_resume(void);
__attribute__((weak)) void fisql_trace_thread(const char *name);
__attribute__((weak)) void fisql_trace_record_thread(int on);

#ifdef __cplusplus
}
#endif

#ifndef FISQL_OFF

static const unsigned char fisql_trace_none_[2] = {0, 0}, fisql_trace_unknown_[2] = {255, 255};

/* Where this program or library finds the levels; all its files share it. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak, visibility("hidden"))) const volatile unsigned char *fisql_trace_at_ =
    fisql_trace_unknown_;
#ifdef __cplusplus
}
#endif

static FISQL_NO_HOOKS_ __attribute__((noinline, cold)) int fisql_trace_find_(int which, int level)
{
    const volatile unsigned char *at = fisql_trace_none_;
    if (fisql_trace_levels != NULL)
        at = fisql_trace_levels();
    if (at == NULL)
        return 0;
    __atomic_store_n(&fisql_trace_at_, at, __ATOMIC_RELEASE);
    return at[which] >= level;
}

/* Is this level recorded? which: 0 = functions, 1 = values. */
static inline FISQL_NO_HOOKS_ __attribute__((always_inline)) int fisql_trace_on_(int which,
                                                                                 int level)
{
    const volatile unsigned char *at = __atomic_load_n(&fisql_trace_at_, __ATOMIC_RELAXED);
    if (__builtin_expect(at[which] < level, 1))
        return 0;
    return __builtin_expect(at[which] != 255, 1) ? 1 : fisql_trace_find_(which, level);
}

/* Always inlined: the collector distinguishes scopes from calls by the stack pointer. */
static inline FISQL_NO_HOOKS_ __attribute__((always_inline)) int
fisql_trace_begin_(struct fisql_trace_scope *scope, struct fisql_trace_point *point,
                   const void *site)
{
    scope->state = 0;
    if (!fisql_trace_on_(0, (int)point->level))
        return 0;
    scope->point = point;
    scope->site = site;
    fisql_trace_enter(scope);
    return 1;
}

static inline FISQL_NO_HOOKS_ __attribute__((always_inline)) void
fisql_trace_end_(struct fisql_trace_scope *scope)
{
    if (__builtin_expect(scope->state != 0, 0))
        fisql_trace_leave(scope);
}

/* What a macro outside of any scope uses instead of one. */
enum { fisql_level_here_ = 1 };
static struct fisql_trace_scope *const fisql_scope_at_ __attribute__((unused)) = NULL;

#ifdef __cplusplus
#define FISQL_CHECK_LEVEL_(level)                                                                  \
    static_assert((level) >= 1 && (level) <= 5, "a level is from 1 to 5")
#define FISQL_NAME_ __PRETTY_FUNCTION__
#else
#define FISQL_CHECK_LEVEL_(level)                                                                  \
    _Static_assert((level) >= 1 && (level) <= 5, "a level is from 1 to 5")
#define FISQL_NAME_ __func__
#endif

#define FISQL_POINT_(what, level, label, values)                                                   \
    FISQL_CHECK_LEVEL_(level);                                                                     \
    static struct fisql_trace_point fisql_point_ = {FISQL_NAME_, __FILE__, label, values,          \
                                                    what,        __LINE__, level, 0}

/* A scope's names hide the outer scope's. (A _Pragma must follow a whole statement: check last.) */
/* clang-format off */
#define FISQL_SCOPE_(what, level)                                                                  \
    _Pragma("GCC diagnostic push")                                                                 \
    _Pragma("GCC diagnostic ignored \"-Wshadow\"")                                                 \
    enum { fisql_level_here_ = (level) };                                                          \
    static struct fisql_trace_point fisql_point_here_ = {FISQL_NAME_, __FILE__, NULL, NULL,        \
                                                         what,        __LINE__, level, 0};         \
    struct fisql_trace_scope fisql_scope_ __attribute__((cleanup(fisql_trace_end_)));              \
    struct fisql_trace_scope *const fisql_scope_at_ __attribute__((unused)) = &fisql_scope_;       \
    const int fisql_begun_ __attribute__((unused)) =                                               \
        fisql_trace_begin_(&fisql_scope_, &fisql_point_here_, __builtin_return_address(0));        \
    _Pragma("GCC diagnostic pop")                                                                  \
    FISQL_CHECK_LEVEL_(level)
/* clang-format on */

/* ---- the macros ---- */

/* Makes this scope, from here to its end, a call of this function, however the program leaves it.
 * In a function that has hooks it only sets the level of FISQL_VALUE and FISQL_RESULT. */
#define FISQL_FUNCTION(level) FISQL_SCOPE_(FISQL_TRACE_FUNCTION, level)

/* Use it instead to record the scope only if it reaches a checkpoint, and from there on. Until then
 * its callees count as its caller's. */
#define FISQL_ENTRY(level) FISQL_SCOPE_(FISQL_TRACE_ENTRY, level)

/* FISQL_CHECKPOINT(level, label, ...): records that the program reached this point, with the names
 * and values of up to 16 expressions. The label is a string literal. */
#define FISQL_CHECKPOINT(level, ...)                                                               \
    do {                                                                                           \
        FISQL_POINT_(FISQL_TRACE_CHECKPOINT, level, FISQL_FIRST_(__VA_ARGS__, ), #__VA_ARGS__);    \
        if (fisql_trace_on_(0, level)) {                                                           \
            if (fisql_trace_on_(1, level))                                                         \
                FISQL_REACH_(__VA_ARGS__);                                                         \
            else                                                                                   \
                fisql_trace_reach(fisql_scope_at_, &fisql_point_, NULL, 0);                        \
        }                                                                                          \
    } while (0)

/* Records the value of an expression. */
#define FISQL_VALUE(value)                                                                         \
    do {                                                                                           \
        FISQL_POINT_(FISQL_TRACE_VALUE, fisql_level_here_, NULL, #value);                          \
        if (fisql_trace_on_(1, fisql_level_here_))                                                 \
            FISQL_REACH_("", value);                                                               \
    } while (0)

/* FISQL_SAY(level, format, ...): records a message, as of printf(). */
#define FISQL_SAY(level, ...)                                                                      \
    do {                                                                                           \
        FISQL_POINT_(FISQL_TRACE_MESSAGE, level, NULL, NULL);                                      \
        if (fisql_trace_on_(0, level))                                                             \
            fisql_trace_say(fisql_scope_at_, &fisql_point_, __VA_ARGS__);                          \
    } while (0)

/* Between the two the innermost call waits for something that is not its own work: that time counts
 * as paused_ns, not as self time. Calls that it makes meanwhile are recorded as usual. */
#define FISQL_PAUSE() (fisql_trace_on_(0, 1) ? fisql_trace_pause() : (void)0)
#define FISQL_RESUME() (fisql_trace_on_(0, 1) ? fisql_trace_resume() : (void)0)

/* Names the calling thread in the recording. */
#define FISQL_THREAD(name) (fisql_trace_thread != NULL ? fisql_trace_thread(name) : (void)0)

/* Whether the calling thread is recorded: 1 = yes, 0 = no, whatever `fisql record --threads` and
 * `fisql control` say; -1 = as they say. Open calls end in the recording where it goes off. */
#define FISQL_RECORD_THREAD(on)                                                                    \
    (fisql_trace_record_thread != NULL ? fisql_trace_record_thread(on) : (void)0)

/* Sets the current levels in all processes of the run: 0 (nothing) to 5. */
#define FISQL_LEVELS(functions, values)                                                            \
    (fisql_trace_set_levels != NULL ? fisql_trace_set_levels(functions, values) : (void)0)

#define FISQL_FIRST_(first, ...) first

#ifndef __cplusplus
/* ---- C ---- */

/* FISQL_RESULT(value) is value, and records it as this scope's result: return FISQL_RESULT(n); */
#define FISQL_RESULT(value)                                                                        \
    (__extension__({                                                                               \
        __typeof__(value) fisql_result_ = (value);                                                 \
        FISQL_POINT_(FISQL_TRACE_RESULT, fisql_level_here_, NULL, #value);                         \
        if (fisql_trace_on_(1, fisql_level_here_))                                                 \
            FISQL_REACH_("", fisql_result_);                                                       \
        fisql_result_;                                                                             \
    }))

/*
 * C cannot tell a wchar_t from an int, nor text of them from a pointer to one int. So mark what is
 * wide: FISQL_VALUE(FISQL_WIDE(text)). It takes text that ends with a 0, or one character, of
 * wchar_t, char16_t or char32_t; they are recorded as UTF-8. For a result: FISQL_WIDE_RESULT(text).
 * C++ knows these types without a mark, and takes it.
 */
/* clang-format off */
#define FISQL_WIDE(value)                                                                          \
    _Generic((value),                                                                              \
        short: fisql_of_character_, unsigned short: fisql_of_character_,                           \
        int: fisql_of_character_, unsigned: fisql_of_character_,                                   \
        unsigned short *: fisql_of_text_16_, const unsigned short *: fisql_of_text_16_,            \
        int *: fisql_of_text_32_, const int *: fisql_of_text_32_,                                  \
        unsigned *: fisql_of_text_32_, const unsigned *: fisql_of_text_32_)(value)
/* clang-format on */

#define FISQL_WIDE_RESULT(value)                                                                   \
    (__extension__({                                                                               \
        __typeof__(value) fisql_result_ = (value);                                                 \
        FISQL_POINT_(FISQL_TRACE_RESULT, fisql_level_here_, NULL, #value);                         \
        if (fisql_trace_on_(1, fisql_level_here_))                                                 \
            FISQL_REACH_("", FISQL_WIDE(fisql_result_));                                           \
        fisql_result_;                                                                             \
    }))

#define FISQL_OF_(kind_, member, cast, value)                                                      \
    struct fisql_trace_value of;                                                                   \
    of.kind = kind_;                                                                               \
    of.length = 0;                                                                                 \
    of.is.member = cast(value);                                                                    \
    return of
#define FISQL_MAKER_(name, type, kind_, member, cast)                                              \
    static inline FISQL_NO_HOOKS_ struct fisql_trace_value fisql_of_##name##_(type value) {        \
        FISQL_OF_(kind_, member, cast, value);                                                     \
    }
FISQL_MAKER_(signed, long long, FISQL_TRACE_SIGNED, whole, )
FISQL_MAKER_(unsigned, unsigned long long, FISQL_TRACE_UNSIGNED, whole, (long long))
FISQL_MAKER_(double, double, FISQL_TRACE_DOUBLE, real, )
FISQL_MAKER_(pointer, const volatile void *, FISQL_TRACE_POINTER, pointer, )
FISQL_MAKER_(text, const char *, FISQL_TRACE_TEXT, text, )
FISQL_MAKER_(text_16, const void *, FISQL_TRACE_TEXT_16, pointer, )
FISQL_MAKER_(text_32, const void *, FISQL_TRACE_TEXT_32, pointer, )
FISQL_MAKER_(character, long long, FISQL_TRACE_CHARACTER, whole, )

static inline FISQL_NO_HOOKS_ struct fisql_trace_value
fisql_of_wide_(struct fisql_trace_value value)
{
    return value;
}

static inline FISQL_NO_HOOKS_ struct fisql_trace_value fisql_of_long_double_(long double value)
{
    struct fisql_trace_value of;
    of.kind = FISQL_TRACE_LONG_DOUBLE;
    of.length = 0;
    __builtin_memcpy(of.is.wide, &value, sizeof value);
    return of;
}

/* clang-format off */
#define FISQL_VALUE_OF_(value)                                                                     \
    _Generic((value),                                                                              \
        _Bool: fisql_of_unsigned_, char: fisql_of_signed_,                                         \
        signed char: fisql_of_signed_, unsigned char: fisql_of_unsigned_,                          \
        short: fisql_of_signed_, unsigned short: fisql_of_unsigned_,                               \
        int: fisql_of_signed_, unsigned: fisql_of_unsigned_,                                       \
        long: fisql_of_signed_, unsigned long: fisql_of_unsigned_,                                 \
        long long: fisql_of_signed_, unsigned long long: fisql_of_unsigned_,                       \
        float: fisql_of_double_, double: fisql_of_double_, long double: fisql_of_long_double_,     \
        struct fisql_trace_value: fisql_of_wide_,                                                  \
        char *: fisql_of_text_, const char *: fisql_of_text_, default: fisql_of_pointer_)(value)
#define FISQL_VALUES_1_(value) FISQL_VALUE_OF_(value)
#define FISQL_VALUES_2_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_1_(__VA_ARGS__)
#define FISQL_VALUES_3_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_2_(__VA_ARGS__)
#define FISQL_VALUES_4_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_3_(__VA_ARGS__)
#define FISQL_VALUES_5_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_4_(__VA_ARGS__)
#define FISQL_VALUES_6_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_5_(__VA_ARGS__)
#define FISQL_VALUES_7_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_6_(__VA_ARGS__)
#define FISQL_VALUES_8_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_7_(__VA_ARGS__)
#define FISQL_VALUES_9_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_8_(__VA_ARGS__)
#define FISQL_VALUES_10_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_9_(__VA_ARGS__)
#define FISQL_VALUES_11_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_10_(__VA_ARGS__)
#define FISQL_VALUES_12_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_11_(__VA_ARGS__)
#define FISQL_VALUES_13_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_12_(__VA_ARGS__)
#define FISQL_VALUES_14_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_13_(__VA_ARGS__)
#define FISQL_VALUES_15_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_14_(__VA_ARGS__)
#define FISQL_VALUES_16_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_15_(__VA_ARGS__)
#define FISQL_VALUES_17_(value, ...) FISQL_VALUE_OF_(value), FISQL_VALUES_16_(__VA_ARGS__)
#define FISQL_COUNT_(...) FISQL_18TH_(__VA_ARGS__, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FISQL_18TH_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, n, ...) n
/* clang-format on */

/* The array also holds the first argument, a checkpoint's label, so it is never empty. */
#define FISQL_REACH_(...) FISQL_REACH_N_(FISQL_COUNT_(__VA_ARGS__), __VA_ARGS__)
#define FISQL_REACH_N_(n, ...) FISQL_REACH_COUNTED_(n, __VA_ARGS__)
#define FISQL_REACH_COUNTED_(n, ...)                                                               \
    do {                                                                                           \
        const struct fisql_trace_value fisql_values_[] = {FISQL_VALUES_##n##_(__VA_ARGS__)};       \
        fisql_trace_reach(fisql_scope_at_, &fisql_point_, fisql_values_ + 1, (n)-1);               \
    } while (0)

#else
/* ---- C++ ---- */

#include <ostream>
#include <streambuf>
#include <string_view>
#include <type_traits>
#include <utility>

namespace fisql_trace
{

/* Text that operator<< makes, on the stack. What does not fit is dropped. */
class text : public std::streambuf
{
  public:
    FISQL_NO_HOOKS_ text()
    {
        setp(bytes, bytes + sizeof bytes);
    }
    FISQL_NO_HOOKS_ const char *end() const
    {
        return pptr();
    }
    bool full = false;

  protected:
    FISQL_NO_HOOKS_ int_type overflow(int_type) override
    {
        full = true;
        return traits_type::eof();
    }

  private:
    char bytes[4096];
};

inline FISQL_NO_HOOKS_ fisql_trace_value part(const char *start, std::size_t length, bool cut)
{
    fisql_trace_value of{};
    of.kind = cut ? unsigned{FISQL_TRACE_TEXT_CUT} : unsigned{FISQL_TRACE_TEXT_PART};
    of.length = static_cast<unsigned>(length < 0xffff ? length : 0xffff);
    of.is.text = start;
    return of;
}

/* Text of units of 2 or 4 bytes. */
inline FISQL_NO_HOOKS_ fisql_trace_value wide(const void *start, std::size_t unit_bytes)
{
    fisql_trace_value of{};
    of.kind = unit_bytes == 2 ? unsigned{FISQL_TRACE_TEXT_16} : unsigned{FISQL_TRACE_TEXT_32};
    of.is.pointer = start;
    return of;
}

template <class Character>
FISQL_NO_HOOKS_ fisql_trace_value wide_part(std::basic_string_view<Character> view)
{
    static const Character none = 0;
    fisql_trace_value of{};
    of.kind =
        sizeof none == 2 ? unsigned{FISQL_TRACE_TEXT_16_PART} : unsigned{FISQL_TRACE_TEXT_32_PART};
    of.length = static_cast<unsigned>(view.size() < 0xffff ? view.size() : 0xffff);
    of.is.pointer = view.data() != nullptr ? view.data() : &none;
    return of;
}

template <class From, class To>
constexpr bool converts = std::is_convertible_v<const From &, To> &&
                          !std::is_null_pointer_v<std::remove_cv_t<std::decay_t<From>>>;

template <class T>
constexpr bool is_wide =
    std::is_same_v<T, wchar_t> || std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <class Number> FISQL_NO_HOOKS_ fisql_trace_value number(Number value)
{
    fisql_trace_value of{};
    if constexpr (is_wide<Number>) {
        of.kind = FISQL_TRACE_CHARACTER;
        of.is.whole = static_cast<long long>(value);
    } else if constexpr (std::is_same_v<Number, long double>) {
        of.kind = FISQL_TRACE_LONG_DOUBLE;
        __builtin_memcpy(of.is.wide, &value, sizeof value);
    } else if constexpr (std::is_floating_point_v<Number>) {
        of.kind = FISQL_TRACE_DOUBLE;
        of.is.real = static_cast<double>(value);
    } else {
        of.kind = std::is_signed_v<Number> ? FISQL_TRACE_SIGNED : FISQL_TRACE_UNSIGNED;
        of.is.whole = static_cast<long long>(value);
    }
    return of;
}

template <class T> FISQL_NO_HOOKS_ fisql_trace_value of(const T &value, text &room)
{
    using type = std::remove_cv_t<std::decay_t<T>>;
    if constexpr (std::is_arithmetic_v<type>) {
        return number(static_cast<type>(value));
    } else if constexpr (std::is_enum_v<type>) {
        return number(static_cast<std::underlying_type_t<type>>(value));
    } else if constexpr (std::is_same_v<type, const char *> || std::is_same_v<type, char *>) {
        fisql_trace_value one{};
        one.kind = FISQL_TRACE_TEXT;
        one.is.text = value;
        return one;
    } else if constexpr (converts<T, std::string_view>) {
        const std::string_view view = value;
        return part(view.data() != nullptr ? view.data() : "", view.size(), false);
    } else if constexpr (std::is_pointer_v<type> &&
                         is_wide<std::remove_const_t<std::remove_pointer_t<type>>>) {
        return wide(value, sizeof *value);
    } else if constexpr (converts<T, std::wstring_view>) {
        return wide_part<wchar_t>(value);
    } else if constexpr (converts<T, std::u16string_view>) {
        return wide_part<char16_t>(value);
    } else if constexpr (converts<T, std::u32string_view>) {
        return wide_part<char32_t>(value);
    } else if constexpr (std::is_pointer_v<type> || std::is_null_pointer_v<type>) {
        fisql_trace_value one{};
        one.kind = FISQL_TRACE_POINTER;
        if constexpr (std::is_function_v<std::remove_pointer_t<type>>)
            one.is.pointer = reinterpret_cast<const volatile void *>(value);
        else
            one.is.pointer = value;
        return one;
    } else {
        const char *start = room.end();
        room.full = false;
        std::ostream(&room) << value;
        return part(start, static_cast<std::size_t>(room.end() - start), room.full);
    }
}

template <class Label, class... T>
FISQL_NO_HOOKS_ __attribute__((noinline)) void
reach(fisql_trace_scope *scope, fisql_trace_point *point, const Label &, const T &...values)
{
    static_assert(sizeof...(T) <= 16, "at most 16 values");
    text room;
    const fisql_trace_value all[] = {fisql_trace_value{}, of(values, room)...};
    fisql_trace_reach(scope, point, all + 1, sizeof...(T));
}

/* A message that << builds; recorded at the end of the statement. */
class message
{
  public:
    FISQL_NO_HOOKS_ message(fisql_trace_scope *in, fisql_trace_point *at) : scope(in), point(at)
    {
    }
    message(const message &) = delete;
    message &operator=(const message &) = delete;
    FISQL_NO_HOOKS_ ~message()
    {
        const fisql_trace_value one =
            part(start, static_cast<std::size_t>(room.end() - start), room.full);
        fisql_trace_reach(scope, point, &one, 1);
    }
    FISQL_NO_HOOKS_ std::ostream &stream()
    {
        return out;
    }

  private:
    fisql_trace_scope *scope;
    fisql_trace_point *point;
    text room;
    const char *start = room.end();
    std::ostream out{&room};
};

template <class T>
FISQL_NO_HOOKS_ std::decay_t<T> result(fisql_trace_scope *scope, fisql_trace_point *point,
                                       T &&value)
{
    if (point != nullptr)
        reach(scope, point, "", value);
    return std::forward<T>(value);
}

} // namespace fisql_trace

#define FISQL_WIDE(value) (value)
#define FISQL_WIDE_RESULT(value) FISQL_RESULT(value)

#define FISQL_REACH_(...) fisql_trace::reach(fisql_scope_at_, &fisql_point_, __VA_ARGS__)

#define FISQL_RESULT(value)                                                                        \
    fisql_trace::result(fisql_scope_at_, __extension__({                                           \
                            FISQL_POINT_(FISQL_TRACE_RESULT, fisql_level_here_, NULL, #value);     \
                            fisql_trace_on_(1, fisql_level_here_) ? &fisql_point_ : nullptr;       \
                        }),                                                                        \
                        value)

/* FISQL_SAY_(2) << "bytes: " << n; */
#define FISQL_SAY_(level)                                                                          \
    if (!fisql_trace_on_(0, level)) {                                                              \
    } else                                                                                         \
        fisql_trace::message(fisql_scope_at_, __extension__({                                      \
                                 FISQL_POINT_(FISQL_TRACE_MESSAGE, level, NULL, NULL);             \
                                 &fisql_point_;                                                    \
                             }))                                                                   \
            .stream()
#endif

#else
/* ---- switched off: the compiler checks the arguments and makes no code ---- */

#ifdef __cplusplus
#include <ostream>
namespace fisql_trace
{
int nothing(int none,
            ...); /* by value: a reference would keep gcc from holding the variable in a register */
std::ostream &nobody();
} // namespace fisql_trace
#define FISQL_NOTHING_(...) ((void)sizeof(fisql_trace::nothing(0, __VA_ARGS__)))
#define FISQL_FUNCTION(level) static_assert((level) >= 1 && (level) <= 5, "a level is from 1 to 5")
#define FISQL_SAY_(level)                                                                          \
    if constexpr (true) {                                                                          \
    } else                                                                                         \
        fisql_trace::nobody()
#else
int fisql_trace_nothing_(int none, ...);
#define FISQL_NOTHING_(...) ((void)sizeof(fisql_trace_nothing_(0, __VA_ARGS__)))
#define FISQL_FUNCTION(level) _Static_assert((level) >= 1 && (level) <= 5, "a level is from 1 to 5")
#endif
#define FISQL_ENTRY(level) FISQL_FUNCTION(level)
#define FISQL_CHECKPOINT(level, ...) FISQL_NOTHING_(level, __VA_ARGS__)
#define FISQL_VALUE(value) FISQL_NOTHING_(value)
#define FISQL_RESULT(value) (value)
#define FISQL_WIDE(value) (value)
#define FISQL_WIDE_RESULT(value) (value)
#define FISQL_SAY(level, ...) FISQL_NOTHING_(level, __VA_ARGS__)
#define FISQL_PAUSE() ((void)0)
#define FISQL_RESUME() ((void)0)
#define FISQL_THREAD(name) FISQL_NOTHING_(name)
#define FISQL_RECORD_THREAD(on) FISQL_NOTHING_(on)
#define FISQL_LEVELS(functions, values) FISQL_NOTHING_(functions, values)
#endif

#endif
