/* See children.h. */
#include "collector/process/children.h"

#include "collector/core/digits.h"
#include "collector/core/file.h"
#include "collector/process/image.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/process/unrecorded.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASAN_WORD "verify_asan_link_order=0"

/* How this process was launched: it passes this on. */
static struct {
    bool known;
    bool moved; /* the user or root folder has changed, in this image or an earlier one */
    uid_t user;
    char collector[4096];     /* the path in LD_PRELOAD; empty: none */
    char libraries[3 * 4096]; /* it and our other libraries, as there */
    char log[4096 + 16], live[4096 + 16], options[4096 + 512]; /* NAME=value, or empty */
} launch;

static const char *value_of(const char *entry)
{
    return strchr(entry, '=') + 1;
}

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static bool is_ours(const char *entry, enum fisql_variable variable)
{
    return is_variable(entry, fisql_variable(variable));
}

static void remember(char *entry, size_t size, const char *name)
{
    const char *value = secure_getenv(name);
    if (value != NULL && strlen(name) + strlen(value) + 2 <= size)
        strcpy(stpcpy(stpcpy(entry, name), "="), value);
}

/* ---- LD_PRELOAD ---- */

/* The next word; blanks or colons separate words. NULL at the end. */
static const char *next_word(const char *text, size_t *length)
{
    text += strspn(text, " :");
    *length = strcspn(text, " :");
    return *length != 0 ? text : NULL;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    size_t found = 0;
    for (; (list = next_word(list, &found)) != NULL; list += found)
        if (found == length && memcmp(list, word, length) == 0)
            return true;
    return false;
}

static bool is_library(const char *word, size_t length)
{
    return has_word(launch.libraries, word, length);
}

/* Does a value of LD_PRELOAD hold any of our libraries? All? */
static void look_for_libraries(const char *value, bool *any, bool *all)
{
    size_t length = 0;
    *any = false;
    *all = true;
    for (const char *word = launch.libraries; (word = next_word(word, &length)) != NULL;
         word += length) {
        bool there = has_word(value, word, length);
        *any |= there;
        *all &= there;
    }
}

static bool is_named(const char *path, size_t length, const char *name)
{
    size_t size = strlen(name);
    return path[0] == '/' && length > size && path[length - size - 1] == '/' &&
           memcmp(path + length - size, name, size) == 0;
}

/* Remembers the collector and the libraries that `fisql record` puts before it: an image without
 * one of them would be recorded in another way than this one. */
static void remember_libraries(void)
{
#if defined(FISQL_FAULTS)
    static const char collector[] = "libfisql-faults.so";
#elif defined(FISQL_VALUES)
    static const char collector[] = "libfisql-values.so";
#else
    static const char collector[] = "libfisql.so";
#endif
    const char *word = secure_getenv("LD_PRELOAD");
    size_t length = 0, used = 0;
    for (; word != NULL && (word = next_word(word, &length)) != NULL; word += length) {
        bool is_collector = is_named(word, length, collector);
        if (length >= sizeof launch.collector || is_library(word, length) ||
            used + length + 2 > sizeof launch.libraries ||
            !(is_collector || is_named(word, length, "libfisql-calls.so") ||
              is_named(word, length, "libfisql-locks.so")))
            continue;
        if (is_collector && launch.collector[0] == 0)
            memcpy(launch.collector, word, length);
        if (used > 0)
            launch.libraries[used++] = ':';
        memcpy(launch.libraries + used, word, length);
        used += length;
    }
}

/* ---- the start ---- */

void children_setup(void)
{
    if (launch.known || secure_getenv(fisql_variable(FISQL_VARIABLE_LIVE)) == NULL)
        return; /* there is no run */
    remember_libraries();
    remember(launch.log, sizeof launch.log, fisql_variable(FISQL_VARIABLE_LOG));
    remember(launch.live, sizeof launch.live, fisql_variable(FISQL_VARIABLE_LIVE));
    remember(launch.options, sizeof launch.options, fisql_variable(FISQL_VARIABLE_OPTIONS));
    launch.user = geteuid();
    launch.known = launch.live[0] != 0 && launch.log[0] != 0;
}

static int number_at(const char **text)
{
    int number = -1;
    for (; **text >= '0' && **text <= '9' && number < 1 << 24; (*text)++)
        number = (number < 0 ? 0 : number * 10) + (**text - '0');
    if (**text == ',')
        (*text)++;
    return number;
}

void children_take(void)
{
    const char *handed = secure_getenv(fisql_variable(FISQL_VARIABLE_HANDED));
    if (handed == NULL)
        return;
    int log = number_at(&handed), live = number_at(&handed);
    uint64_t run_id = 0;
    if (log >= 0 && live >= 0 && live_area_adopt(live, &run_id) && log_file_adopt(log, run_id))
        launch.moved = true;
    unsetenv(fisql_variable(FISQL_VARIABLE_HANDED)); /* nobody else can use it */
}

void children_keep(void)
{
    struct quiet quiet;
    if (!launch.known || silent())
        return;
    quiet_begin(&quiet);
    launch.moved = true;
    live_area_keep(value_of(launch.live));
    log_file_open(value_of(launch.log));
    quiet_end(&quiet);
}

/* ---- what a program needs ---- */

/* Can the new image open the file? A process that is no longer root's may still have capabilities,
 * which it loses at exec: so the calling thread tries without them. */
static bool can_open(const char *path, int flags)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct own[2] = {{0, 0, 0}, {0, 0, 0}}, lower[2];
    bool lowered = geteuid() != 0 && syscall(SYS_capget, &header, own) == 0 &&
                   (own[0].effective | own[1].effective) != 0;
    if (lowered) {
        memcpy(lower, own, sizeof lower);
        lower[0].effective = lower[1].effective = 0;
        lowered = syscall(SYS_capset, &header, lower) == 0;
    }
    int file = file_open(path, flags | O_NOCTTY | O_NONBLOCK);
    if (lowered)
        syscall(SYS_capset, &header, own);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* Is the environment meant for this run, not for another one that the program begins? */
static bool is_of_this_run(char *const *environment)
{
    for (; environment != NULL && *environment != NULL; environment++)
        if ((is_ours(*environment, FISQL_VARIABLE_LIVE) &&
             strcmp(*environment, launch.live) != 0) ||
            (is_ours(*environment, FISQL_VARIABLE_LOG) && strcmp(*environment, launch.log) != 0))
            return false;
    return true;
}

static int why_not_loaded(const struct image *image, bool readable)
{
    if (image->secure)
        return FISQL_UNRECORDED_SECURE;
    if (image->kind == IMAGE_MACHINE)
        return FISQL_UNRECORDED_MACHINE;
    if (image->kind == IMAGE_LIBC)
        return FISQL_UNRECORDED_LIBC;
    if (image->kind == IMAGE_STATIC)
        return FISQL_UNRECORDED_STATIC;
    return readable || launch.collector[0] == 0 ? -1 : FISQL_UNRECORDED_COLLECTOR;
}

/* Passes descriptors on if the new image could not open the files. False: it cannot record. */
static bool hand_on(struct child *child)
{
    if (!launch.moved && geteuid() == launch.user)
        return true;
    int live = live_area_descriptor();
    /* With --rotate no log is held open: fisql record writes the chunks of the new image. */
    int log = process.options.rotates ? live : log_file_descriptor();
    if (log < 0 || live < 0)
        return can_open(value_of(launch.live), O_RDWR) && can_open(value_of(launch.log), O_RDWR);
    child->log = file_copy_high(log, false);
    child->live = file_copy_high(live, false);
    return child->log >= 0 && child->live >= 0;
}

static void count(struct child *child, int change)
{
    struct fisql_live_area *mapped = NULL, *area = process.area;
    if (area == NULL)
        area = mapped = live_area_header(value_of(launch.live));
    if (area == NULL)
        return;
    unrecorded_count(area, (enum fisql_unrecorded)child->why, child->name, change);
    if (mapped != NULL)
        munmap(mapped, FISQL_LIVE_HEADER);
}

void child_prepare(struct child *child, int folder, const char *path, char *const *environment)
{
    struct image image;
    bool linked = false;
    int error = errno;
    *child = (struct child){.plain = true, .why = -1, .log = -1, .live = -1};
    if (!launch.known || !is_of_this_run(environment))
        return;
    if (silent()) { /* we cannot look at it, and it may not make the calls that recording needs */
        child->plain = false;
        silent_lose();
        return;
    }
    image_look(&image, folder, path);
    memcpy(child->name, image.name, sizeof child->name);
    bool readable = launch.collector[0] != 0 && can_open(launch.collector, O_RDONLY);
    child->plain = image.secure; /* its dynamic linker ignores what it must not use */
    child->preload = readable && image.kind != IMAGE_MACHINE && image.kind != IMAGE_LIBC;
    child->asan = image.asan;
    child->why = why_not_loaded(&image, readable);
    if (child->why >= 0) {
        bool hooks = image_has_hooks(folder, path, &linked);
        if (linked && child->why != FISQL_UNRECORDED_SECURE)
            child->why = -1; /* the collector is linked in */
        else if (!hooks)
            child->why = child->why == FISQL_UNRECORDED_STATIC ? -1 : FISQL_UNRECORDED_FOLLOWED;
    }
    if (child->why < 0 && !child->plain && !hand_on(child))
        child->why = linked || image_has_hooks(folder, path, &linked) ? FISQL_UNRECORDED_USER
                                                                      : FISQL_UNRECORDED_FOLLOWED;
    if (child->why >= 0)
        count(child, 1);
    errno = error;
}

void child_release(struct child *child, bool started)
{
    int error = errno;
    if (child->log >= 0)
        close(child->log);
    if (child->live >= 0)
        close(child->live);
    if (child->why >= 0 && !started)
        count(child, -1);
    child->why = child->log = child->live = -1;
    errno = error;
}

/* ---- its environment ---- */

/* Our variables in an environment. */
struct found {
    size_t count;
    const char *preload, *asan; /* the entries, NULL = none */
    bool log, live, options, handed;
};

static struct found find_ours(char *const *environment)
{
    struct found found = {0};
    for (; environment != NULL && *environment != NULL; environment++, found.count++) {
        const char *entry = *environment;
        found.log |= is_ours(entry, FISQL_VARIABLE_LOG);
        found.live |= is_ours(entry, FISQL_VARIABLE_LIVE);
        found.options |= is_ours(entry, FISQL_VARIABLE_OPTIONS);
        found.handed |= is_ours(entry, FISQL_VARIABLE_HANDED);
        if (found.preload == NULL && is_variable(entry, "LD_PRELOAD"))
            found.preload = entry;
        if (found.asan == NULL && is_variable(entry, "ASAN_OPTIONS"))
            found.asan = entry;
    }
    return found;
}

static bool preload_changes(const struct child *child, const struct found *found)
{
    bool any, all;
    look_for_libraries(found->preload != NULL ? value_of(found->preload) : "", &any, &all);
    return launch.collector[0] != 0 && (child->preload ? !all : any);
}

static bool asan_changes(const struct child *child, const struct found *found)
{
    return child->asan && child->preload &&
           (found->asan == NULL || strstr(found->asan, ASAN_WORD) == NULL);
}

size_t child_environment_bytes(const struct child *child, char *const *environment)
{
    if (child->plain)
        return 0;
    struct found found = find_ours(environment);
    bool options = launch.options[0] == 0 || found.options;
    if (found.log && found.live && options && !found.handed && child->log < 0 &&
        !preload_changes(child, &found) && !asan_changes(child, &found))
        return 0;
    size_t bytes = (found.count + 8) * sizeof(char *) + 256 + strlen(launch.libraries);
    bytes += found.preload != NULL ? strlen(found.preload) : 0;
    return bytes + (found.asan != NULL ? strlen(found.asan) : 0);
}

static char *put_number(char *text, int number)
{
    char room[DIGITS_BYTES];
    const char *digits = digits_put(room, (uint64_t)number, 10, 1);
    return mempcpy(text, digits, strlen(digits));
}

/* Writes LD_PRELOAD with our libraries first, or without them; NULL: nothing is left. */
static char *put_preload(char **text, const struct child *child, const char *old)
{
    char *entry = *text, *start = stpcpy(entry, "LD_PRELOAD="), *at = start;
    if (child->preload)
        at = stpcpy(at, launch.libraries);
    size_t length = 0;
    for (const char *word = old; word != NULL && (word = next_word(word, &length)) != NULL;
         word += length) {
        if (is_library(word, length))
            continue;
        if (at > start)
            *at++ = ':';
        memcpy(at, word, length);
        at += length;
    }
    *at = 0;
    *text = at + 1;
    return at > start ? entry : NULL;
}

static char *put_asan(char **text, const char *old)
{
    char *entry = *text;
    char *at = stpcpy(entry, old != NULL ? old : "ASAN_OPTIONS=");
    if (old != NULL && *value_of(old) != 0)
        *at++ = ':';
    *text = stpcpy(at, ASAN_WORD) + 1;
    return entry;
}

static char *put_handed(char **text, const struct child *child)
{
    char *entry = *text;
    char *at =
        put_number(stpcpy(stpcpy(entry, fisql_variable(FISQL_VARIABLE_HANDED)), "="), child->log);
    *at++ = ',';
    at = put_number(at, child->live);
    *at++ = 0;
    *text = at;
    return entry;
}

char **child_environment(const struct child *child, char *const *environment, void *memory)
{
    struct found found = find_ours(environment);
    char **entries = memory, **at = entries, *text = (char *)(entries + found.count + 8);
    bool preload = preload_changes(child, &found), asan = asan_changes(child, &found);
    for (size_t i = 0; i < found.count; i++) {
        char *entry = environment[i];
        if (is_ours(entry, FISQL_VARIABLE_HANDED) || (preload && entry == found.preload) ||
            (asan && entry == found.asan))
            continue;
        *at++ = entry;
    }
    if (preload) {
        char *entry =
            put_preload(&text, child, found.preload != NULL ? value_of(found.preload) : NULL);
        if (entry != NULL)
            *at++ = entry;
    }
    if (asan)
        *at++ = put_asan(&text, found.asan);
    if (!found.log)
        *at++ = launch.log;
    if (!found.live)
        *at++ = launch.live;
    if (!found.options && launch.options[0] != 0)
        *at++ = launch.options;
    if (child->log >= 0)
        *at++ = put_handed(&text, child);
    *at = NULL;
    return entries;
}
