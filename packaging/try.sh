#!/bin/bash
# Installs the package given, on a bare Debian as root, uses it as a user would, and removes it. Ends with
# `N passed, N failed`. tests/distros runs this in a chroot; it is nothing for a machine that is in use.
set -u
package=$(realpath "$1")
passed=0 failed=0
check() { # WHAT COMMAND...: it ends with 0
    local what=$1
    shift
    if "$@" >/tmp/log 2>&1; then
        passed=$((passed + 1))
        echo "ok - $what"
    else
        failed=$((failed + 1))
        echo "not ok - $what"
        sed 's/^/    /' /tmp/log | tail -n 20
    fi
}
says() { grep -qE "$1" <<<"$2" || { echo "no $1 in: $2"; return 1; }; }
files() { find / -xdev \( -path /proc -o -path /tmp -o -path /home -o -path /root -o -path /var/cache -o -path /var/lib -o -path /var/log \) -prune -o -print | LC_ALL=C sort; }

check "the package's list is read" apt-get update -qq
# what it recommends, so that what is left afterwards is the package's own
check "what it recommends is installed" apt-get install -qq -y --no-install-recommends gcc libc6-dev sqlite3 man-db libdwarf1 libzydis4.0
useradd -m you
files >/tmp/before
check "it is installed" apt-get install -qq -y --no-install-recommends "$package"
check "nothing is missing" dpkg --verify fisql
check "its version is the program's" says "^fisql $(dpkg-query -W -f '${Version}' fisql)\$" "$(fisql --version)"

as_you() { su - you -c "$1"; }
cat >/home/you/app.c <<'C'
#include <fisql.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(int n) { return n % 2 ? malloc(10) : NULL; }
int main(void)
{
    for (int i = 0; i < 10; i++)
        free(work(i));
    puts("done");
    return 0;
}
C
check "a program is compiled" as_you 'fisql cc gcc -O2 -o app app.c'
check "it is recorded" says '^done$' "$(as_you 'fisql record ./app 2>&1')"
check "it is loaded" says '11 calls, [0-9]+ allocations' "$(as_you 'fisql load run.bin 2>&1')"
check "a query answers" says '^work,work,app.c:4,10,' "$(as_you 'fisql query call-counts --format csv')"
check "nothing is left unfreed" as_you 'fisql query not-freed --check'
check "sqlite3 reads it" says '^10$' "$(as_you 'sqlite3 run.db "SELECT calls FROM call_counts WHERE function = '"'work'"'"')"
check "a page is written" as_you 'fisql report -o page.html'
check "a program with the collector linked in is recorded" says 'calls' \
    "$(as_you 'fisql cc --static-runtime gcc -o linked app.c && FISQL_LOG=linked.bin ./linked && fisql load linked.bin 2>&1')"
check "a static program is recorded" says '11 calls' "$(as_you 'fisql cc gcc -static -o static app.c && fisql record ./static 2>&1')"
for page in fisql $(fisql help --list | cut -f1 | grep -vxE 'help|version' | sed 's/^/fisql-/'); do
    check "man $page" test -e "/usr/share/man/man1/$page.1.gz"
done
check "there is completion" test -e /usr/share/bash-completion/completions/fisql

check "it is removed" apt-get purge -qq -y fisql
files >/tmp/after
check "nothing of it is left" diff /tmp/before /tmp/after
check "dpkg knows nothing of it" test -z "$(dpkg-query -W -f '${Status}' fisql 2>/dev/null)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
