/*
 * Which functions a change touches: the hunks of `git diff -U0` give the changed lines of each
 * file, and a function reaches from its line to that of the next one in its file. Files are matched
 * by the end of their path, because the program may have been compiled anywhere.
 */
#include "base/parts.h"
#include "cli/review/review.h"
#include "cli/out/say.h"
#include "cli/out/interrupts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The line at which the next function of the file begins. */
static int64_t next_line(const struct run_view *view, const struct run_function *function)
{
    int64_t next = INT64_MAX;
    for (size_t id = 1; id < view->functions_count; id++) {
        const struct run_function *other = &view->functions[id];
        if (other->file != NULL && other->line > function->line && other->line < next &&
            strcmp(other->file, function->file) == 0)
            next = other->line;
    }
    return next;
}

static void choose_lines(struct review *review, const char *path, int64_t first, int64_t last)
{
    for (size_t id = 1; id < review->view.functions_count; id++) {
        const struct run_function *function = &review->view.functions[id];
        if (function->name == NULL || function->file == NULL || function->line <= 0 ||
            function->line > last || !path_ends_with(function->file, path))
            continue;
        if (first < next_line(&review->view, function) && !review->chosen[id]) {
            review->chosen[id] = true;
            review->chosen_count++;
        }
    }
}

static void read_diff(struct review *review, FILE *diff)
{
    char *line = NULL, path[4096] = "";
    size_t size = 0;
    while (getline(&line, &size, diff) > 0) {
        long long first = 0, count = 1;
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "+++ b/", 6) == 0)
            snprintf(path, sizeof path, "%s", line + 6);
        else if (strncmp(line, "+++ ", 4) == 0)
            path[0] = '\0'; /* the file is gone */
        else if (strncmp(line, "@@ ", 3) == 0 && path[0] != '\0') {
            const char *plus = strstr(line, " +");
            if (plus == NULL || sscanf(plus, " +%lld,%lld", &first, &count) < 1)
                continue;
            choose_lines(review, path, first, count > 0 ? first + count - 1 : first);
        }
    }
    free(line);
}

int review_choose_changed(struct review *review, const char *range)
{
    int ends[2];
    if (pipe(ends) != 0)
        return fail("--git-diff: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        interrupts_child();
        execlp("git", "git", "diff", "-U0", "--no-color", "--no-ext-diff", "--end-of-options",
               range != NULL ? range : "HEAD", "--", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *diff = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (diff != NULL) {
        read_diff(review, diff);
        fclose(diff);
    } else {
        close(ends[0]);
    }
    int status = 0;
    if (child <= 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        return fail("--git-diff: git diff %s failed: is this folder in a git repository?",
                    range != NULL ? range : "HEAD");
    if (review->chosen_count == 0)
        return fail("--git-diff: the change touches no function of the run's program");
    return 0;
}
