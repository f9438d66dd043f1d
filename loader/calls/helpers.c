/* Threads that help those that decode: see helpers.h. */
#include "loader/calls/helpers.h"

#include <stddef.h>

#define LOOKS_MAX 4000u /* some 100 microseconds */
#define LOOKS_MIN 32u

static inline void look_again(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

void helpers_init(struct helpers *helpers, uint32_t decoding)
{
    *helpers = (struct helpers){.decoding = decoding, .looks = LOOKS_MAX};
    pthread_mutex_init(&helpers->lock, NULL);
    pthread_cond_init(&helpers->changed, NULL);
}

void helpers_release(struct helpers *helpers)
{
    pthread_mutex_destroy(&helpers->lock);
    pthread_cond_destroy(&helpers->changed);
}

void helpers_tell(struct helpers *helpers)
{
    __atomic_fetch_add(&helpers->changes, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&helpers->changed);
}

/* Sleeping and waking costs a virtual machine as much as a good part of a batch, so the thread
 * first looks for a while. If that is in vain, because the others have no processor of their own,
 * the next thread looks half as often. */
void helpers_wait(struct helpers *helpers)
{
    uint32_t changes = helpers->changes, looks = helpers->looks;
    pthread_mutex_unlock(&helpers->lock);
    while (looks > 0 && __atomic_load_n(&helpers->changes, __ATOMIC_RELAXED) == changes) {
        look_again();
        looks--;
    }
    pthread_mutex_lock(&helpers->lock);
    if (looks > 0)
        helpers->looks = LOOKS_MAX;
    else if (helpers->looks > LOOKS_MIN)
        helpers->looks /= 2;
    if (helpers->changes == changes)
        pthread_cond_wait(&helpers->changed, &helpers->lock);
}

void helpers_leave(struct helpers *helpers, uint32_t threads)
{
    pthread_mutex_lock(&helpers->lock);
    helpers->decoding -= threads;
    helpers_tell(helpers);
    pthread_mutex_unlock(&helpers->lock);
}

/* ---- errands ---- */

void errand_init(struct errand *errand, struct helpers *helpers, void (*run)(void *context),
                 void *context)
{
    *errand = (struct errand){.helpers = helpers, .run = run, .context = context};
    if (helpers == NULL)
        return;
    pthread_mutex_lock(&helpers->lock);
    errand->next = helpers->errands;
    helpers->errands = errand;
    pthread_mutex_unlock(&helpers->lock);
}

void errand_ask(struct errand *errand)
{
    struct helpers *helpers = errand->helpers;
    if (helpers == NULL) {
        errand->state = ERRAND_WANTED;
        return;
    }
    pthread_mutex_lock(&helpers->lock);
    errand->state = ERRAND_WANTED;
    if (helpers->idle > 0)
        helpers_tell(helpers);
    pthread_mutex_unlock(&helpers->lock);
}

/* Cancels it. Returns whether it was wanted. */
static bool forget(struct errand *errand)
{
    bool wanted = errand->state == ERRAND_WANTED;
    errand->state = ERRAND_NONE;
    return wanted;
}

/* Cancels it and waits for a helper that runs it. Returns whether it was still to be run. */
static bool take_back(struct errand *errand)
{
    struct helpers *helpers = errand->helpers;
    if (helpers == NULL)
        return forget(errand);
    pthread_mutex_lock(&helpers->lock);
    while (errand->state == ERRAND_BUSY)
        helpers_wait(helpers);
    bool wanted = forget(errand);
    pthread_mutex_unlock(&helpers->lock);
    return wanted;
}

void errand_finish(struct errand *errand)
{
    if (take_back(errand))
        errand->run(errand->context);
}

void errand_drop(struct errand *errand)
{
    (void)take_back(errand);
}

bool helpers_run_errand(struct helpers *helpers)
{
    struct errand *errand = helpers->errands;
    while (errand != NULL && errand->state != ERRAND_WANTED)
        errand = errand->next;
    if (errand == NULL)
        return false;
    errand->state = ERRAND_BUSY;
    pthread_mutex_unlock(&helpers->lock);
    errand->run(errand->context);
    pthread_mutex_lock(&helpers->lock);
    errand->state = ERRAND_NONE;
    helpers_tell(helpers);
    return true;
}
