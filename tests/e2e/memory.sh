#!/bin/bash
# Blocks are what the program made them: operators new whose new-handler allocates, frees, throws or jumps,
# and libraries with operators of their own.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# blocks FUNCTION...: what each of these functions allocated, and how it was freed
blocks() {
    local names=$1
    for name in "${@:2}"; do names="$names','$name"; done
    sql run.db "SELECT f.name || ' ' || a.kind || ' ' || a.size || ' ' || coalesce(free_kind, '-') || ' ' || count(*) FROM allocs a
        JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id
        WHERE f.name IN ('$names') AND a.size NOT BETWEEN 130 AND 200 GROUP BY f.name, a.kind, a.size, free_kind ORDER BY 1"
}
wrong() { sql run.db "SELECT (SELECT count(*) FROM free_errors) || ' ' || coalesce(sum(mismatched), 0) FROM block_flows"; }

for cxx in g++ clang++; do
    build $cxx newhandlers -std=c++17 -fsized-deallocation -O1 -g -fno-builtin "$programs/newhandlers.cc" || continue
    same "new-handlers ($cxx): the program is untouched" ok "$("$fisql" record -q ./newhandlers)"
    "$fisql" load -q run.bin
    same "new-handlers ($cxx): what the operators got is new's, though malloc failed before" "get malloc 20 free 2
get malloc 314576896 free 2
get new(align) 314572800 delete(align) 4
get new[] 314572800 delete[] 4" "$(blocks get)"
    same "new-handlers ($cxx): what the handlers got is their own" "allocates malloc 20 free 2
allocates malloc 314576896 free 2
on_signal malloc 30 free 2
uses_new new 8 delete(size) 2
uses_new new[] 314576896 delete[] 2" "$(blocks allocates uses_new on_signal jumps throws)"
    same "new-handlers ($cxx): malloc after a new that failed is malloc's" "fail_by_jump malloc 102 free 1
fail_by_jump malloc 314576896 free 1
fail_by_throw malloc 100 free 1
fail_nothrow malloc 101 free 1
fail_without_handler malloc 103 free 1" "$(blocks fail_by_jump fail_by_throw fail_nothrow fail_without_handler)"
    same "new-handlers ($cxx): no wrong free" "0 0" "$(wrong)"
    same "new-handlers ($cxx): the query agrees" "" "$("$fisql" query mismatched-frees --format csv | tail -n +2)"

    build $cxx onlynew -std=c++17 -g -O1 -fno-builtin "$programs/onlynew.cc" || continue
    $cxx -std=c++17 -g -O1 -fno-builtin -w -o onlynew_plain "$programs/onlynew.cc"
    for program in onlynew onlynew_plain; do
        "$fisql" record -q ./$program
        "$fisql" load -q run.bin
        same "$program ($cxx): what an own operator new got is no mismatch, another block is" "wrong malloc delete 1" "$(sql run.db "
            SELECT freed_by || ' ' || kind || ' ' || substr(free_kind, 1, 6) || ' ' || blocks FROM mismatched_frees")"
        same "$program ($cxx): an own operator new allocates for its callers" "right 5
wrong 1" "$(sql run.db "SELECT f.name || ' ' || a.blocks FROM alloc_places p JOIN alloc_stacks a ON a.id = p.stack_id
            JOIN functions f ON f.id = p.function_id WHERE NOT p.wrappers AND a.max_size < 100 ORDER BY 1")"
    done

    # Operators new and delete of a library's own, with hooks and without.
    for hooks in "" "$fisql cc"; do
        # shellcheck disable=SC2086 # words
        $hooks $cxx -w -g -O1 -fno-builtin -shared -fPIC -o libown.so "$programs/ownoperators.cc"
        what="own operators ($cxx, ${hooks:+with hooks}${hooks:-without hooks})"
        what=${what/$fisql cc/}
        build $cxx own -std=c++17 -g -O1 -fno-builtin -DUSER "$programs/ownoperators.cc" -L. -lown -Wl,-rpath,. || continue
        same "$what: the program is untouched" ok "$("$fisql" record -q ./own)"
        "$fisql" load -q run.bin
        same "$what: what they return is new's" "headed new 1000 1
plain new[] 64 1
small new 1 3" "$(sql run.db "SELECT f.name || ' ' || a.kind || ' ' || a.size || ' ' || count(free_ns) FROM allocs a
            JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id
            WHERE kind LIKE 'new%' GROUP BY f.name, a.kind, a.size ORDER BY 1")"
        same "$what: what else they allocate is malloc's" "1000 1
1016 1
64 2
8 1" "$(sql run.db "SELECT size || ' ' || count(free_ns) FROM allocs WHERE kind = 'malloc' AND size IN (8, 64, 1000, 1016) GROUP BY size ORDER BY 1")"
        same "$what: no wrong free" "0 0" "$(wrong)"
    done
done

# The C library keeps the words of a dlsym() that found nothing, and the next one frees them: those of ours are no
# block of the program's, and the program sees no error of ours.
cat >looks.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    int wrong = dlerror() != NULL;
    wrong += dlsym(RTLD_DEFAULT, "printf") == NULL;
    wrong += dlsym(RTLD_DEFAULT, "nobody_has_this") != NULL;
    wrong += dlerror() == NULL;
    return wrong;
}
C
for options in "" --static-runtime; do
    "$fisql" cc $options gcc -g -o looks looks.c -ldl
    "$fisql" record -q ./looks
    same "a program's dlsym ($options): it is untouched" 0 $?
    "$fisql" load -q run.bin
    same "a program's dlsym ($options): no wrong free" "0 0" "$(wrong)"
done

# Blocks that a library without hooks allocates are said to lie in its function, as far as what it exports tells.
cat >library.c <<'C'
#include <stdlib.h>
static __attribute__((noinline)) void *hidden(size_t size) { char *block = malloc(size); __asm__ volatile("" : : "r"(block)); return block; }
void *lib_make(void) { char *block = malloc(10); __asm__ volatile("" : : "r"(block)); return block; }
void *lib_hides(void) { char *block = hidden(20); __asm__ volatile("" : : "r"(block)); return block; }
C
cat >user.c <<'C'
#include <stdlib.h>
#include <string.h>
void *lib_make(void), *lib_hides(void);
int main(void)
{
    void *blocks[] = {lib_make(), lib_hides(), strdup("a block of the C library's")};
    for (int i = 0; i < 3; i++)
        free(blocks[i]);
}
C
for strip in "" -s; do
    gcc -O1 -shared -fPIC $strip -o liblibrary.so library.c
    build gcc user -O1 -fno-builtin user.c -L. -llibrary -Wl,-rpath,. || continue
    "$fisql" record -q ./user && "$fisql" load -q run.bin
    same "a library without hooks${strip:+, stripped}: places of its blocks" "10 in lib_make
20 $([ -n "$strip" ] && echo liblibrary.so || echo in hidden)
27 in strdup" "$(sql run.db "SELECT a.size || ' ' || s.location FROM allocs a JOIN site_details s ON s.id = a.site_id
        JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id WHERE f.name = 'main' ORDER BY 1" |
        sed 's/+0x.*//; s/__strdup/strdup/')"
    same "a library without hooks${strip:+, stripped}: it is not said to lack symbols" "" "$("$fisql" load run.bin 2>&1 | grep -i symbols)"
done
