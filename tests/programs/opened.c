/*
 * Says on stdout, a line each, which of the files that it got were opened until its input ends; "ready"
 * comes first. Looking at a file by O_PATH or stat(2) is no opening.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char bytes[4096] __attribute__((aligned(8)));
    int events = inotify_init1(IN_NONBLOCK);
    for (int i = 1; i < argc; i++)
        if (inotify_add_watch(events, argv[i], IN_OPEN) != i)
            return 2;
    printf("ready\n");
    fflush(stdout);
    while (read(STDIN_FILENO, bytes, sizeof bytes) > 0)
        ;
    ssize_t length;
    while ((length = read(events, bytes, sizeof bytes)) > 0)
        for (char *at = bytes; at < bytes + length;) {
            const struct inotify_event *event = (const void *)at;
            if (event->wd > 0 && event->wd < argc)
                printf("%s\n", argv[event->wd]);
            at += sizeof *event + event->len;
        }
    return 0;
}
