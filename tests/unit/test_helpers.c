/* Errands: each is run once, by a helper or by who needs it, and by nobody once it is dropped. */
#include <pthread.h>
#include <time.h>

#include "loader/calls/helpers.h"
#include "tests/unit/check.h"

/* What an errand does: it takes a while, so that it is caught while it is run. */
struct task {
    struct errand errand;
    unsigned runs;
    pthread_t by;
    long nanoseconds;
};

static void run(void *context)
{
    struct task *task = context;
    const struct timespec moment = {0, task->nanoseconds};
    if (task->nanoseconds > 0)
        nanosleep(&moment, NULL);
    task->runs++;
    task->by = pthread_self();
}

static void *help(void *context)
{
    struct helpers *helpers = context;
    pthread_mutex_lock(&helpers->lock);
    helpers->idle++;
    while (helpers->decoding > 0)
        if (!helpers_run_errand(helpers))
            helpers_wait(helpers);
    helpers->idle--;
    pthread_mutex_unlock(&helpers->lock);
    return NULL;
}

static enum errand_state state_of(struct task *task)
{
    pthread_mutex_lock(&task->errand.helpers->lock);
    enum errand_state state = task->errand.state;
    pthread_mutex_unlock(&task->errand.helpers->lock);
    return state;
}

/* Without a helper that has the time. */
static void by_oneself(struct helpers *helpers)
{
    struct task task = {.runs = 0};
    errand_init(&task.errand, helpers, run, &task);
    errand_finish(&task.errand);
    check_equal(0, task.runs, "what is not wanted is not done");
    errand_ask(&task.errand);
    errand_finish(&task.errand);
    check_equal(1, task.runs, "what is needed is done by who needs it");
    check(pthread_equal(task.by, pthread_self()), "where nobody else is there");
    errand_finish(&task.errand);
    check_equal(1, task.runs, "once");
    errand_ask(&task.errand);
    errand_drop(&task.errand);
    errand_finish(&task.errand);
    check_equal(1, task.runs, "what is dropped is not done");
    if (helpers != NULL)
        helpers->errands = NULL;
}

static void by_helper(struct helpers *helpers)
{
    const struct timespec moment = {0, 1000000};
    static struct task quick, slow = {.nanoseconds = 50000000};
    errand_init(&quick.errand, helpers, run, &quick);
    errand_init(&slow.errand, helpers, run, &slow);
    errand_ask(&quick.errand);
    for (int i = 0; i < 10000 && state_of(&quick) != ERRAND_NONE; i++)
        nanosleep(&moment, NULL);
    errand_finish(&quick.errand);
    check(quick.runs == 1 && !pthread_equal(quick.by, pthread_self()), "a helper does it");
    errand_ask(&slow.errand);
    for (int i = 0; i < 10000 && state_of(&slow) == ERRAND_WANTED; i++)
        nanosleep(&moment, NULL);
    errand_finish(&slow.errand);
    check(slow.runs == 1 && !pthread_equal(slow.by, pthread_self()),
          "who needs it waits for the helper that has begun");
    errand_ask(&slow.errand);
    for (int i = 0; i < 10000 && state_of(&slow) == ERRAND_WANTED; i++)
        nanosleep(&moment, NULL);
    errand_drop(&slow.errand);
    check_equal(2, slow.runs, "so does who drops it");
    /* Asked for at once, many times: whoever is first. */
    for (int i = 0; i < 20000; i++) {
        errand_ask(&quick.errand);
        errand_finish(&quick.errand);
    }
    check_equal(20001, quick.runs, "each is done once, whoever is first");
}

int main(void)
{
    struct helpers helpers;
    pthread_t thread;
    by_oneself(NULL);
    helpers_init(&helpers, 1);
    by_oneself(&helpers);
    if (check(pthread_create(&thread, NULL, help, &helpers) == 0, "a helper starts")) {
        by_helper(&helpers);
        helpers_leave(&helpers, 1);
        pthread_join(thread, NULL);
    }
    helpers_release(&helpers);
    return check_status();
}
