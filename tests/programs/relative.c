/*
 * Reads and writes by the relative paths that its words are (fisql faults):
 *   PATH   prints the first line of the file
 *   =PATH  makes the file, with another text where malloc fails
 *   +PATH  makes the folder
 *   @      prints getcwd()
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) static char *line_new(void)
{
    char *line = malloc(4096);
    if (line != NULL)
        line[0] = 0;
    return line;
}

static int show(const char *path)
{
    char line[256] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        return 1;
    printf("%s: %s", path, line);
    return fclose(file) != 0;
}

static int make(const char *path, const char *text)
{
    FILE *file = fopen(path, "wx");
    if (file == NULL)
        return 1;
    fputs(text, file);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    char *line = line_new();
    const char *text = line != NULL ? "right\n" : "wrong\n";
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] == '@')
            printf("%s\n", getcwd((char[4096]){0}, 4096));
        else if (word[0] == '=')
            failed += make(word + 1, text);
        else if (word[0] == '+')
            failed += mkdir(word + 1, 0700) != 0;
        else
            failed += show(word);
    }
    free(line);
    return failed;
}
