#!/bin/bash
# A part of the test suites of bash, perl, git, python and SQLite, run with Debian's programs, recorded as they are: each
# test prints what it prints without a recording, and ends as it does. What a test's result is does not matter: some
# fail here for want of their build.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0

# Times, addresses and numbers of processes are others each time. bash's nameref11.sub asks for the variable of a coprocess that
# may have ended: whether it is still there depends on who runs first.
even() {
    sed -E '/^fisql: /d; /\bRO_PID\b/d; s/^(real|user|sys) [0-9.]+$/\1 T/; s/0x[0-9a-f]{5,}/A/g; s/\b[0-9a-f]{12}\b/A/g; s/\b[0-9]+\.[0-9]+ ?(m?s|usec)\b/T/g; s/\b[0-9]{4,10}\b/N/g' "$1"
}
# once PREFIX COMMAND: into PREFIX.out, PREFIX.err, PREFIX.status; $record is in the command where the program is
once() {
    rm -rf work x.bin
    mkdir work
    (export work=$PWD/work && timeout -k 5 300 setsid -w bash -c "$2
exit \$?") >"$1.all.out" 2>"$1.all.err" </dev/null
    echo $? >"$1.status"
    even "$1.all.out" >"$1.out"
    even "$1.all.err" | sort >"$1.err" # shells and their children write side by side
}
# suite NAME LEAST: standard input has a test's name and command a line
suite() {
    local name=$1 least=$2 test command part equal=0 before=$SECONDS
    while IFS=$'\t' read -r test command; do
        record='' once plain "$command"
        record="$fisql record -q -o $PWD/x.bin" once recorded "$command"
        for part in status out err; do
            cmp -s plain.$part recorded.$part && continue
            not_ok "$name: $test: $part"
            diff plain.$part recorded.$part | head -n 10 | sed 's/^/    /'
            continue 2
        done
        equal=$((equal + 1))
    done
    at_least "$name: $equal tests as without a recording ($((SECONDS - before)) s)" "$least" "$equal"
}
# source_of PACKAGE: its folder, of this test's own
source_of() {
    local root
    root=$(echo "$sources/$1/${2:-$1}"-*/)
    [ -d "$root" ] || { echo "skipped - $1: its source is not there: run tests/setup real" >&2; return 1; }
    cp -r "$root" "$1.source"
}

export record # used by the tests' commands
if source_of bash; then
    printf '#define HAVE_%s 1\n' STDLIB_H UNISTD_H STRING_H LOCALE_H >bash.source/config.h
    for tool in recho zecho printenv xcase; do
        gcc -w -DHAVE_CONFIG_H -Ibash.source -o bash.source/tests/$tool bash.source/support/$tool.c || not_ok "bash: $tool builds"
    done
    for test in bash.source/tests/*.tests; do
        test=${test##*/}
        case $test in jobs.tests | ifs-posix.tests | read.tests) continue ;; esac # a minute each; measures times
        printf '%s\tcd bash.source/tests && TMPDIR=$work THIS_SH=/bin/bash PATH=.:$PATH $record /bin/bash ./%s\n' "$test" "$test"
    done >list
    suite bash 60 <list
fi
if source_of perl; then
    mkdir -p perl.source/own
    # The modules are those that the program was built with, and the tests' own.
    /usr/bin/perl -e 'print "$_\n" for grep { -d && m{/perl-base$|/perl/[0-9.]+$} } @INC' |
        while read -r folder; do cp -rLn "$folder/." perl.source/own/; done
    cp -rn perl.source/lib/. perl.source/own/ && rm -rf perl.source/lib && mv perl.source/own perl.source/lib
    (cd perl.source/t && ln -sf /usr/bin/perl perl && ls base/*.t cmd/*.t op/[a-f]*.t op/[s-z]*.t) |
        # random names, addresses, clocks, the order of threads, a watchdog
        grep -vE '/(require_errors|sprintf2|stat|threads|magic|alarm|sleep|time|srand|rand|study|fork|sigdispatch|sigsystem)\.t' |
        sed -E 's:(.*):\1\tcd perl.source/t \&\& $record /usr/bin/perl -I../lib \1:' >list
    suite perl 100 <list
fi
if [ -d /usr/lib/python3.11/test ] && [ -x /usr/bin/python3.11 ]; then
    for test in exceptions generators contextlib gc json; do
        [ -e /usr/lib/python3.11/test/test_$test.py ] || [ -d /usr/lib/python3.11/test/test_$test ] || continue
        printf '%s\tcd $work && $record /usr/bin/python3.11 -m unittest -v test.test_%s\n' "$test" "$test"
    done >list
    suite python 2 <list
else
    echo "skipped - python: libpython3.11-testsuite is not there"
fi
if command -v git >/dev/null && source_of git; then
    (make -s -j2 -C git.source CFLAGS="-O0 -w" NO_CURL=1 NO_OPENSSL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 GIT-BUILD-OPTIONS t/helper/test-tool &&
        make -s -C git.source/templates SHELL_PATH=/bin/sh PERL_PATH=/usr/bin/perl) >build.log 2>&1
    report $? "git: its tests' helper builds" "$(tail -n 5 build.log)"
    for test in t0001-init t0003-attributes t0005-signals t0007-git-var t0014-alias t0061-run-command t0210-trace2-normal t1006-cat-file t1300-config; do
        printf '%s\tcd git.source/t && GIT_TEST_INSTALLED=/usr/bin $record /bin/sh %s.sh --no-color --root=$work\n' $test $test
    done >list
    suite git 8 <list
fi
if source_of sqlite3; then
    mkdir -p sqlite.build
    (cd sqlite.build && CFLAGS="-O1 -w" ../sqlite3.source/configure -q --disable-shared --enable-tempstore \
        --with-tcl="$(dirname "$(find /usr/lib -name tclConfig.sh | head -n 1)")" && make -s -j2 testfixture) >build.log 2>&1
    report $? "SQLite: testfixture builds" "$(tail -n 5 build.log)"
    for test in select1 insert join trigger1 where window1 with1 fts3aa json101 altertab bind cast delete func index pragma savepoint vtab1; do
        # the last lines say how much memory was used, which the environment changes
        printf '%s\tt=$PWD && cd $work && $record $t/sqlite.build/testfixture $t/sqlite3.source/test/%s.test | grep -vE "^(Memory|Maximum|Number of malloc|Page-cache|Lookaside|Pager|Schema|Statement)"\n' $test $test
    done >list
    suite SQLite 15 <list
fi
