#!/bin/sh
# Makes a library without code whose debug information has the prototypes of a library's functions, from the headers of this
# system: prototypes.sh NAME FOLDER COMPILER... writes FOLDER/NAME; none where the headers are not installed. See prototypes.h.
set -eu
name=$1 folder=$2
shift 2
case $name in
    c)
        headers='aio argp argz arpa/inet arpa/nameser complex crypt ctype dirent dlfcn envz err errno error execinfo fcntl fenv
fmtmsg fnmatch fstab fts ftw getopt glob grp gshadow iconv ifaddrs inttypes langinfo libgen libintl link locale malloc math mcheck
mntent monetary mqueue net/if netdb nl_types obstack poll printf pthread pty pwd regex resolv sched search semaphore setjmp shadow
signal spawn stdio stdio_ext stdlib string strings sys/acct sys/auxv sys/epoll sys/eventfd sys/fanotify sys/file sys/fsuid
sys/inotify sys/io sys/ioctl sys/ipc sys/klog sys/mman sys/mount sys/msg sys/personality sys/pidfd sys/prctl sys/ptrace sys/quota
sys/random sys/reboot sys/resource sys/select sys/sem sys/sendfile sys/shm sys/signalfd sys/socket sys/stat sys/statfs sys/statvfs
sys/swap sys/syscall sys/sysinfo sys/time sys/timerfd sys/times sys/timex sys/types sys/uio sys/un sys/utsname sys/wait sys/xattr
syslog termios threads time uchar ucontext ulimit unistd utime utmp utmpx wchar wctype wordexp'
        ;;
    z) headers=zlib ;;
    sqlite3) headers=sqlite3 ;;
    ssl)
        headers='stdio openssl/aes openssl/asn1 openssl/bio openssl/bn openssl/buffer openssl/cms openssl/conf openssl/crypto
openssl/dh openssl/dsa openssl/ec openssl/ecdh openssl/ecdsa openssl/engine openssl/err openssl/evp openssl/hmac openssl/kdf
openssl/lhash openssl/md5 openssl/objects openssl/ocsp openssl/pem openssl/pkcs12 openssl/pkcs7 openssl/provider openssl/quic
openssl/rand openssl/rsa openssl/safestack openssl/sha openssl/ssl openssl/stack openssl/store openssl/ts openssl/x509
openssl/x509_vfy openssl/x509v3'
        ;;
    *)
        echo "prototypes.sh: no such library: $name" >&2
        exit 2
        ;;
esac
here=$(dirname "$0")
source=$folder/$name.c
mkdir -p "$folder"
rm -f "$folder/$name"
include() {
    for header in $headers; do
        printf '#if __has_include(<%s.h>)\n#include <%s.h>\n#define FISQL_SOME\n#endif\n' "$header" "$header"
    done
}
# What _FORTIFY_SOURCE calls is declared only with it.
{ include && echo 'int fisql_some = FISQL_SOME 1;'; } | "$@" -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -O2 -w -E -P -x c - >"$source.i"
if ! grep -q 'fisql_some = 1;' "$source.i"; then
    rm -f "$source.i"
    exit 0
fi
if ! awk -f "$here/prototypes.awk" "$source.i" >"$source.functions"; then
    echo "prototypes.sh: $name: no prototypes: awk cannot read its headers" >&2
    exit 0
fi
# A function whose prototype the compiler does not take as a definition is left out.
for round in 1 2 3 4 5 6 7 8 9; do
    include | cat - "$source.functions" >"$source"
    if "$@" -D_GNU_SOURCE -U_FORTIFY_SOURCE -w -g -O0 -fPIC -fno-builtin -shared -nostdlib -x c -o "$folder/$name" "$source" 2>"$source.log"; then
        rm -f "$source" "$source".*
        exit 0
    fi
    first=$(include | wc -l)
    sed -n "s|^$source:\([0-9]*\):[0-9]*: error:.*|\1|p" "$source.log" | awk -v first="$first" '
        NR == FNR { wrong[$1 - first] = 1; next }
        !(FNR in wrong)' - "$source.functions" >"$source.rest"
    cmp -s "$source.rest" "$source.functions" && break
    mv "$source.rest" "$source.functions"
done
# fisql works without: only these library calls are recorded without arguments and results.
echo "prototypes.sh: $name: no prototypes, after $round rounds: $(grep -m 1 error "$source.log")" >&2
rm -f "$folder/$name"
