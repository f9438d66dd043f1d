/* What is known of libraries' functions: which wrap a system call, which parameters are flags; and the
 * text of a socket's address. */
#include "debuginfo/prototypes/flag_parameters.h"
#include "debuginfo/prototypes/system_calls.h"
#include "loader/values/value_socket.h"
#include "tests/unit/check.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static void test_system_calls(void)
{
    static const char *const known[][2] = {{"read", "read"},
                                           {"__read_chk", "read"},
                                           {"open", "openat"},
                                           {"open64", "openat"},
                                           {"__open64_2", "openat"},
                                           {"pread", "pread64"},
                                           {"pread64", "pread64"},
                                           {"__pread_chk", "pread64"},
                                           {"send", "sendto"},
                                           {"nanosleep", "clock_nanosleep"},
                                           {"sigaction", "rt_sigaction"},
                                           {"mmap64", "mmap"},
                                           {"getcwd", "getcwd"},
                                           {"statx", "statx"},
                                           {"fstat64", "newfstatat"}};
    static const char *const none[] = {
        "_exit",  "exit", "vfork", "clock_gettime", "gettimeofday", "printf",        "fread",
        "malloc", "",     "64",    "time",          "strlen",       "pthread_create"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *call = system_call_of(known[i][0]);
        check_string(known[i][1], call != NULL ? call : "none", known[i][0]);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        check(system_call_of(none[i]) == NULL, "no system call each time");
    check(system_calls_are_in("/lib/x86_64-linux-gnu/libc.so.6"), "the C library has wrappers");
    check(system_calls_are_in("/lib/ld-musl-x86_64.so.1"), "musl's, too");
    check(!system_calls_are_in("/lib/libcrypto.so.3") && !system_calls_are_in("/opt/libclang.so"),
          "others have none");
}

static void test_flags(void)
{
    const struct flag_parameter *found = flag_parameter_of("open64", "flags");
    check_string("O_", found != NULL ? found->flags : "none", "open's flags");
    found = flag_parameter_of("mmap", "flags");
    check_string("MAP_", found != NULL ? found->flags : "none", "mmap's");
    check(flag_parameter_of("open", "path") == NULL, "a path is no flags");
    check(flag_parameter_of("ope", "flags") == NULL && flag_parameter_of("en64", "flags") == NULL,
          "a part of a name is not the name");
    check(flag_field_of("O_", 2) == 3 && flag_field_of("O_", 1) == 0, "the field of access modes");
}

static const char *socket_text(const void *address, size_t bytes)
{
    static char text[VALUE_STRUCT_TEXT_MAX];
    const struct value value = {.type = VALUE_BYTES, .bytes = (uint32_t)bytes, .data = address};
    value_socket_text(&value, text);
    return text;
}

static void test_sockets(void)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(8080)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(1)};
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/a\"b\n"};
    struct sockaddr_un whole = {.sun_family = AF_UNIX};
    const size_t path = offsetof(struct sockaddr_un, sun_path);
    four.sin_addr.s_addr = htonl(0x0a000001);
    check_string("{AF_INET, 10.0.0.1:8080}", socket_text(&four, sizeof four), "IPv4");
    check_string("{AF_INET6, [::]:1}", socket_text(&six, sizeof six), "IPv6");
    check_string("{AF_UNIX, \"/a\\x22b\\x0a\"}", socket_text(&local, path + 6), "a path, escaped");
    check_string("{AF_UNIX, \"\"}", socket_text(&whole, path), "no path");
    check_string("{AF_UNIX, @}", socket_text(&whole, path + 1), "an abstract one without a name");
    memset(whole.sun_path, 'x', sizeof whole.sun_path);
    check(strstr(socket_text(&whole, 64), "x\"...}") != NULL,
          "a path of which only a part is known");
    check_string("NULL", socket_text(&four, 0), "no address");
    check_string("x02", socket_text(&four, 1), "half a family");
    check_string("{AF_INET}", socket_text(&four, 4), "a cut address");
    four.sin_family = 0xffff;
    check_string("xffff", socket_text(&four, 2), "a family that there is not");
}

int main(void)
{
    test_system_calls();
    test_flags();
    test_sockets();
    return check_status();
}
