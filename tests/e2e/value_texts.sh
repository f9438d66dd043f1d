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
