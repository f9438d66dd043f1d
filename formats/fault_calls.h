/*
 * The calls of the C library that `fisql record --fault` can make fail. From this list we make the
 * wrapper functions (collector/faults/faults_calls.c), and the names, the arguments and the check
 * of errno values for rules (cli/record/fault_names.c).
 *
 * X(name, arguments, failure, way, errors)
 *   arguments  those that rules can look at, in order, named as in POSIX
 *   failure    the result that means failure
 *   way        how the call reports the error: ERRNO, in errno; RESULT, by its result, an errno
 *              value; CODE, by its result, which is no errno value
 *   errors     the values that POSIX.1-2017 and Linux's manual allow, the usual one first; file
 *              systems and devices may have others
 */
#ifndef FISQL_FORMATS_FAULT_CALLS_H
#define FISQL_FORMATS_FAULT_CALLS_H

/* What the collector says of a call: it is made; it fails; it is made, and then fails. */
enum fisql_fault_answer { FISQL_FAULT_NONE, FISQL_FAULT_FAILS, FISQL_FAULT_AFTER };

enum fault_way { FAULT_ERRNO, FAULT_RESULT, FAULT_CODE };

#define FISQL_FAULT_CALLS(X)                                                                       \
    X(open, "path flags mode", -1, ERRNO,                                                          \
      "ENOENT EACCES EEXIST EINTR EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENODEV ENOSPC ENOTDIR "  \
      "ENXIO "                                                                                     \
      "EOVERFLOW EROFS EAGAIN EINVAL ETXTBSY EIO EDQUOT EFAULT ENOMEM EPERM EWOULDBLOCK EBUSY "    \
      "EFBIG EBADF EOPNOTSUPP")                                                                    \
    X(openat, "fd path flags mode", -1, ERRNO,                                                     \
      "ENOENT EACCES EBADF EEXIST EINTR EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENODEV ENOSPC "    \
      "ENOTDIR "                                                                                   \
      "ENXIO EOVERFLOW EROFS EAGAIN EINVAL ETXTBSY EIO EDQUOT EFAULT ENOMEM EPERM EWOULDBLOCK "    \
      "EBUSY EFBIG EOPNOTSUPP")                                                                    \
    X(creat, "path mode", -1, ERRNO,                                                               \
      "EACCES ENOENT EEXIST EINTR EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENOSPC ENOTDIR EROFS "   \
      "EIO "                                                                                       \
      "EDQUOT ENOMEM EPERM")                                                                       \
    X(close, "fd", -1, ERRNO, "EIO EBADF EINTR ENOSPC EDQUOT")                                     \
    X(read, "fd buffer count", -1, ERRNO,                                                          \
      "EIO EAGAIN EWOULDBLOCK EBADF EINTR EOVERFLOW ECONNRESET ENOTCONN ETIMEDOUT ENOBUFS ENOMEM " \
      "ENXIO "                                                                                     \
      "EFAULT EINVAL EISDIR")                                                                      \
    X(pread, "fd buffer count offset", -1, ERRNO,                                                  \
      "EIO EAGAIN EBADF EINTR EOVERFLOW EINVAL ENXIO ESPIPE ENOBUFS ENOMEM EFAULT EISDIR")         \
    X(readv, "fd vector count", -1, ERRNO,                                                         \
      "EIO EAGAIN EWOULDBLOCK EBADF EINTR EOVERFLOW ECONNRESET ENOTCONN ETIMEDOUT ENOBUFS ENOMEM " \
      "ENXIO "                                                                                     \
      "EFAULT EINVAL EISDIR")                                                                      \
    X(write, "fd buffer count", -1, ERRNO,                                                         \
      "ENOSPC EIO EAGAIN EWOULDBLOCK EBADF EFBIG EINTR EPIPE ECONNRESET EACCES ENETDOWN "          \
      "ENETUNREACH "                                                                               \
      "ENXIO ENOBUFS EDQUOT EFAULT EINVAL EPERM EDESTADDRREQ")                                     \
    X(pwrite, "fd buffer count offset", -1, ERRNO,                                                 \
      "ENOSPC EIO EAGAIN EBADF EFBIG EINTR EINVAL ENXIO ENOBUFS ESPIPE EDQUOT EFAULT EPERM "       \
      "EOVERFLOW")                                                                                 \
    X(writev, "fd vector count", -1, ERRNO,                                                        \
      "ENOSPC EIO EAGAIN EWOULDBLOCK EBADF EFBIG EINTR EPIPE ECONNRESET EINVAL ENXIO ENOBUFS "     \
      "EDQUOT "                                                                                    \
      "EFAULT EPERM EDESTADDRREQ")                                                                 \
    X(lseek, "fd offset whence", -1, ERRNO, "ESPIPE EBADF EINVAL EOVERFLOW ENXIO")                 \
    X(fsync, "fd", -1, ERRNO, "EIO EBADF EINTR EINVAL ENOSPC EROFS EDQUOT")                        \
    X(fdatasync, "fd", -1, ERRNO, "EIO EBADF EINTR EINVAL ENOSPC EROFS EDQUOT")                    \
    X(ftruncate, "fd length", -1, ERRNO, "EIO EBADF EINTR EINVAL EFBIG EROFS EPERM EACCES ENOSPC") \
    X(rename, "old new", -1, ERRNO,                                                                \
      "EACCES ENOENT EBUSY EEXIST ENOTEMPTY EINVAL EIO EISDIR ELOOP EMLINK ENAMETOOLONG ENOSPC "   \
      "ENOTDIR "                                                                                   \
      "EPERM EROFS EXDEV ETXTBSY EDQUOT ENOMEM EFAULT")                                            \
    X(unlink, "path", -1, ERRNO,                                                                   \
      "EACCES ENOENT EBUSY ELOOP ENAMETOOLONG ENOTDIR EPERM EROFS ETXTBSY EIO EISDIR ENOMEM "      \
      "EFAULT")                                                                                    \
    X(mkdir, "path mode", -1, ERRNO,                                                               \
      "EACCES EEXIST ELOOP EMLINK ENAMETOOLONG ENOENT ENOSPC ENOTDIR EROFS EDQUOT ENOMEM EPERM "   \
      "EFAULT "                                                                                    \
      "EINVAL")                                                                                    \
    X(rmdir, "path", -1, ERRNO,                                                                    \
      "EACCES EBUSY EEXIST ENOTEMPTY EINVAL EIO ELOOP ENAMETOOLONG ENOENT ENOTDIR EPERM EROFS "    \
      "ENOMEM "                                                                                    \
      "EFAULT")                                                                                    \
    X(chdir, "path", -1, ERRNO, "EACCES ENOENT ELOOP ENAMETOOLONG ENOTDIR EIO ENOMEM EFAULT")      \
    X(stat, "path buffer", -1, ERRNO,                                                              \
      "ENOENT EACCES EIO ELOOP ENAMETOOLONG ENOTDIR EOVERFLOW ENOMEM EFAULT")                      \
    X(lstat, "path buffer", -1, ERRNO,                                                             \
      "ENOENT EACCES EIO ELOOP ENAMETOOLONG ENOTDIR EOVERFLOW ENOMEM EFAULT")                      \
    X(fstat, "fd buffer", -1, ERRNO, "EIO EBADF EOVERFLOW EFAULT ENOMEM")                          \
    X(access, "path mode", -1, ERRNO,                                                              \
      "EACCES ENOENT ELOOP ENAMETOOLONG ENOTDIR EROFS EINVAL ETXTBSY EIO ENOMEM EFAULT EPERM")     \
    X(opendir, "path", 0, ERRNO, "EACCES ENOENT ELOOP ENAMETOOLONG ENOTDIR EMFILE ENFILE ENOMEM")  \
    X(pipe, "fds", -1, ERRNO, "EMFILE ENFILE EFAULT")                                              \
    X(dup, "fd", -1, ERRNO, "EMFILE EBADF")                                                        \
    X(dup2, "fd other", -1, ERRNO, "EBADF EINTR EBUSY EMFILE")                                     \
    X(mmap, "address length protection flags fd offset", -1, ERRNO,                                \
      "ENOMEM EACCES EAGAIN EBADF EINVAL EMFILE ENODEV ENOTSUP ENXIO EOVERFLOW ENFILE EPERM "      \
      "ETXTBSY")                                                                                   \
    X(socket, "domain type protocol", -1, ERRNO,                                                   \
      "EMFILE EAFNOSUPPORT ENFILE EPROTONOSUPPORT EPROTOTYPE EACCES ENOBUFS ENOMEM EINVAL")        \
    X(bind, "fd address length", -1, ERRNO,                                                        \
      "EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EBADF EINVAL ENOTSOCK EOPNOTSUPP EACCES EALREADY "    \
      "EINPROGRESS "                                                                               \
      "EISCONN ELOOP ENAMETOOLONG ENOBUFS ENOENT ENOTDIR EROFS EIO EDESTADDRREQ EISDIR ENOMEM "    \
      "EFAULT")                                                                                    \
    X(listen, "fd backlog", -1, ERRNO,                                                             \
      "EADDRINUSE EBADF EDESTADDRREQ EINVAL ENOTSOCK EOPNOTSUPP EACCES ENOBUFS")                   \
    X(connect, "fd address length", -1, ERRNO,                                                     \
      "ECONNREFUSED EADDRNOTAVAIL EAFNOSUPPORT EALREADY EBADF EINPROGRESS EINTR EISCONN "          \
      "ENETUNREACH "                                                                               \
      "ENOTSOCK EPROTOTYPE ETIMEDOUT EIO ELOOP ENAMETOOLONG ENOENT ENOTDIR EACCES EADDRINUSE "     \
      "ECONNRESET "                                                                                \
      "EHOSTUNREACH EINVAL ENETDOWN ENOBUFS EOPNOTSUPP EAGAIN EPERM EFAULT")                       \
    X(accept, "fd address length", -1, ERRNO,                                                      \
      "EMFILE EAGAIN EWOULDBLOCK EBADF ECONNABORTED EINTR EINVAL ENFILE ENOTSOCK EOPNOTSUPP "      \
      "ENOBUFS ENOMEM "                                                                            \
      "EPROTO EPERM EFAULT")                                                                       \
    X(accept4, "fd address length flags", -1, ERRNO,                                               \
      "EMFILE EAGAIN EWOULDBLOCK EBADF ECONNABORTED EINTR EINVAL ENFILE ENOTSOCK EOPNOTSUPP "      \
      "ENOBUFS ENOMEM "                                                                            \
      "EPROTO EPERM EFAULT")                                                                       \
    X(send, "fd buffer count flags", -1, ERRNO,                                                    \
      "EPIPE EAGAIN EWOULDBLOCK EBADF ECONNRESET EDESTADDRREQ EINTR EMSGSIZE ENOTCONN ENOTSOCK "   \
      "EOPNOTSUPP "                                                                                \
      "EACCES EIO ENETDOWN ENETUNREACH ENOBUFS ENOMEM EINVAL EFAULT EALREADY EISCONN")             \
    X(recv, "fd buffer count flags", -1, ERRNO,                                                    \
      "ECONNRESET EAGAIN EWOULDBLOCK EBADF EINTR EINVAL ENOTCONN ENOTSOCK EOPNOTSUPP ETIMEDOUT "   \
      "EIO ENOBUFS "                                                                               \
      "ENOMEM ECONNREFUSED EFAULT")                                                                \
    X(poll, "fds count timeout", -1, ERRNO, "EINTR EAGAIN EINVAL ENOMEM EFAULT")                   \
    X(select, "count reads writes exceptions timeout", -1, ERRNO, "EINTR EBADF EINVAL ENOMEM")     \
    X(epoll_wait, "fd events count timeout", -1, ERRNO, "EINTR EBADF EFAULT EINVAL")               \
    X(fork, "", -1, ERRNO, "EAGAIN ENOMEM ENOSYS")                                                 \
    X(waitpid, "pid status options", -1, ERRNO, "ECHILD EINTR EINVAL")                             \
    X(pthread_create, "thread attributes start argument", 11, RESULT, "EAGAIN EINVAL EPERM")       \
    X(pthread_mutex_lock, "mutex", 35, RESULT, "EDEADLK EAGAIN EINVAL ENOTRECOVERABLE EOWNERDEAD") \
    X(getaddrinfo, "node service hints result", -3, CODE, "")                                      \
    X(fopen, "path mode", 0, ERRNO,                                                                \
      "ENOENT EACCES EINTR EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENOSPC ENOTDIR ENXIO "          \
      "EOVERFLOW EROFS "                                                                           \
      "EINVAL ENOMEM ETXTBSY EIO EDQUOT EPERM EEXIST")                                             \
    X(fdopen, "fd mode", 0, ERRNO, "ENOMEM EMFILE EBADF EINVAL")                                   \
    X(fread, "buffer size count stream", 0, ERRNO,                                                 \
      "EIO EAGAIN EBADF EINTR EOVERFLOW ENOMEM ENXIO EISDIR")                                      \
    X(fwrite, "buffer size count stream", 0, ERRNO,                                                \
      "ENOSPC EIO EAGAIN EBADF EFBIG EINTR EPIPE ENOMEM ENXIO EDQUOT")                             \
    X(fgets, "buffer count stream", 0, ERRNO,                                                      \
      "EIO EAGAIN EBADF EINTR EOVERFLOW ENOMEM ENXIO EISDIR")                                      \
    X(fputs, "text stream", -1, ERRNO,                                                             \
      "ENOSPC EIO EAGAIN EBADF EFBIG EINTR EPIPE ENOMEM ENXIO EDQUOT")                             \
    X(fflush, "stream", -1, ERRNO,                                                                 \
      "ENOSPC EIO EAGAIN EBADF EFBIG EINTR EPIPE ENOMEM ENXIO EDQUOT")                             \
    X(fclose, "stream", -1, ERRNO,                                                                 \
      "ENOSPC EIO EAGAIN EBADF EFBIG EINTR EPIPE ENOMEM ENXIO EDQUOT")                             \
    X(fseek, "stream offset whence", -1, ERRNO,                                                    \
      "ESPIPE EINVAL EOVERFLOW EBADF EIO EAGAIN EFBIG EINTR ENOSPC EPIPE ENXIO")
enum fault_call {
#define FISQL_FAULT_ENUM(name, arguments, failure, way, errors) FAULT_CALL_##name,
    FISQL_FAULT_CALLS(FISQL_FAULT_ENUM)
#undef FISQL_FAULT_ENUM
        FAULT_CALLS_COUNT
};

#endif
