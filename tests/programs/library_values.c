/* Library calls whose arguments, results and errno are known: see tests/e2e/library_values.sh. It says `bytes NAME SUM`
 * and `errors NAME COUNT` of the system calls that it makes. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

static void files(void)
{
    char buffer[4096];
    long got = 0, n;
    int errors = open("a.txt", O_RDONLY | O_CLOEXEC) < 0;
    int file = open("data.txt", O_RDWR | O_CREAT | O_TRUNC, 0640);
    long written = write(file, "0123456789", 10);
    for (int i = 1; i <= 100; i++)
        written +=
            write(file, buffer, (size_t)i); /* as many results as would not be counted one by one */
    lseek(file, 0, SEEK_SET);
    while ((n = read(file, buffer, 77)) > 0)
        got += n;
    n = pread(file, buffer, 10, 5);
    close(file);
    errors += open("/etc/passwd/x", O_WRONLY | O_APPEND) < 0;
    errors += openat(AT_FDCWD, "no/such/file", O_RDONLY) < 0;
    printf("bytes write %ld\nbytes read %ld\nbytes pread %ld\nerrors open 2\n", written, got, n);
    (void)errors;
}

static void sockets(void)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(1)};
    struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = htons(443), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/nonexistent/socket"};
    struct sockaddr_un abstract = {.sun_family = AF_UNIX, .sun_path = "\0fisql-test"};
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
        other = socket(AF_UNIX, SOCK_DGRAM, 0);
    connect(stream, (struct sockaddr *)&four, sizeof four);
    connect(other, (struct sockaddr *)&local, sizeof local);
    connect(other, (struct sockaddr *)&abstract, offsetof(struct sockaddr_un, sun_path) + 11);
    bind(-1, (struct sockaddr *)&six, sizeof six);
    sendto(-1, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
    close(stream);
    close(other);
}

static void others(const char *program)
{
    unsigned char packed[100], plain[100];
    unsigned long bytes = sizeof packed, back = sizeof plain;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page, 4096, PROT_READ);
    munmap(page, 4096);
    compress2(packed, &bytes, (const unsigned char *)"aaaaaaaaaaaaaaaa", 16, 9);
    uncompress(plain, &back, packed, bytes);
    access(program, R_OK | X_OK);
    printf("word %s\n", strchr(getenv("FISQL_TEST_WORD"), 'w'));
    chmod("/nonexistent", 0644);
    double (*root)(double) =
        (double (*)(double))(unsigned long)dlsym(dlopen("libm.so.6", RTLD_NOW), "sqrt");
    printf("root %g\n", root(9.0));
}

int main(int argc, char **argv)
{
    (void)argc;
    files();
    sockets();
    others(argv[0]);
    return 0;
}
