#!/bin/bash
# Arguments and results of programs that are recorded as they are: what the program itself says of its calls, what
# recording by compiled hooks says, and what gdb says; and faults in such programs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped - programs as they are: this is not x86-64"
    exit 0
fi
values=$programs/values
compilers="gcc"
command -v clang >/dev/null && compilers="gcc clang"

# values_of PROGRAM [OPTION...]: records it into x.db; sets out, err and status
values_of() {
    local program=$1
    shift
    rm -f x.bin x.db
    run "$fisql" record -o x.bin --values "$@" "./$program"
    "$fisql" load -q x.bin
}

# ---- a program that tells its calls: recursion, threads, exceptions, longjmp, all kinds of places
tells() { # WHAT COMPILER FLAG...
    local what=$1 names
    shift
    "$@" -std=c++17 -g -w -o tells "$programs/any_values.cc" -lpthread || { not_ok "$what: it builds"; return; }
    ./tells >plain.out
    values_of tells
    same "$what: the program does what it does" "0 $(sort plain.out)" "$status $(sort out)"
    has "$what: it is recorded as it is" "./tells: recorded as it is" "$err"
    sed -n 's/(.*//p' out | sort -u >names
    names=$(sed "s/.*/'&'/" names | paste -sd,)
    grep '(' out | sort >told
    sql x.db "SELECT text FROM call_text WHERE substr(text, 1, instr(text, '(') - 1) IN ($names)" | sort >found
    # clang may change what only this file calls: such results are not known, nor all arguments
    [[ $* != *clang*-O[123]* ]] || sed -i '/^compare(/d' told found
    at_least "$what: it tells of calls" 490 "$(wc -l <told)"
    same "$what: its arguments and results are what it says" "" "$(diff told found | head -n 10)"
    same "$what: the calls have their exits" "" "$(sql x.db "SELECT kind || ' ' || count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY kind")"
    same "$what: none is lost" 0 "$(sql x.db 'SELECT count(*) FROM losses')"
}
levels=(-O0 -O2)
brief || levels+=(-O1 -O3 "-O2 -fno-pie -no-pie" "-O2 -fcf-protection=full")
for compiler in $compilers; do
    cxx=g++
    [ $compiler = clang ] && cxx=clang++
    for flags in "${levels[@]}"; do
        # shellcheck disable=SC2086 # a list of words
        tells "$cxx $flags" $cxx $flags
    done
done

# ---- against the hooks: all types, 1 to 40 parameters
against() { # WHAT LEAST MISSING SOURCE COMPILER...
    local what=$1 least=$2 missing=$3 source=$4
    shift 4
    "$@" -g -w -o as_is "$source" 2>/dev/null || { echo "skipped - $what: it does not build here"; return; }
    values_of as_is
    python3 "$here/tests/e2e/any_values.py" hooks.db x.db >compared.txt
    same "$what: no value is another" "" "$(sed '$d' compared.txt)"
    at_least "$what: values are the same" "$least" "$(sed -n '$s/ .*//p' compared.txt)" "$(tail -n 3 compared.txt)"
    at_least "$what: not more are missing" "$(sed -n '$s/.* \([0-9]*\) missing/\1/p' compared.txt)" "$missing" "$(tail -n 1 compared.txt)"
}
hooks_of() { # SOURCE COMPILER...
    "$fisql" cc "${@:2}" -O0 -g -w -o hooks "$1"
    "$fisql" record -q -o hooks.bin --values ./hooks >/dev/null
    "$fisql" load -q -o hooks.db hooks.bin
}
python3 "$here/tests/gdb/many.py" >many.c
hooks_of "$values/types.c" gcc
for compiler in $compilers; do
    against "C, $compiler -O0" 97 0 "$values/types.c" $compiler -O0
    against "C, $compiler -O2" 50 6 "$values/types.c" $compiler -O2
done
hooks_of many.c gcc
against "1 to 40 parameters, gcc -O0" 1600 0 many.c gcc -O0
# Of gcc with optimisation: what copies made for some calls are not passed.
against "1 to 40 parameters, gcc -O2" 850 45 many.c gcc -O2
# Of clang: a part of struct mixed that no function uses, and in versions 18 and 19 __int128 and what is behind it.
if [ "$compilers" != gcc ]; then
    case $(clang -dumpversion) in
        18.* | 19.*) least=(1250 350 600 210) ;;
        [2-9][0-9].*) least=(1600 0 740 70) ;;
        *) least=(1600 0 790 20) ;;
    esac
    against "1 to 40 parameters, clang -O0" "${least[0]}" "${least[1]}" many.c clang -O0
    against "1 to 40 parameters, clang -O2" "${least[2]}" "${least[3]}" many.c clang -O2
fi

# ---- what clang leaves out, and what it does not
# clang 19 passes these less: it sees through the table.
either='s/^((in_table|both)\(used=1, unused=)2\)/\1?)/'
leaves_out() { # FLAG
    clang "$1" -g -w -o as_is "$values/clang_leaves_out.c" || { not_ok "clang $1: it builds"; return; }
    values_of as_is
    same "clang $1: what is passed and returned is known, no more" "lonely(used=1, unused=?) = ?
taken(used=1) = 2
handed_on(used=1) = 3
passes_on(first=1, second=2) = 0
inner(first=1, second=2) = -1
hidden(used=1) = 5
in_table(used=1, unused=?) = 7
in_variable(used=1, unused=2) = 11
calls(function=handed_over, first=1, second=2)
handed_over(used=1, unused=2) = 13
calls(function=both, first=1, second=2)
both(used=1, unused=?) = 17
both(used=1, unused=?) = 17" "$(sql x.db "SELECT text FROM call_text t JOIN calls c ON c.id = t.call_id
        WHERE text NOT GLOB 'main*' AND text NOT GLOB 'hands_on*' ORDER BY c.id" | sed -E "$either")"
}
# A library calls what it exports by its table of links: there, too, clang leaves out what is not used.
library_leaves_out() { # WHAT COMMAND...: done to the library
    local what=$1
    shift
    clang -O2 -g -fPIC -shared -o libleaves.so leaves.c && "$@" libleaves.so &&
        gcc -O2 -g -o as_is leaving.c ./libleaves.so -Wl,-rpath,"\$ORIGIN" || { not_ok "$what: it builds"; return; }
    values_of as_is
    same "$what: what its own calls leave out is not known" "exported(1, ?) = 1
exported(1, ?) = 1
outer(1) = 2" "$(sql x.db "SELECT text FROM call_text WHERE text NOT GLOB 'main*' ORDER BY text" | sed 's/[a-z][a-z]*=//g' | sort)"
}
if [ "$compilers" != gcc ]; then
    for flag in -O1 -O2 -O3 -Oz; do leaves_out $flag; done
    cat >leaves.c <<'C'
volatile int sink;
__attribute__((noinline)) int exported(int used, int unused) { sink += used; return used; }
__attribute__((noinline)) int outer(int used) { sink++; return exported(used, used * 3) + 1; }
C
    cat >leaving.c <<'C'
int outer(int);
int exported(int, int);
int main(int count, char **arguments) { return outer(count) + exported(count, 77) == 0; }
C
    library_leaves_out "a library by clang" true
    library_leaves_out "a stripped library by clang" strip
fi

# ---- what gdb says of its arguments and results
if command -v gdb >/dev/null; then
    cat >asked.c <<'C'
#include <stdio.h>
__attribute__((noinline)) long steps(long n, double half) { long found = n < 3 ? n : steps(n - 1, half / 2) + (long)half; return found; }
int main(void) { printf("%ld\n", steps(9, 300.5)); return 0; }
C
    gcc -O0 -g -o asked asked.c
    cat >commands.gdb <<'G'
break steps
commands
silent
printf "steps(n=%ld, half=%.10g)\n", n, half
continue
end
run
G
    gdb -batch -nx -x commands.gdb ./asked 2>/dev/null | grep '^steps' >gdb.txt
    gdb -batch -nx -ex 'break steps if n == 4' -ex run -ex finish ./asked 2>/dev/null | sed -n 's/^Value returned is .* = //p' >>gdb.txt
    values_of asked
    same "gdb reads the same" "$(cat gdb.txt)" "$(sql x.db "SELECT replace(substr(text, 1, instr(text, ' = ') - 1), '.0)', ')') FROM call_text t
        JOIN calls c ON c.id = t.call_id WHERE text LIKE 'steps%' ORDER BY c.id" | sed 's/\.0)$/)/')
$(sql x.db "SELECT substr(text, instr(text, ' = ') + 3) FROM call_text WHERE text LIKE 'steps(n=4,%'")"
else
    echo "skipped - what gdb reads: there is no gdb"
fi

# ---- tail calls: the function that jumps away has no result of its own, the other one has
cat >tail.c <<'C'
#include <stdio.h>
#define APART __attribute__((noinline))
APART int inner(int n) { __asm__(""); return n * 2; }
APART int outer(int n) { __asm__(""); return inner(n + 1); }
APART int outermost(int n) { __asm__(""); return outer(n + 1); }
int main(void) { int sum = 0; for (int i = 0; i < 3; i++) sum += outermost(i); printf("%d\n", sum); return 0; }
C
gcc -O2 -g -o tail tail.c
values_of tail
same "tail calls: results are those of the last" "inner(n=2) = 4
inner(n=3) = 6
inner(n=4) = 8
outer(n=1) = ?
outer(n=2) = ?
outer(n=3) = ?
outermost(n=0) = ?
outermost(n=1) = ?
outermost(n=2) = ?" "$(sql x.db "SELECT text FROM call_text WHERE text NOT LIKE 'main%' ORDER BY text")"
values_of tail "--no-results"
same "--no-results" 0 "$(sql x.db 'SELECT count(*) FROM call_values WHERE position = 0')"
rm -f x.bin x.db
"$fisql" record -q -o x.bin "--values=inner" ./tail >/dev/null && "$fisql" load -q x.bin
same "a pattern: the functions that it names alone, though others jump to them" "inner(n=2) = 4
inner(n=3) = 6
inner(n=4) = 8" "$(sql x.db 'SELECT text FROM call_text t WHERE t.call_id IN (SELECT call_id FROM call_values) ORDER BY text')"
run "$fisql" record -o x.bin "--values=inher" ./tail
has "a pattern that matches nothing is said" "inher" "$err"
same "and nothing is run" "2 " "$status $out"
rm -f x.bin x.db
"$fisql" record -q -o x.bin --value 'inner: n * 10, n + 1' ./tail >/dev/null && "$fisql" load -q x.bin
same "--value" "2 20 3|3 30 4|4 40 5" "$(sql x.db "SELECT group_concat(v, '|') FROM (SELECT group_concat(value, ' ') v FROM
    (SELECT call_id, value FROM call_values WHERE position > 0 ORDER BY id) GROUP BY call_id)")"

# ---- hooks are there, and not used
"$fisql" cc gcc -O1 -g -o hooked tail.c
values_of hooked --as-is
same "--as-is" "inner(n=2) = 4|inner(n=3) = 6|inner(n=4) = 8" "$(sql x.db "SELECT group_concat(text, '|') FROM (SELECT text FROM call_text WHERE text LIKE 'inner%' ORDER BY text)")"

# ---- a stripped program, with and without its debug information
gcc -O2 -g -Wl,--build-id -o stripped tail.c
objcopy --only-keep-debug stripped stripped.debug
objcopy --strip-all --add-gnu-debuglink=stripped.debug stripped
values_of stripped
same "debug information in a file of its own" "inner(n=2) = 4|inner(n=3) = 6|inner(n=4) = 8" \
    "$(sql x.db "SELECT group_concat(text, '|') FROM (SELECT text FROM call_text WHERE text LIKE 'inner%' ORDER BY text)")"
rm stripped.debug
values_of stripped
has "without any this is said" "stripped: no debug information: its arguments and results are not recorded" "$err"
same "and the program is recorded without" "0 1 0" "$status $(sql x.db 'SELECT count(*) > 0 FROM calls') $(sql x.db 'SELECT count(*) FROM call_values')"
has "the database says so" "no debug information" "$(sql x.db "SELECT detail FROM losses WHERE reason = 'arguments and results not recorded'")"

# ---- a library that the program opens, and programs that it runs
gcc -O1 -g -shared -fPIC -o libown.so -xc - <<'C'
int opened(int n) { return n * n * n + n / 7 + 100; }
C
gcc -O1 -g -o opens -xc - -ldl <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("./libown.so", RTLD_NOW);
    int (*opened)(int) = library != NULL ? (int (*)(int))dlsym(library, "opened") : NULL;
    printf("%d\n", opened != NULL ? opened(11) : -1);
    return 0;
}
C
values_of opens
same "a library that is opened" "1432 opened(n=11) = 1432" "$out $(sql x.db "SELECT text FROM call_text WHERE text LIKE 'opened%'")"
rm -f x.bin x.db
run "$fisql" record -o x.bin --values sh -c './tail; ./tail; true'
"$fisql" load -q x.bin
same "programs that a shell runs" "6" "$(sql x.db "SELECT count(*) FROM call_text WHERE text GLOB 'inner(n=[234]) = [468]'")"

# ---- faults: the function does not run, no register but the result's changes
# changes WHAT PROGRAM EXPECTED RULE...: the lines that are others
changes() {
    local what=$1 program=$2 expected=$3 rules=()
    for rule in "${@:4}"; do rules+=(--fault "$rule"); done
    run "$fisql" record -q -o x.bin "${rules[@]}" "./$program"
    same "$what" "$expected 0" "$(diff <("./$program") out | sed -n 's/^> //p' | paste -sd'|') $status"
}
for compiler in $compilers; do
    for flags in -O0 -O2; do
        with="$compiler $flags"
        $compiler $flags -g -w -o faulty "$programs/faulty.c" -lpthread
        changes "$with: an int" faulty "twice 77" 'twice nth=7: return 77'
        changes "$with: callers' registers are as they were" faulty "mix -1, 1 2 3 4 5 6|mix -1, 1 2 3 4 5 6" 'mix every=2: return -1'
        changes "$with: double and float" faulty "half 0.25 third -1.5" 'half: return 0.25' 'third: return -1.5'
        changes "$with: bool and enum" faulty "is_even 1 colour_of 0" 'is_even: return true' 'colour_of: return 0'
        changes "$with: a pointer, when a text is passed" faulty "skip NULL" 'skip when text="/etc/x" when n>0: return NULL'
        changes "$with: no other text" faulty "" 'skip when text="/etc/": return NULL'
        changes "$with: void" faulty "told 0|room_on_stack 20 inlined 1 deep 5" 'tell: return'
        changes "$with: in another function" faulty "mix 144, 1 2 3 4 5 6" 'twice nth=2 in mix: return 100'
        changes "$with: malloc under a function" faulty "parse_item 0: Resource temporarily unavailable" 'malloc nth=1 in parse_item: return 0 errno EAGAIN'
        run "$fisql" record -o x.bin --fault 'twice every=3: return -1 errno EIO' --fault 'other_item nth=99: return 0' ./faulty
        has "$with: a rule that never struck is said" "other_item nth=99: return 0: it never struck: 3 calls were made" "$err"
        "$fisql" load -q x.bin
        same "$with: what was reached and struck" "8 2|3 0" "$(sql x.db "SELECT group_concat(reached || ' ' || struck, '|') FROM (SELECT * FROM fault_rules ORDER BY id)")"
        same "$with: their calls returned and called nothing" "0 0|0 0" "$(sql x.db "SELECT group_concat(c.ended || ' ' || c.descendants, '|') FROM faults x JOIN calls c ON c.id = x.call_id")"
        same "$with: the database is sound" "" "$(sql x.db "SELECT kind FROM anomalies WHERE kind <> 'unwound'")"
        run "$fisql" record -q -o x.bin --fault 'twice nth=4 per=thread: return -1' ./faulty threads
        same "$with: once in each thread" "failed 4: 1 1 1 1" "$out"
    done
    cxx=g++
    [ $compiler = clang ] && cxx=clang++
    $cxx -O2 -g -w -o faultycc "$programs/faulty.cc"
    changes "$cxx: exceptions" faultycc "runtime_error: injected|int 5|next 5" \
        'reader::next nth=2: throw std::runtime_error("injected")' 'reader::next nth=3: throw int(5)'
done
gcc -O1 -w -o undescribed "$programs/faulty.c" -lpthread
changes "without debug information" undescribed "twice 77|half 0.25 third 2" 'twice nth=7: return 77' 'half: return 0.25'
run "$fisql" record -o x.bin --fault 'twice when n=1: return 1' ./undescribed
has "but conditions on arguments need it" "there is no debug information" "$err"
run "$fisql" record -o x.bin --fault 'tvice: return 1' ./undescribed
has "a name that is misspelt" "no function that is recorded has this name; did you mean twice?" "$err"
