#!/bin/sh
# Writes a C file with the names of common flags of Linux's calls and their values, as the headers of this system have
# them: flag_names.sh COMPILER... Enumerators count where the header defines them as macros, too, as glibc does.
set -eu
headers='fcntl.h unistd.h poll.h sched.h dlfcn.h signal.h sys/epoll.h sys/eventfd.h sys/file.h sys/inotify.h sys/mman.h sys/mount.h
sys/signalfd.h sys/socket.h sys/stat.h sys/timerfd.h sys/wait.h netinet/in.h time.h'
echo '/* Made by debuginfo/expressions/flag_names.sh. */'
echo '#include "debuginfo/expressions/flag_names.h"'
for header in $headers; do
    echo "#include <$header>"
done
echo 'const struct flag_name flag_names[] = {'
# Left out: no numbers, masks, and second names of the same number.
for header in $headers; do
    echo "#include <$header>"
done | "$@" -D_GNU_SOURCE -E -dM - | sed -n 's/^#define \([A-Z][A-Z0-9_]*\) ..*/\1/p' |
    grep -E '^(O|PROT|MAP|MADV|MS|MREMAP|MCL|AF|SOCK|MSG|SHUT|SO|S|F|FD|LOCK|AT|RTLD|CLONE|SA|IN|EFD|TFD|SEEK|R|W|X|GRND|MNT|UMOUNT|SFD|SIG|SOL|IPPROTO|CLOCK|EPOLL)_[A-Z0-9_]+$|^SIG[A-Z0-9]+$|^(EPOLL|POLL)[A-Z]+$|^W(NOHANG|UNTRACED|CONTINUED|EXITED|STOPPED|NOWAIT)$' |
    grep -Ev '^(MAP_(FAILED|TYPE|ANON|FILE|HUGE_.*)|O_(ACCMODE|NDELAY|FSYNC|RSYNC|LARGEFILE)|RTLD_(NEXT|DEFAULT|DI_.*)|IN_ALL_EVENTS|MS_RMT_MASK|MS_MGC.*|F_(GETLK64|SETLK64|SETLKW64|ULOCK|LOCK|TEST|TLOCK|OK)|(F|S|W|R|X)_[A-Z]*MASK|S_(BLKSIZE|IREAD|IWRITE|IEXEC|IFMT)|SA_(NOMASK|ONESHOT|STACK)|MSG_TRYHARD|SIG(STKSZ|RTM.*|POLL|CLD|IOT|UNUSED|SETJMP|EV_.*|_DFL|_IGN|_ERR|_HOLD|_ATOMIC_.*)|IPPROTO_MAX|AF_(LOCAL|FILE|MAX|ROUTE)|SO_.*(OLD|NEW))$' |
    LC_ALL=C sort -u | sed 's/.*/#ifdef &\n    {"&", (long long)(&)},\n#endif/'
echo '    {0, 0}};'
