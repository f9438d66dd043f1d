/* A command's words, quoted, are the same words for a shell. */
#include "cli/out/shell_words.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What sh makes of the text: each word between < and >. */
static void same_for_a_shell(const char *wanted, const char *const *words)
{
    char text[512], command[1024], out[512] = "";
    size_t written = shell_words(text, sizeof text, words);
    check_equal(strlen(text), written, "its length");
    snprintf(command, sizeof command, "printf '<%%s>' %s", text);
    FILE *shell = popen(command, "r");
    check(shell != NULL, "a shell starts");
    if (shell == NULL)
        return;
    size_t length = fread(out, 1, sizeof out - 1, shell);
    out[length] = 0;
    check_equal(0, pclose(shell), "it takes the text");
    check_string(wanted, out, "and reads the words");
}

static void are_the_same_words(void)
{
    same_for_a_shell("<ls><-l><a=b,c:d+e@f%1>",
                     (const char *[]){"ls", "-l", "a=b,c:d+e@f%1", NULL});
    same_for_a_shell("<select(.a%7==0)|{a}>", (const char *[]){"select(.a%7==0)|{a}", NULL});
    same_for_a_shell("<><a  b><;><*><~><#>",
                     (const char *[]){"", "a  b", ";", "*", "~", "#", NULL});
    same_for_a_shell("<it's><say \"it\"><$HOME>",
                     (const char *[]){"it's", "say \"it\"", "$HOME", NULL});
    same_for_a_shell("<it's \"$x\" `y` \\'!>", (const char *[]){"it's \"$x\" `y` \\'!", NULL});
    same_for_a_shell("<'><''><a\nb>", (const char *[]){"'", "''", "a\nb", NULL});
}

static void are_short(void)
{
    char text[16];
    shell_words(text, sizeof text, (const char *[]){"ls", "-l", NULL});
    check_string("ls -l", text, "plain words stay as they are");
    shell_words(text, sizeof text, (const char *[]){"it's", NULL});
    check_string("'it'\"'\"'s'", text, "one with a quote has this in the other");
    check_equal(0, shell_words(text, sizeof text, (const char *[]){NULL}), "no words");
    check_string("", text, "are an empty text");
}

static void end_where_room_does(void)
{
    char text[16];
    memset(text, 'x', sizeof text);
    check_equal(11, shell_words(text, sizeof text, (const char *[]){"1234567890a", NULL}),
                "as long as the room");
    check_string("1234567890a", text, "all of it");
    check_equal(8, shell_words(text, sizeof text, (const char *[]){"1234", "567 90", "c", NULL}),
                "longer than it");
    check_string("1234 ...", text, "whole words, and that there are more");
    check_equal(4, shell_words(text, sizeof text, (const char *[]){"1234567890ab", NULL}),
                "no word fits");
    check_string(" ...", text, "and that is said");
}

int main(void)
{
    are_the_same_words();
    are_short();
    end_where_room_does();
    return check_status();
}
