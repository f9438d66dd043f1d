# The real programs of the values' oracle: sourced. build_PROGRAM COMPILER C++COMPILER FLAG... makes ./PROGRAM in the
# current folder, held at its gate (start.c); run_PROGRAM prints its arguments, a line each.
# shellcheck shell=bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fisql=$FISQL_BUILD/fisql
sources=${XDG_CACHE_HOME:-$HOME/.cache}/fisql-tests

gate() {
    [ -e start.o ] || gcc -O1 -c -o start.o "$here/tests/gdb/start.c"
}

build_lua() {
    local source compiler=$1
    source=$(echo "$sources"/lua5.4/lua5.4-*/src)
    shift 2
    gate
    mkdir -p include && echo "#define DEB_HOST_MULTIARCH \"$(gcc -print-multiarch)\"" >include/lua5.4-deb-multiarch.h
    # shellcheck disable=SC2046 # a list of words
    "$fisql" cc "$compiler" "$@" -g -w -Iinclude -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Wl,-E -o lua start.o \
        $(find "$source" -name '*.c' ! -name luac.c | sort) -lm -ldl
    cp "$here/tests/gdb/work.lua" .
}
run_lua() { printf '%s\n' work.lua; }

build_sqlite() {
    local source compiler=$1
    source=$(echo "$sources"/sqlite3/sqlite3-3*)
    shift 2
    gate
    if [ ! -s amalgamation/shell.c ]; then
        mkdir -p amalgamation
        (cd amalgamation && "$source/configure" -q --disable-tcl && make -s sqlite3.c shell.c) >/dev/null 2>&1
    fi
    "$fisql" cc "$compiler" "$@" -g -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -Iamalgamation -o sqlite start.o \
        amalgamation/sqlite3.c amalgamation/shell.c -lm
    cp "$here/tests/gdb/work.sql" .
}
run_sqlite() { printf '%s\n' :memory: '.read work.sql'; }

build_zstd() {
    local root compiler=$1
    root=$(echo "$sources"/libzstd/libzstd-*)
    shift 2
    gate
    # shellcheck disable=SC2046 # a list of words
    "$fisql" cc "$compiler" "$@" -g -w -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -I"$root/lib" -I"$root/lib/common" \
        -I"$root/programs" -o zstd start.o \
        $(find "$root"/lib/{common,compress,decompress,dictBuilder} "$root/programs" -name '*.c' | sort)
    head -c 300000 "$root/lib/compress/zstd_compress.c" >text
}
run_zstd() { printf '%s\n' -q -f -b3e5 -i0 --single-thread text; }

build_ninja() {
    local root cxx=$2
    root=$(echo "$sources"/ninja-build/ninja-build-*/src)
    shift 2
    gate
    # shellcheck disable=SC2046 # a list of words
    "$fisql" cc "$cxx" -std=c++17 "$@" -g -w -o ninja start.o $(find "$root" -maxdepth 1 -name '*.cc' | sort |
        grep -vE '_test.cc|perftest.cc|win32.cc|\.in\.cc|/test.cc|browse.cc|_bench.cc|msvc|minidump|collision')
    {
        printf 'rule cc\n  command = true -c $in -o $out\n  description = CC $out\nrule ld\n  command = true $in -o $out\npool one\n  depth = 1\n'
        for folder in 1 2 3 4 5 6; do
            for file in 1 2 3 4 5 6 7 8; do
                echo "build out/dir$folder/file_$file.o: cc src/dir$folder/file_$file.c | src/h$file.h || dir"
            done
            echo "build out/lib$folder.a: ld out/dir$folder/file_1.o out/dir$folder/file_2.o"
            echo "  pool = one"
        done
        echo "build dir: phony"
        echo "build all: phony out/lib1.a out/lib2.a out/lib3.a out/lib4.a out/dir5/file_3.o"
        echo "default all"
    } >build.ninja
    for folder in 1 2 3 4 5 6; do
        mkdir -p src/dir$folder
        for file in 1 2 3 4 5 6 7 8; do : >src/dir$folder/file_$file.c; : >src/h$file.h; done
    done
}
run_ninja() { printf '%s\n' -n -v -d explain -d stats; }
