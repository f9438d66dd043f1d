#!/bin/bash
# Structs of a length and a pointer to so many bytes are texts, by value and by reference, as std::string_view is.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >texts.c <<'END'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define APART __attribute__((noinline))
typedef struct { size_t len; unsigned char *data; } str_t;
typedef struct { const char *at; size_t n; } span_t;
struct small { int len; char *data; };        /* its length has 4 bytes */
struct owned { size_t len; char *data; int owner; };
struct pair { size_t left; char *right; };    /* its number is no length */
struct words { size_t count; int *data; };    /* it points to no bytes */
static volatile size_t sink;

APART str_t cut(str_t s, span_t p, long i, long j, long k, str_t on_stack)
{
    s.len -= (size_t)i;
    sink += p.n + (size_t)(j + k) + on_stack.len + on_stack.data[0] + (size_t)p.at[0];
    return s;
}
APART size_t others(struct small a, struct owned b, struct pair c, struct words d)
{
    sink += (size_t)a.len + b.len + c.left + d.count + (size_t)(a.data == c.right) + (size_t)b.owner + (size_t)d.data[0];
    return sink;
}

int main(void)
{
    int number = 7;
    str_t hello = {5, (unsigned char *)"hello world"}, empty = {0, NULL};
    str_t r = cut(hello, (span_t){"a\"b", 3}, 2, 3, 4, (str_t){4, (unsigned char *)"lastone"});
    r = cut(hello, (span_t){"x", 0}, 5, 3, 4, (str_t){1, (unsigned char *)"\1"});
    sink += r.len + empty.len;
    others((struct small){1, NULL}, (struct owned){1, NULL, 2}, (struct pair){1, NULL}, (struct words){1, &number});
    return 0;
}
END
wanted='cut(s="hello", p="a\"b", i=2, j=3, k=4, on_stack="last") = "hel"
cut(s="hello", p="", i=5, j=3, k=4, on_stack="\x01") = ""'
for compiler in gcc clang; do
    for level in -O0 -O2; do
        "$compiler" $level -g -o texts texts.c || { not_ok "$compiler compiles"; continue; }
        "$fisql" record -q --values --value 'cut: s.len, p.at[1], s.data[s.len]' ./texts && "$fisql" load -q run.bin
        calls=$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'cut*'")
        same "$compiler $level, as it is: by value, and as results" "$wanted" "$(sed 's/, s\.len=.*)/)/' <<<"$calls")"
        same "$compiler $level: members of a text can be asked for" 's.len=5, p.at[1]=34 '"'\"'"', s.data[s.len]="hello")' \
            "$(sed -n '1s/.*, \(s\.len=.*)\) =.*/\1/p' <<<"$calls")"
        same "$compiler $level: other structs stay structs" "0" \
            "$(sql run.db "SELECT count(*) FROM call_text WHERE text GLOB 'others(*' AND (text GLOB '*(a=\"*' OR text GLOB '*, [bcd]=\"*')")"
        has "$compiler $level: with their members" "c={left = 1, right = NULL}" "$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'others(*'")"
    done
done
"$fisql" cc gcc -O0 -g -o hooks texts.c
"$fisql" record -q --values ./hooks && "$fisql" load -q run.bin
same "with hooks" "$wanted" "$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'cut*'")"

# A pointer to a constant one is a text, too; one that is not constant may be what the function is to fill.
cat >pointed.c <<'END'
#include <stddef.h>
#include <stdio.h>

#define APART __attribute__((noinline))
typedef struct { size_t len; unsigned char *data; } str_t;
struct strbuf { size_t alloc, len; char *buf; };
struct vector { char *at; size_t count, room; };
struct token { size_t len, size; char *at; }; /* which of them is the length? */
typedef const struct strbuf *given_t;
static volatile size_t sink;

APART const str_t *look(const str_t *s, const struct strbuf *sb, given_t given, const struct vector *v, long i, long j, const str_t *last)
{
    sink += s->len + sb->len + given->len + v->count + v->room + (size_t)(i + j) + (last != NULL ? last->len : 0);
    sink += s->data[0] + (size_t)(sb->buf[0] + given->buf[0] + v->at[0]) + (last != NULL ? last->data[0] : 0);
    return last != NULL ? last : s;
}
APART void fill(str_t *out, const struct token *token)
{
    out->len = 3;
    out->data = (unsigned char *)"out";
    sink += token->len;
}

int main(void)
{
    str_t hello = {5, (unsigned char *)"hello world"}, out;
    struct strbuf sb = {64, 6, "buffer"};
    struct vector v = {"vector", 3, 16};
    struct token token = {1, 2, "ab"};
    look(&hello, &sb, &sb, &v, 1, 2, &(str_t){4, (unsigned char *)"lastone"});
    look(&hello, &sb, &sb, &v, 1, 2, NULL);
    fill(&out, &token);
    return out.len != 3 || sink == 0;
}
END
wanted='look(s="hello", sb="buffer", given="buffer", v="vec", i=1, j=2, last="last") = "last"
look(s="hello", sb="buffer", given="buffer", v="vec", i=1, j=2, last=NULL) = "hello"'
for compiler in gcc clang; do
    for level in -O0 -O2; do
        "$compiler" $level -g -o pointed pointed.c || { not_ok "$compiler compiles"; continue; }
        "$fisql" record -q --values --value 'look: s->len, sb->buf[sb->len], v->room' ./pointed && "$fisql" load -q run.bin
        calls=$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'look*'")
        same "$compiler $level: behind a pointer to a constant" "$wanted" "$(sed 's/, s->len=.*)/)/' <<<"$calls")"
        same "$compiler $level: their members can be asked for" 's->len=5, sb->buf[sb->len]="buffer", v->room=16)' \
            "$(sed -n '1s/.*, \(s->len=.*)\) =.*/\1/p' <<<"$calls")"
        has "$compiler $level: what is to be filled is a pointer, and so is what may have two lengths" 'fill(out=0x' \
            "$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'fill(out=0x*, token=0x*'")"
    done
done
"$fisql" cc gcc -O0 -g -o hooks pointed.c
"$fisql" record -q --values ./hooks && "$fisql" load -q run.bin
same "with hooks, behind a pointer" "$wanted" "$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'look*'")"

# A class that is passed by its address.
cat >texts.cc <<'END'
#include <cstddef>
struct held {
    const char *bytes;
    size_t length;
    held(const char *text, size_t n) : bytes(text), length(n) {}
    held(const held &from) : bytes(from.bytes), length(from.length) { sink += length; }
    ~held() { sink -= length; }
    static size_t sink;
};
size_t held::sink;
__attribute__((noinline)) size_t take(held h, const held &r) { held::sink += h.length + r.length + (size_t)h.bytes[0]; return held::sink; }
int main() { held h("apples", 5), r("pears", 4); return take(h, r) == 0; }
END
for compiler in g++ clang++; do
    "$compiler" -O1 -g -o classes texts.cc || { not_ok "$compiler compiles"; continue; }
    "$fisql" record -q --values=take ./classes && "$fisql" load -q run.bin
    has "$compiler: a class that is copied, and a reference" 'take(h="apple", r="pear")' \
        "$(sql run.db "SELECT text FROM call_text WHERE text GLOB 'take*'")"
done

# Wide text is recorded as UTF-8, cut at a character; what is no character is U+FFFD.
cat >wide.c <<'C'
#include <uchar.h>
#include <wchar.h>
#include <sys/mman.h>
static volatile int sink;
__attribute__((noinline)) int wide(const wchar_t *text) { sink = 1; return text == 0 || text == (void *)64; }
__attribute__((noinline)) int sixteen(const char16_t *text) { sink = 2; return text[0]; }
__attribute__((noinline)) const char32_t *rest(const char32_t *text) { sink = 3; return text + 1; }
__attribute__((noinline)) int numbers(const int *number) { sink = 4; return *number; }
int main(void)
{
    static const char16_t lone[] = {0xd83d, 65, 0xdc00, 0};
    static const int number[] = {65, 0};
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    wchar_t *end = (wchar_t *)(pages + 4096) - 2;
    mprotect(pages + 4096, 4096, PROT_NONE);
    end[0] = 66, end[1] = 0;
    wide(L"h\u00e9llo \U0001F600");
    wide(L"");
    wide(L"123456789012345678901234567890123456789012345678901234567890123\u20ac");
    wide(end);
    end[1] = 67; /* no end before the page that cannot be read */
    wide(end);
    wide((void *)64);
    wide(0);
    sixteen(u"h\u00e9 \U0001F600!");
    sixteen(lone);
    rest(U"x\u20ac");
    numbers(number);
    return 0;
}
C
for with in "gcc -O0" "gcc -O2" "clang -O1"; do
    # shellcheck disable=SC2086 # words
    "$fisql" cc $with -g -w -o wide wide.c && "$fisql" record -q --values ./wide && "$fisql" load -q run.bin
    same "wide text ($with)" 'wide(text="héllo 😀") = 0
wide(text="") = 0
wide(text="123456789012345678901234567890123456789012345678901234567890123"...) = 0
wide(text="B") = 0
wide(text=?) = 0
wide(text=?) = 1
wide(text=NULL) = 1
sixteen(text="hé 😀!") = 104
sixteen(text="�A�") = 55357
rest(text="x€") = "€"' "$(sql run.db "SELECT text FROM call_text WHERE text NOT LIKE 'main%' AND text NOT LIKE 'numbers%' ORDER BY call_id")"
    same "an int * is no wide text ($with)" pointer "$(sql run.db "SELECT kind FROM parameters WHERE name = 'number'")"
    same "an expression on one ($with)" "wide(text=\"héllo 😀\", text[1]=233) = 0" "$("$fisql" record -q --values --value 'wide: text[1]' ./wide
        "$fisql" load -q run.bin
        sql run.db "SELECT text FROM call_text WHERE text LIKE 'wide%' ORDER BY call_id LIMIT 1")"
done
