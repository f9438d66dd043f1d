/*
 * A program with twelve error paths, five of them wrong; it compiles as C and as C++. The wrong ones, and what they
 * lead to: load_names (crash), fill_queue (hang), copy_pair (leak), make_table (double free), save_result (success
 * in spite of the failure).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static struct {
    char *item;
    int ready;
} queue;

/* 1, wrong: what malloc gives is used without a look. */
APART static char *load_names(void)
{
    char *names = (char *)malloc(64);
    strcpy(names, "alpha beta");
    return names;
}

/* 2, 3 */
APART static int read_line(const char *path, char *line, size_t size)
{
    int file = open(path, O_RDONLY);
    if (file < 0)
        return -1;
    ssize_t length = read(file, line, size - 1);
    close(file);
    return length < 0 ? -1 : 0;
}

/* 4, wrong: nobody tells who waits that there will be no item. */
APART static void fill_queue(void)
{
    queue.item = (char *)malloc(16);
    if (queue.item == NULL)
        return;
    queue.ready = 1;
}

APART static void wait_for_item(void)
{
    while (!queue.ready)
        usleep(1000);
    free(queue.item);
}

/* 5; and 6, wrong: the first copy is forgotten where there is no second one. */
APART static int copy_pair(char **pair, const char *a, const char *b)
{
    pair[0] = (char *)malloc(strlen(a) + 1);
    if (pair[0] == NULL)
        return -1;
    pair[1] = (char *)malloc(strlen(b) + 1);
    if (pair[1] == NULL)
        return -1;
    strcpy(pair[0], a);
    strcpy(pair[1], b);
    return 0;
}

struct table {
    int *rows, *columns;
};

APART static void table_release(struct table *table)
{
    free(table->rows);
    free(table->columns);
}

/* 7; and 8, wrong: the caller releases the table as well. */
APART static int make_table(struct table *table)
{
    table->rows = (int *)calloc(8, sizeof *table->rows);
    if (table->rows == NULL)
        return -1;
    table->columns = (int *)malloc(8 * sizeof *table->columns);
    if (table->columns == NULL) {
        free(table->rows);
        return -1;
    }
    return 0;
}

/* 9, 11; and 10, wrong: nobody looks at what fwrite says. */
APART static int save_result(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return -1;
    fwrite(text, 1, strlen(text), out);
    return fclose(out);
}

APART static int work(const char *names)
{
    char line[64] = "", *pair[2];
    struct table table = {NULL, NULL};
    if (read_line("/etc/passwd", line, sizeof line) != 0)
        return 1;
    fill_queue();
    wait_for_item();
    if (copy_pair(pair, names, line) != 0)
        return 2;
    free(pair[0]);
    free(pair[1]);
    int failed = make_table(&table);
    table_release(&table);
    if (failed)
        return 3;
    if (save_result("result", names) != 0)
        return 4;
    return rename("result", "kept") != 0 ? 5 : 0; /* 12 */
}

int main(void)
{
    char *names = load_names();
    int status = work(names);
    free(names);
    return status;
}
