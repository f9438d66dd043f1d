/* The terminal that stdout is: see terminal.h. */
#include "cli/out/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 10000, COLUMNS_USUAL = 80 };

int terminal_columns(void)
{
    if (isatty(STDOUT_FILENO) != 1)
        return 0;
    const char *text = getenv("COLUMNS");
    struct winsize size = {0};
    char *end = NULL;
    long columns = text != NULL ? strtol(text, &end, 10) : 0;
    if (columns <= 0 || *end != '\0')
        columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (columns <= 0)
        return COLUMNS_USUAL;
    return (int)(columns < COLUMNS_LEAST  ? COLUMNS_LEAST
                 : columns > COLUMNS_MOST ? COLUMNS_MOST
                                          : columns);
}
