/* The option --color: see colour.h. */
#include "cli/out/colour.h"
#include "cli/out/pager.h"

#include <string.h>

int colour_parse(const struct args *args, enum colour *colour)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (strcmp(args->value, words[i]) == 0) {
            *colour = (enum colour)i;
            return 0;
        }
    return args_wrong(args, "auto, always or never");
}

bool colour_start(enum colour colour)
{
    bool shown = pager_start();
    return colour == COLOUR_AUTO ? shown : colour == COLOUR_ALWAYS;
}
