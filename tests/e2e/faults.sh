#!/bin/bash
# record --fault: calls fail as rules say and no others do, their callers' registers and memory are as they were, and
# the database tells what was done. What a program prints is compared with what it prints without faults.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# faulty PROGRAM WORD... -- RULE...: records it; sets out, err, status, and `changed`, its lines that are others now
faulty() {
    local program=$1 words=() rules=()
    shift
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    for rule; do rules+=(--fault "$rule"); done
    run "$fisql" record -o run.bin "${rules[@]}" "./$program" "${words[@]}"
    changed=$(diff <("./$program" "${words[@]}") out | sed -n 's/^> //p' | paste -sd'|')
}
# changes WHAT PROGRAM EXPECTED RULE...
changes() {
    local what=$1 program=$2 expected=$3
    shift 3
    faulty "$program" -- "$@"
    same "$what" "$expected 0" "$changed $status"
}
# wrong WHAT PART-OF-THE-MESSAGE RULE
wrong() {
    run "$fisql" record -o run.bin --fault "$3" ./faulty
    has "$1" "$2" "$err"
    same "$1: nothing is run" "2 " "$status $out"
}
struck() { sql run.db "SELECT group_concat(struck, ' ') FROM (SELECT struck FROM fault_rules ORDER BY id)"; }

each() { # COMPILER FLAG...
    local with="$*"
    build "$1" faulty -g "${@:2}" "$programs/faulty.c" || return
    changes "$with: an int" faulty "twice 77" 'twice nth=7: return 77'
    changes "$with: callers' registers are as they were" faulty "mix -1, 1 2 3 4 5 6|mix -1, 1 2 3 4 5 6" 'mix every=2: return -1'
    changes "$with: double and float" faulty "half 0.25 third -1.5" 'half: return 0.25' 'third: return -1.5'
    changes "$with: an integer for a double" faulty "half -3 third 2" 'half: return -3'
    changes "$with: bool and enum" faulty "is_even 1 colour_of 0" 'is_even: return true' 'colour_of: return 0'
    changes "$with: a pointer, when a text is passed" faulty "skip NULL" 'skip when text="/etc/x" when n>0: return NULL'
    changes "$with: no other text" faulty "" 'skip when text="/etc/": return NULL'
    changes "$with: void" faulty "told 0|room_on_stack 20 inlined 1 deep 5" 'tell: return'
    changes "$with: a frame of unknown size" faulty "room_on_stack -5 inlined 6 deep 5" 'room_on_stack: return -5'
    changes "$with: recursion" faulty "room_on_stack 20 inlined 6 deep 103" 'deep when n=2: return 100'
    changes "$with: an outer call counts for in" faulty "mix 144, 1 2 3 4 5 6" 'twice nth=2 in mix: return 100'
    changes "$with: malloc under a function" faulty "parse_item 1: Cannot allocate memory|parse_item 2: Cannot allocate memory" \
        'malloc when size>10 in parse_*: fail'
    changes "$with: its errno" faulty "parse_item 0: Resource temporarily unavailable" 'malloc nth=1 in parse_item: return 0 errno EAGAIN'
    changes "$with: the rest of the family" faulty "calloc NULL, errno 12|realloc NULL, kept|posix_memalign 12, errno 0" \
        'calloc in allocate: fail' 'realloc in allocate: fail' 'posix_memalign: fail'
    changes "$with: calls of the C library" faulty "read -1, errno 4|close -1, errno 5, closed|fread 0, error 1" \
        'read: return -1 errno EINTR' 'close: fail' 'fread: fail'
    changes "$with: open by its path" faulty "open /etc/passwd: Too many open files|fopen Permission denied" \
        'open when path="/etc/passwd": return -1 errno EMFILE' 'fopen when path="/etc/passwd": return NULL errno EACCES'
    changes "$with: a short read" faulty "read 2, errno 0" 'read: return 2'
    changes "$with: another path" faulty "" 'open when path="/etc/passw": fail'
}
for compiler in gcc clang; do
    for level in -O0 -O2; do each $compiler $level; done
done
each gcc -O3 -fno-omit-frame-pointer -fstack-protector-all
build gcc faulty -g -O1 "$programs/faulty.c"

# What the database tells.
faulty faulty -- 'malloc nth=2 in parse_*: return 0' 'twice every=3: return -1 errno EIO' 'other_item nth=99: return 0' 'read: mark'
has "a rule that never struck is said" "fisql: --fault other_item nth=99: return 0: it never struck: 3 calls were made" "$err"
"$fisql" load -q run.bin
same "what was reached and struck" "3 1|8 2|3 0|1 1" "$(sql run.db "SELECT group_concat(reached || ' ' || struck, '|') FROM (SELECT * FROM fault_rules ORDER BY id)")"
same "where" "main => calls => mix => twice|main => calls => twice|main => calls => parse_item|main => calls => use_files" \
    "$(sql run.db "SELECT group_concat(stack, '|') FROM faults_view")"
same "each event's call is the one that failed" "twice -1|twice -1" \
    "$("$fisql" record -q -o v.bin --values --fault 'twice every=3: return -1' ./faulty >/dev/null && "$fisql" load -q v.bin && sql v.db "
    SELECT group_concat(f.name || ' -1', '|') FROM faults x JOIN calls c ON c.id = x.call_id JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id WHERE c.descendants = 0")"
same "their calls returned and called nothing" "0 0|0 0" "$(sql run.db "SELECT group_concat(c.ended || ' ' || c.descendants, '|') FROM faults x JOIN calls c ON c.id = x.call_id WHERE x.rule_id = 2")"
sound "with faults" run.db
same "trace shows them" "4 ! fault: malloc: return 0 errno ENOMEM" \
    "$("$fisql" trace --color never run.db | grep -c '! fault: ') $("$fisql" trace --color never run.db | sed -n 's/^.*\(! fault: malloc.*\)$/\1/p')"
if page_built "faults in the timeline of the report"; then
    has "so does the timeline of the report" 'fault: twice: return -1 errno EIO' "$("$fisql" report -o page.html run.db && cat page.html)"
fi
same "Chrome's trace" 4 "$("$fisql" export --format chrome run.db | grep -c '"ph":"i".*"name":"fault: ')"
has "Perfetto's" "fault: malloc: return 0 errno ENOMEM" "$("$fisql" export --format perfetto run.db | tr -d '\0')"
same "info counts them" "4" "$("$fisql" info run.db | sed -n 's/^faults *//p')"

# Threads and processes.
faulty faulty threads -- 'twice nth=4 per=thread: return -1'
same "once in each thread" "failed 4: 1 1 1 1" "$out"
faulty faulty threads -- 'twice every=5: return -1'
has "in all threads together" "failed 8:" "$out"
faulty faulty forks -- 'twice nth=3: return -1'
same "a child goes on counting where its parent was" "parent 1 child 1" "$out"
faulty faulty forks -- 'twice nth=3 per=run: return -1'
same "once in the run" 1 "$(tr -cd '1' <<<"$out" | wc -c)"
"$fisql" load -q run.bin
same "the run's counts are those of all processes" "7|1" "$(sql run.db 'SELECT reached, struck FROM fault_rules')"
faulty faulty loop 1000 -- 'is_even probability=0.1 seed=7: mark'
"$fisql" load -q run.bin && first=$(sql run.db 'SELECT count(*), sum(ns IS NULL), min(call_id), max(call_id) FROM faults')
faulty faulty loop 1000 -- 'is_even probability=0.1 seed=7: mark'
"$fisql" load -q run.bin
same "the same seed strikes the same calls" "$first" "$(sql run.db 'SELECT count(*), sum(ns IS NULL), min(call_id), max(call_id) FROM faults')"
at_least "about a tenth of them" 60 "$(sql run.db 'SELECT count(*) FROM faults')"
at_least "not all" 1 "$(sql run.db 'SELECT count(*) < 140 FROM faults')"

# What is no result.
faulty faulty -- 'twice nth=6: signal SIGTERM'
same "a signal ends it" 143 "$status"
"$fisql" load -q run.bin
same "and is in the database" "1 15" "$(struck) $(sql run.db 'SELECT signal FROM processes')"
faulty faulty -- 'twice nth=6: exit 9'
same "exit" 9 "$status"
faulty faulty -- 'twice nth=2: delay 30ms'
same "delay changes nothing" " 0" "$changed $status"
"$fisql" load -q run.bin
at_least "but the time" 30000000 "$(sql run.db 'SELECT max(duration_ns) FROM calls')"

# Files of rules.
printf '%s\n' '# both' '' 'half: return 1' '  third: return 2  ' >rules
run "$fisql" record -q -o run.bin --faults rules ./faulty
has "rules from a file" "half 1 third 2" "$out"
echo 'half: retrun 1' >>rules
run "$fisql" record -q -o run.bin --faults rules ./faulty
has "an error names its line" "fisql: rules:5: retrun: no such action" "$err"
has "and points at the word" "          ^" "$err"

# What cannot be.
wrong "a misspelt function" "twise: no function with hooks has this name; did you mean twice?" 'twise: return 1'
wrong "a misspelt call" "mallok: no function with hooks has this name; did you mean malloc?" 'mallok: return 0'
wrong "a misspelt place" "parse_itm: no function with hooks has this name; did you mean parse_item?" 'malloc in parse_itm: return 0'
wrong "a misspelt argument" "skip has no argument \`txt\`: there are text, n" 'skip when txt="a": return NULL'
wrong "a misspelt argument of a call" "open has no argument \`file\`: there are: path flags mode" 'open when file="a": fail'
wrong "a misspelt condition" "nht=3: no such condition" 'malloc nht=3: return 0'
wrong "a misspelt errno" "ENOMEN: no such errno value; did you mean ENOMEM?" 'malloc: return 0 errno ENOMEN'
wrong "a value of no function" "tell: it returns nothing (void)" 'tell: return 1'
wrong "a missing value" "twice: it returns a value: say which" 'twice: return'
wrong "a decimal number of an int" "twice: it returns an integer or a pointer, no decimal number" 'twice: return 1.5'
wrong "a struct" "pair_of: a result of this type cannot be made" 'pair_of: return 1'
wrong "a function without code of its own" "inlined: it is inlined wherever it is called" 'inlined: return 1'
wrong "free" "free does not fail" 'free: fail'
wrong "a missing colon" "a colon is missing before the action" 'malloc return 0'
wrong "a block out of nothing" "malloc can return 0 (NULL) alone" 'malloc: return 5'
wrong "a quote without end" "a quote that begins here has no end" 'open when path="/etc: fail'
run "$fisql" record -q -o run.bin --fault 'open when path="/x": return -1 errno EDOM' ./faulty
has "an errno that the call does not give is said" "open does not give EDOM" "$err"
same "and given" 0 "$status"
build gcc plain_static -static "$programs/smallest.c" 2>/dev/null &&
    has "a static program is refused" "its calls cannot be made to fail" "$("$fisql" record -o run.bin --fault 'malloc: fail' ./plain_static 2>&1)"
"$fisql" cc gcc -g0 -O1 -o undescribed "$programs/faulty.c" -lpthread && strip -g undescribed
has "a program without debug information is refused" "there is no debug information" "$("$fisql" record -o run.bin --fault 'twice: return 1' ./undescribed 2>&1)"
same "but not where its functions are not named" "mark 1" "$("$fisql" record -q -o run.bin --fault 'open: mark' ./undescribed >/dev/null && "$fisql" load -q run.bin 2>/dev/null; sql run.db 'SELECT action, struck FROM fault_rules' | tr '|' ' ')"

# C++.
cxx() { # COMPILER FLAG...
    local with="$*"
    build "$1" faultycc -g "${@:2}" "$programs/faulty.cc" || return
    changes "$with: exceptions" faultycc "runtime_error: injected|int 5|text words|main: std::bad_alloc" \
        'reader::next nth=2: throw std::runtime_error("injected")' 'reader::next nth=3: throw int(5)' \
        'reader::next nth=4: throw const char *("words")' 'reader::text when from="hello": throw std::bad_alloc'
    "$fisql" load -q run.bin
    same "$with: their calls were unwound" "1|1|1|1" "$(sql run.db "SELECT group_concat(c.ended, '|') FROM faults x JOIN calls c ON c.id = x.call_id")"
    same "$with: the database is sound" "ok 0" "$(sql run.db 'PRAGMA integrity_check') $(sql run.db "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")"
    changes "$with: operators new" faultycc "new: std::bad_alloc|new[]: std::bad_alloc|nothrow NULL" \
        'operator new in allocate: fail' 'operator new[] in allocate: fail'
}
for compiler in g++ clang++; do
    for level in -O0 -O2; do cxx $compiler $level; done
done

# Rules with `after`: the body has run, its objects are gone, and the caller gets what the rule says.
after() { # WHAT
    changes "$1: after the body" after "~number number -1 errno 5|~number number threw after|real 0.25|~nothing nothing threw 9, 5|word NULL|deep 101|~thrower thrower -7|~passes passes errno 11|~number mix -5|write -1 errno 28, at 5|close -1 errno 5, then -1" \
        'number after nth=2: return -1 errno EIO' 'number after nth=3: throw std::runtime_error("after")' 'real after: return 0.25' \
        'nothing after: throw int(9)' 'word after: return NULL' 'deep after when n=2: return 100' 'thrower after: return -7' \
        'passes after: return errno EAGAIN' 'mix after: return -5' 'write after: return -1 errno ENOSPC' 'close after nth=1: fail'
    "$fisql" load -q run.bin
    same "$1: each struck once, what an exception left did not" "1 1 1 1 1 1 1 1 1 1 1|11" "$(struck)|$(sql run.db 'SELECT count(*) FROM faults')"
    same "$1: the database is sound" "ok 0" "$(sql run.db 'PRAGMA integrity_check') $(sql run.db "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")"
    changes "$1: the errno alone" after "~number number 2 errno 5" 'number after nth=1: return errno EIO'
    changes "$1: a function that ends with a call of another one" after "~number tail 50" 'tail after: return 50'
}
for compiler in g++ clang++; do
    for level in -O0 -O2; do
        build $compiler after -g $level "$programs/after.cc" && after "$compiler $level"
    done
done
for level in -O0 -O1; do
    g++ -g $level -o after "$programs/after.cc" && after "as it is $level"
done
g++ -g -O2 -o after "$programs/after.cc"
changes "as it is: a function that jumps to another one" after "~number tail 50" 'tail after: return 50'
changes "as it is: the one that it jumps to" after "~number tail -3|~number mix 77" 'number after nth=4: return -3' 'number after nth=5: return -1'
changes "as it is: both" after "~number tail 51" 'number after nth=4: return -3' 'tail after: return 51'
after_wrong() { # PART-OF-THE-MESSAGE RULE
    run "$fisql" record -o run.bin --fault "$2" ./after
    has "$2: is refused" "$1" "$err"
    same "$2: nothing is run" "2 " "$status $out"
}
after_wrong "after the allocation its block would be lost" 'malloc after: fail'
after_wrong 'it returns a value: say which, or `errno NAME`' 'number after: return'
after_wrong "write returns an integer or a pointer: say which" 'write after: return'

# Classes of the program: made by their constructors, and destroyed.
own_classes() { # WHAT
    changes "$1: classes of the program" throws "Code 3|~Code 3|runtime Text: a text of more than fifteen bytes|Inlined in|Plain 5|View view|Nothing 77|Real 2.5|Hidden hid|ByValue long enough to be on the heap" \
        'step nth=1: throw store::Code(3)' 'step nth=2: throw Text("a text of more than fifteen bytes")' 'step nth=3: throw Inlined("in")' \
        'step nth=4: throw store::Plain(5)' 'step nth=5: throw View("view")' 'step nth=6: throw Nothing' 'step nth=7: throw Real(2.5)' \
        'step nth=8: throw Hidden("hid")' 'step nth=9: throw ByValue("long enough to be on the heap")'
    has "$1: one without a constructor of its own is said" "no constructor of store::Plain has code of its own: the exception is that number, and zeros" "$err"
    changes "$1: an allocation throws one" throws "Code -1|~Code -1" 'operator new nth=1: throw store::Code(-1)'
}
refused() { # PART-OF-THE-MESSAGE ACTION
    run "$fisql" record -o run.bin --fault "step: $2" ./throws
    has "$2: is refused" "$1" "$err"
    same "$2: nothing is run" "2 " "$status $out"
}
for compiler in g++ clang++; do
    for level in -O0 -O2; do
        build $compiler throws -g -std=c++17 $level "$programs/throws_own.cc" && own_classes "$compiler $level"
    done
done
refused "no type information of a class of this name" 'throw Code_'
refused "store::Code cannot be made of nothing: there are Code(int)" 'throw Code'
refused "store::Code cannot be made of a text" 'throw Code("x")'
refused "there are several: " 'throw Twin(1)'
refused "wants a type" 'throw Code(3'
refused "is made of a number, a text in quotes, or nothing" 'throw Code(abc)'
g++ -g -std=c++17 -O0 -o throws "$programs/throws_own.cc" && own_classes "as it is"
g++ -g -std=c++17 -O2 -o throws "$programs/throws_own.cc"
refused "Hidden cannot be made of a text: its constructors are inlined" 'throw Hidden("x")'

# What docs/faults.md shows.
sed -n '/^```c$/,/^```$/p' "$here/docs/faults.md" | sed '1d;$d' >save.c
sed -n '/^```console$/,/^```$/p' "$here/docs/faults.md" | grep -v '^```' >shown
PATH=$FISQL_BUILD:$PATH bash -c "$(sed -n 's/^\$ //p' shown)" 2>&1 | sed "s|$TEST_TMP|/home/you|; s/^-\(-*  *\)*-*$/-/; s/  */ /g" >printed
sed -i 's/^-\(-*  *\)*-*$/-/; s/  */ /g' shown
same "the manual's example prints what it says" "$(grep -v '^\$ ' shown)" "$(cat printed)"
while IFS= read -r call; do
    has "the manual has $call" "\`$call\`" "$(cat "$here/docs/faults.md")"
done < <(sed -n 's/^    X(\([a-z_0-9]*\),.*/\1/p' "$here/formats/fault_calls.h")
