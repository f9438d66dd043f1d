#!/bin/bash
# Functions, files, lines and the instrumented flag as the loader's symbols tell them, against nm,
# llvm-symbolizer and objdump, for the ways in which programs are built.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

dump=$FISQL_BUILD/symbols_dump
programs=$here/tests/programs/symbols
cd "$TEST_TMP" || exit 2
cp "$programs"/* .

# The functions whose code calls the hook, by what objdump shows: their start addresses. Stubs of the
# linker's are no functions. `bare` is excluded by attribute, and only holds an inlined function's call.
calling() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { function_at = /@plt>|<\.plt|<bare>|<_ZT[vh]/ ? "" : $1; sub(/^0+/, "", function_at) }
        /__cyg_profile_func_enter[^+]*>/ && /\t(call|jmp|bl|b)/ && function_at != "" { found[function_at] = 1 }
        END { for (at in found) print at }' | sort
}

# Each function's line by the line table, from llvm-symbolizer: the opening line of the body.
lines_of() { # BINARY ADDRESS...
    local binary=$1
    shift
    printf '0x%s\n' "$@" | llvm-symbolizer --obj="$binary" --no-inlines --functions=none --output-style=GNU |
        sed 's/ (discriminator.*//; s/:[0-9]*$/&/'
}

# check_module WHAT MODULE [DEBUG-FILE [DUMP-ARGUMENT...]]: all that must hold of a module with debug information
check_module() {
    local what=$1 module=$2 debug=${3:-$2} list addresses ours theirs
    shift 2
    [ $# -gt 0 ] && shift
    list=$("$dump" "$@" "$module")
    same "$what: hooks are where objdump shows calls" "$(calling "$debug_code")" \
        "$(awk -F'\t' '$3 == 1 { print $1 }' <<<"$list" | sort)"
    mapfile -t addresses < <(awk -F'\t' '$4 !~ /^\?\?/ { print $1 }' <<<"$list")
    ours=$(awk -F'\t' '$4 !~ /^\?\?/ { print $4 }' <<<"$list")
    theirs=$(lines_of "$debug" "${addresses[@]}")
    same "$what: files and lines are those of the line table" "$theirs" "$ours"
    has "$what: main is named" "main" "$(cut -f5 <<<"$list")"
    # Every function of the symbol table is a piece of some function.
    same "$what: no symbol is left out" "" "$(comm -23 \
        <(readelf -sW "$debug" | awk '$4 == "FUNC" && $7 != "UND" { sub(/^0+/, "", $2); print $2 }' | sort -u) \
        <("$dump" -p "$@" "$module" | cut -f1 | sort -u) | head -3)"
}

if ! command -v llvm-symbolizer >/dev/null; then
    echo "not ok - llvm-symbolizer is not installed (package llvm)"
    exit 1
fi

compile() { # COMPILER OUTPUT FLAGS... FILES
    local compiler=$1 output=$2
    shift 2
    rm -f -- *.dwo
    debug_code=$output
    "$compiler" -g -finstrument-functions "$@" -o "$output" 2>err || {
        report 1 "$compiler $* compiles" "$(cat err)"
        return 1
    }
}

for compiler in gcc clang; do
    while read -r flags; do
        if [[ $flags == *=gold ]] && ! command -v ld.gold >/dev/null; then
            report 0 "skipped: gold is not here (package binutils-gold)"
            continue
        fi
        # shellcheck disable=SC2086 # a list of flags
        compile $compiler app $flags first.c second.c && check_module "$compiler $flags" ./app
    done <<'END'
-O0
-O2
-O3 -gdwarf-4
-O2 -gdwarf-5 -gz
-O2 -flto
-O2 -flto -gdwarf-4
-O2 -no-pie -fno-pie
-O2 -no-pie -fno-pie -fno-plt
-O0 -fno-plt
-O2 -ffunction-sections -Wl,--gc-sections
-O2 -gsplit-dwarf -gdwarf-4
-O2 -fuse-ld=gold
END
    for standard in 4 5; do
        compile $compiler app -O2 -gsplit-dwarf -gdwarf-$standard first.c second.c
        list=$("$dump" ./app)
        same "$compiler: split DWARF $standard: lines of definitions" "first.c:4 first.c:5 first.c:6 first.c:13 first.c:14 first.c:15 first.c:16 second.c:4 second.c:5 second.c:6" \
            "$(awk -F'\t' '$4 !~ /^\?\?/ { n = split($4, part, "/"); print part[n] }' <<<"$list" | sort -t: -k1,1 -k2,2n | xargs)"
        same "$compiler: split DWARF $standard: names" "bare cloned compare dead inlined main other rare same_name same_name" \
            "$(awk -F'\t' '$4 !~ /^\?\?/ { print $5 }' <<<"$list" | sort | xargs)"
        mkdir -p moved && mv ./*.dwo moved/
        has "$compiler: split DWARF $standard: missing files are told" ".dwo" "$("$dump" -q ./app | grep problem)"
        same "$compiler: split DWARF $standard: the symbols folder is searched" "$list" "$("$dump" -s moved ./app)"
        (cd moved && llvm-dwp -o ../app.dwp -- *.dwo 2>/dev/null || dwp -o ../app.dwp -- *.dwo) && rm -rf moved &&
            same "$compiler: split DWARF $standard: a .dwp package" "$list" "$("$dump" ./app)"
        rm -rf moved app.dwp
    done
done
for compiler in g++ clang++; do
    for flags in -O0 "-O2 -gdwarf-4" -O3 "-O2 -flto"; do
        # shellcheck disable=SC2086
        compile $compiler app $flags classes.cc || continue
        list=$("$dump" ./app)
        same "$compiler $flags: hooks are where objdump shows calls" "$(calling ./app)" \
            "$(awk -F'\t' '$3 == 1 { print $1 }' <<<"$list" | sort)"
        for name in 'shop::hidden(int)' 'shop::(anonymous namespace)::nameless(int)' 'shop::Base::Base()' \
            'shop::Item::price() const' 'operator+(shop::Item const&, int)' 'shop::run(int)::Local::go(int)' \
            'shop::Stack<int, 4>::push(int)'; do
            has "$compiler $flags: $name" "	$name	" "$list"
        done
        has "$compiler $flags: the lambda's line" "classes.cc:31" "$list"
    done
done

# Separate files
compile gcc app -O2 first.c second.c
list=$("$dump" ./app)
id=$(readelf -n app | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug app app.debug
cp app whole
strip app
has "stripped: it is said that there is no debug information" "no " "$("$dump" -q app | grep problem)"
mkdir -p "store/.build-id/${id:0:2}"
cp app.debug "store/.build-id/${id:0:2}/${id:2}.debug"
same "stripped: the debug file is found by its build-id" "$list" "$("$dump" -s store ./app)"
objcopy --add-gnu-debuglink=app.debug app
same "stripped: the debug file is found by the debug link" "$list" "$("$dump" ./app)"
mkdir -p elsewhere && mv app.debug elsewhere/
same "stripped: the symbols folder is searched for the debug link" "$list" "$("$dump" -s elsewhere ./app)"
mv elsewhere/app.debug . && printf x >>app.debug
has "a debug link's file with another checksum is not used" "checksum" "$("$dump" -q ./app | grep problem)"
has "no names come from it" "source	none" "$("$dump" -q ./app | grep source | sed 's/symtab/none/')"
run "$dump" -b 0123456789abcdef -q ./whole
has "another build-id: no names" "functions	0" "$out"
has "another build-id: it is said" "build-id differs" "$out"
same "the right build-id: names" "$(cut -f1-6 <<<"$list")" "$("$dump" -b "$id" ./whole | cut -f1-6)"
has "a missing module is told" "missing" "$("$dump" -q ./absent)"
mkdir -p "root$TEST_TMP" && mv whole "root$TEST_TMP/whole"
same "the sysroot is searched" "$(cut -f1-6 <<<"$list")" "$("$dump" -r root -b "$id" "$TEST_TMP/whole" | cut -f1-6)"
has "a module that is gone: names from its debug file" "	main	" "$("$dump" -s store -b "$id" "$TEST_TMP/gone")"

# Other links
compile gcc app -O2 -static first.c second.c "$FISQL_BUILD/libfisql.a" -ldl -lpthread 2>/dev/null &&
    same "static: hooks are where objdump shows calls" "$(calling ./app)" \
        "$("$dump" ./app | awk -F'\t' '$3 == 1 { print $1 }' | sort)"
compile clang lib.so -O2 -fPIC -shared second.c && check_library=$("$dump" ./lib.so)
has "a library's functions" "second.c:6	other" "${check_library-}"
gcc -O2 -finstrument-functions first.c second.c -o bare.out
has "no debug information: names of the symbol table" "	compare	" "$("$dump" ./bare.out)"
has "no debug information: clones are their functions" "	cloned	" "$("$dump" ./bare.out)"
lacks "no debug information: no clone's name" ".part" "$("$dump" ./bare.out)"
same "no debug information: hooks" "$(calling ./bare.out)" \
    "$("$dump" ./bare.out | awk -F'\t' '$3 == 1 { print $1 }' | sort)"

# Exclusions
compile gcc app -O2 -finstrument-functions-exclude-function-list=dead -finstrument-functions-exclude-file-list=second first.c second.c
same "functions excluded by options are not instrumented" "dead=0 other=0 main=1" \
    "$("$dump" ./app | awk -F'\t' '{ flag[$5] = $3 } END { print "dead=" flag["dead"], "other=" flag["other"], "main=" flag["main"] }')"

# The same ids in other builds
compile gcc app -O0 first.c second.c
first=$("$dump" ./app | cut -f6,7 | grep -E '^(main|dead|other)' | sort)
mkdir -p other && cp ./*.c other/ && (cd other && gcc -g -O3 -finstrument-functions first.c second.c -o app)
lacks "ids differ between functions" "x" "$(cut -f2 <<<"$first" | sort | uniq -d | sed 's/.*/x/')"
same "ids of a function are 16 digits" "3" "$(cut -f2 <<<"$first" | grep -cE '^[0-9a-f]{16}$')"

# Rust
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
    printf 'mod shop { pub struct S; impl S { #[inline(never)] pub fn price(&self, x: u32) -> u32 { x + 1 } } }\nfn main() { println!("{}", shop::S.price(std::env::args().count() as u32)); }\n' >rusty.rs
    for mangling in "" v0 legacy; do # today's compilers call one of them unstable
        RUSTC_BOOTSTRAP=1 rustc -g ${mangling:+-Z unstable-options -C symbol-mangling-version=$mangling} rusty.rs -o rusty 2>err &&
            has "Rust ${mangling:-by default}: names" "shop::S" "$("$dump" ./rusty | grep price | cut -f5)"
        strip -g rusty
        has "Rust ${mangling:-by default}: names of the symbol table" "shop::S" "$("$dump" ./rusty | grep price | cut -f5)"
        same "Rust ${mangling:-by default}: no hash" 0 "$("$dump" ./rusty | cut -f5 | grep -cE '::h[0-9a-f]{16}$')"
    done
fi

# Of the variants of constructors and destructors, those that nobody needs are not dead code.
for compiler in g++ clang++; do
    for level in -O0 -O2; do
        "$fisql" cc $compiler -g $level classes.cc -o classes && "$fisql" record -o run.bin ./classes >/dev/null 2>&1 &&
            "$fisql" load run.bin -o run.db >/dev/null 2>&1
        same "$compiler $level: dead code is what the source never calls" "shop::Base::price" \
            "$("$fisql" query --format csv dead-code run.db | sed 1d | cut -d, -f1)"
        same "$compiler $level: a constructor's calls are counted once" "2" \
            "$(sqlite3 run.db "SELECT count(*) FROM calls c JOIN frames fr ON fr.id = c.frame_id
                JOIN functions f ON f.id = fr.function_id WHERE coalesce(f.full_name, f.name) = 'shop::Item::Item(int)'")"
    done
done

# The cache
compile clang++ app -O2 -gdwarf-5 -Wl,--build-id classes.cc
plain=$("$dump" ./app)
same "cache: the first time it is written" "cached	0" "$("$dump" -C -c cache -q ./app | grep cached)"
same "cache: the second time it is read" "cached	1" "$("$dump" -C -c cache -q ./app | grep cached)"
same "cache: functions are those of the program" "$plain" "$("$dump" -C -c cache ./app)"
same "cache: pieces are those of the program" "$("$dump" -p ./app)" "$("$dump" -C -c cache -p ./app)"
same "cache: lines are those of the program" "$("$dump" -l 1350 -l 1500 ./app)" "$("$dump" -C -c cache -l 1350 -l 1500 ./app)"
for file in cache/*.symbols; do printf '\377' | dd of="$file" bs=1 seek=500 conv=notrunc 2>/dev/null; done
same "cache: a damaged file is not used" "cached	0" "$("$dump" -C -c cache -q ./app | grep cached)"
"$dump" -C -c cache -q ./app >/dev/null
touch app
same "cache: a file of another time is not used" "cached	0" "$("$dump" -C -c cache -q ./app | grep cached)"
same "cache: a folder that cannot be written is no error" "$("$dump" ./app)" "$("$dump" -C -c /proc/none ./app)"

# The same of files without debug information, with names and without, and without a build-id.
for what in symtab none; do
    option=--strip-debug
    [ $what = none ] && option=--strip-all
    strip $option --remove-section=.note.gnu.build-id -o $what app
    "$dump" -C -f -c cache -q ./$what >/dev/null
    same "cache, $what: it is read" "cached	1 $("$dump" -f -q ./$what | grep -E '^(source|problem)')" "$("$dump" -C -f -c cache -q ./$what |
        grep cached) $("$dump" -C -f -c cache -q ./$what | grep -E '^(source|problem)')"
    same "cache, $what: functions are those of the program" "$("$dump" -f ./$what)" "$("$dump" -C -f -c cache ./$what)"
    same "cache, $what: pieces are those of the program" "$("$dump" -f -p ./$what)" "$("$dump" -C -f -c cache -p ./$what)"
done
cp app symtab # its debug information is there now
same "cache: what was made without debug information is not used with it" "$("$dump" -f ./symtab)" "$("$dump" -C -f -c cache ./symtab)"

# Damaged files: no crash, no hang, and what is wrong is said or the names are still there.
compile clang++ app -O0 -gdwarf-5 classes.cc
cat >damage.py <<'END'
import random, subprocess, sys
random.seed(7)
base = open("app", "rb").read()
bad = 0
for turn in range(200):
    data = bytearray(base)
    for _ in range(random.choice([1, 5, 40])):
        data[random.randrange(len(data))] = random.choice([0, 255, 127, 128, random.randrange(256)])
    if turn % 10 == 0:
        data = data[:random.randrange(len(data))]
    open("damaged", "wb").write(data)
    try:
        done = subprocess.run([sys.argv[1], "-l", "1300", "-l", "1900", "./damaged"], capture_output=True, timeout=60)
        bad += done.returncode not in (0, 2)
    except subprocess.TimeoutExpired:
        bad += 1
print(bad)
END
same "200 damaged programs are read without a crash or hang" "0" "$(python3 damage.py "$dump")"
head -c 300 app >short.elf
has "a truncated file is told" "truncated" "$("$dump" -q ./short.elf | grep problem)"
has "no ELF file is told" "not an ELF file" "$("$dump" -q ./classes.cc | grep problem)"
mkfifo pipe
has "a FIFO does not stop the load" "not a regular file" "$(timeout 10 "$dump" -q ./pipe | grep problem)"

# A static function of a header is one function, however many units include it; static functions of one name in
# two files are two.
cat >copies.h <<'C'
static inline int shared(int x) { return x * 2; }
static int never(int x) { return x * 3; }
C
for unit in first second; do
    printf '#include "copies.h"\nstatic int own(int x) { return shared(x) + 1; }\n' >$unit-copy.c
    printf 'int %s(int x) { return own(x) + shared(x); }\nint (*%s_never)(int) = never;\n' $unit $unit >>$unit-copy.c
done
echo 'int first(int), second(int); int main() { return first(1) + second(2) > 100; }' >main-copy.c
for compiler in gcc clang; do
    for level in -O0 -O2; do
        build $compiler copies $level -g first-copy.c second-copy.c main-copy.c
        "$fisql" record -q -o copies.bin ./copies && "$fisql" load -q copies.bin
        same "copies of a header's function are one function ($compiler $level)" "copies.h never 0
copies.h shared 4
first-copy.c first 1
first-copy.c own 1
main-copy.c main 1
second-copy.c own 1
second-copy.c second 1" "$(sql copies.db "SELECT files.name || ' ' || f.name || ' ' || coalesce(s.calls, 0) FROM functions f
            JOIN files ON files.id = f.file_id LEFT JOIN function_stats s ON s.function_id = f.id
            WHERE f.instrumented = 1 ORDER BY files.name, f.name")"
        same "dead-code lists it once ($compiler $level)" "never" \
            "$("$fisql" query dead-code copies.db --format json | jq -r '.[].function')"
        rm -f copies.db
    done
done

# gcc puts what all functions of a unit share (their file, say) into the abbreviation: the line is the name's.
printf 'int\nfirst(int x)\n{\n    return x + 1;\n}\nint\nmain(void)\n{\n    return first(1);\n}\n' >lines.c
for compiler in gcc clang; do
    build $compiler lines -O0 -g lines.c
    same "file and line of a definition are its entry's ($compiler)" "lines.c:2 first
lines.c:7 main" "$("$dump" ./lines | awk -F'\t' '$4 ~ /lines/ { n = split($4, part, "/"); print part[n], $5 }' | LC_ALL=C sort)"
done
