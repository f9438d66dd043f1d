/* The terminal of `fisql top`: see top_screen.h. */
#include "cli/live/top_screen.h"

#include "cli/live/live_end.h"
#include "cli/out/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The other screen, without a cursor; and back. */
static const char take[] = "\033[?1049h\033[?25l";
static const char give_back[] = "\033[?25h\033[?1049l";

enum {
    KEY_ESCAPE = 27,
    KEY_BACKSPACE = 127,
    KEY_CTRL_H = 8,
    KEY_CTRL_U = 21,
    ROWS_USUAL = 24,
    IDLE_MS = 50
};

static struct termios before;
static volatile sig_atomic_t taken;

static void put_all(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, text, length);
        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* Async-signal-safe. */
static void restore(void)
{
    if (!taken)
        return;
    taken = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    put_all(give_back, sizeof give_back - 1);
}

static void on_signal(int number)
{
    if (live_end_asked == 0 &&
        (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)) {
        live_end_asked = 1;
        return;
    }
    restore();
    signal(number, SIG_DFL);
    raise(number);
}

bool top_screen_begin(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS};
    struct sigaction action = {.sa_handler = on_signal};
    struct termios raw;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1 ||
        tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* stopped, we would leave the terminal raw */
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        sigaction(caught[i], &action, NULL);
    taken = 1;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) {
        taken = 0;
        return false;
    }
    atexit(restore);
    put_all(take, sizeof take - 1);
    return true;
}

void top_screen_end(void)
{
    fflush(stdout);
    restore();
}

int top_screen_rows(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row
                                                                           : ROWS_USUAL;
}

int top_screen_key(int timeout_ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char key;
    int got = poll(&input, 1, timeout_ms);
    if (got <= 0)
        return got < 0 && errno != EINTR ? -1 : 0;
    ssize_t bytes = read(STDIN_FILENO, &key, 1);
    return bytes == 1 ? key : bytes < 0 && errno == EINTR ? 0 : -1;
}

void top_screen_clear(void)
{
    fputs("\033[H\033[2J", stdout);
}

static void put_question(const char *prompt, const char *text)
{
    char *shown = text_shown(text, strlen(text));
    printf("\033[%d;1H\033[2K%s%s", top_screen_rows(), prompt, shown != NULL ? shown : "");
    fflush(stdout);
    free(shown);
}

bool top_screen_ask(const char *prompt, char *text, size_t size, void (*idle)(void *context),
                    void *context)
{
    char line[256];
    size_t room = size < sizeof line ? size : sizeof line;
    snprintf(line, room, "%s", text);
    put_question(prompt, line);
    for (size_t length = strlen(line); live_end_asked == 0;) {
        int key = top_screen_key(IDLE_MS);
        if (key == 0) {
            idle(context);
            continue;
        }
        if (key == '\n' || key == '\r') {
            snprintf(text, room, "%s", line);
            return true;
        }
        if (key == KEY_ESCAPE || key < 0)
            return false;
        if ((key == KEY_BACKSPACE || key == KEY_CTRL_H) && length > 0)
            line[--length] = 0;
        else if (key == KEY_CTRL_U)
            line[length = 0] = 0;
        else if (key >= ' ' && key != KEY_BACKSPACE && length + 1 < room) {
            line[length++] = (char)key;
            line[length] = 0;
        }
        put_question(prompt, line);
    }
    return false;
}
