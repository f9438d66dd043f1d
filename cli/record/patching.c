/* See patching.h. */
#include "cli/record/patching.h"

#include "base/array.h"
#include "cli/out/clock.h"
#include "cli/record/patch_changes.h"
#include "cli/record/process_stat.h"
#include "cli/record/program_file.h"
#include "cli/record/robust.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STOP_MS 100u   /* for a process to stop; else the next pass tries again */
#define STEPS_MAX 64u  /* instructions to lead a thread out of a function's first bytes */
#define TRY_MS 2000    /* of passes until a question is answered */
#define TRY_NS 2000000 /* between them */
#define AGAIN_MS 20u   /* to the next pass, while something could not be written */
#define BUDGET_MS 20u  /* between looks whether the budget is due */
#define RARE_MS 1000u  /* while a debugger keeps us out, or programs may begin that lack a choice */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while threads are stopped */
static bool leaving; /* threads that were asked to stop have not done so yet */

bool patching_may_wait(void)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    if (leaving)
        pthread_mutex_unlock(&lock);
    return !leaving;
}

void patching_waited(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- the processes ---- */

/* A process that shows where it is patched. */
struct shown {
    pid_t pid, parent;
    struct process_maps maps;
    int memory;             /* -1 = it cannot be opened */
    uint64_t areas_address; /* in the process */
    struct fisql_patch_areas *areas;
};

struct pass {
    struct patching *patching;
    const struct patch_wish *wish;
    dev_t device; /* of the live area */
    ino_t inode;
    struct shown *processes;
    size_t count, capacity;
    bool held, traced; /* something could not be done: a thread is in the way, or a debugger is */
    char *text;        /* FISQL_PATCHING_TEXT: what to say */
};

/* Where the process lists its areas; 0 = it has none. */
static uint64_t areas_address(const struct pass *pass, const struct process_maps *maps)
{
    uint64_t offset = pass->patching->live->area->parts.patched.offset;
    for (size_t i = 0; i < maps->count; i++) {
        const struct process_mapping *mapping = &maps->items[i];
        if (mapping->inode == pass->inode && mapping->device == pass->device &&
            mapping->offset == offset)
            return mapping->start;
    }
    return 0;
}

/* NULL: they cannot be read. */
static struct fisql_patch_areas *areas_read(int memory, uint64_t address)
{
    struct fisql_patch_areas *areas = malloc(sizeof *areas);
    if (areas == NULL || pread(memory, areas, sizeof *areas, (off_t)address) != sizeof *areas ||
        areas->magic != FISQL_PATCH_AREAS_MAGIC || areas->used > FISQL_PATCH_AREAS_MAX) {
        free(areas);
        return NULL;
    }
    return areas;
}

static void shown_release(struct shown *shown)
{
    process_maps_release(&shown->maps);
    free(shown->areas);
    if (shown->memory >= 0)
        close(shown->memory);
}

/* Looks at a process. Returns whether it shows areas; else nothing is to be released. */
static bool shown_open(const struct pass *pass, pid_t pid, struct shown *shown)
{
    char path[64];
    struct error error;
    uint64_t address = 0;
    *shown = (struct shown){.pid = pid, .memory = -1};
    if (process_maps_read(&shown->maps, pid, &error) == 0)
        address = areas_address(pass, &shown->maps);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    if (address != 0 && (shown->memory = open(path, O_RDONLY | O_CLOEXEC)) >= 0)
        shown->areas = areas_read(shown->memory, address);
    shown->areas_address = address;
    shown->parent = (pid_t)stopped_status(pid, "PPid");
    if (shown->areas == NULL)
        shown_release(shown);
    return shown->areas != NULL;
}

static void processes_find(struct pass *pass)
{
    struct error error;
    DIR *folder = opendir("/proc");
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        struct process_stat stat;
        struct shown shown;
        pid_t pid = entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
                        ? (pid_t)strtol(entry->d_name, NULL, 10)
                        : 0;
        if (pid == 0 || pid == getpid() || !process_stat_read(pid, &stat) ||
            stat.start < pass->patching->since || !shown_open(pass, pid, &shown))
            continue;
        if (array_add(&pass->processes, &pass->count, &pass->capacity, shown, &error) != 0)
            shown_release(&shown);
    }
    if (folder != NULL)
        closedir(folder);
}

static void processes_release(struct pass *pass)
{
    for (size_t i = 0; i < pass->count; i++)
        shown_release(&pass->processes[i]);
    free(pass->processes);
    pass->processes = NULL;
    pass->count = pass->capacity = 0;
}

/* Do two processes share their memory? One was begun by vfork(), and calls exec soon. */
static bool is_shared(const struct pass *pass, const struct shown *shown)
{
    for (size_t i = 0; i < pass->count; i++) {
        const struct shown *other = &pass->processes[i];
        bool related = other->parent == shown->pid || shown->parent == other->pid;
        if (related && syscall(SYS_kcmp, shown->pid, other->pid, KCMP_VM, 0, 0) == 0)
            return true;
    }
    return false;
}

/* ---- a process ---- */

static void words_add(struct pass *pass, const char *words)
{
    size_t used = strlen(pass->text);
    snprintf(pass->text + used, FISQL_PATCHING_TEXT - used, "%.400s\n", words);
}

static int changes_find(struct pass *pass, const struct shown *shown, struct patch_changes *changes,
                        struct error *error)
{
    struct patching *patching = pass->patching;
    const struct patch_process process = {.memory = shown->memory,
                                          .maps = &shown->maps,
                                          .wish = pass->wish,
                                          .returns_kept = shown->areas->returns_kept != 0,
                                          .attached = patching->attached};
    int result = 0;
    for (uint32_t i = 0; i < shown->areas->used && result == 0; i++) {
        const struct fisql_patch_area *area = &shown->areas->areas[i];
        const struct known_plan *known =
            area->start != 0 ? patch_plans_of(&patching->plans, patching->live, patching->late,
                                              area, pass->wish, patching->passes)
                             : NULL;
        if (known != NULL)
            result = patch_changes_find(changes, &process, area, i, known, error);
    }
    return result == 0 && changes->count > 0 ? patch_changes_ready(changes, error) : result;
}

static void avoid(uint64_t position, void *context)
{
    patch_changes_avoid(context, position);
}

/* Leads the threads out of what is to be replaced. */
static void threads_lead(struct stopped *stopped, struct patch_changes *changes)
{
    for (size_t i = 0; i < stopped->count; i++) {
        if (!stopped_step_out(stopped, i, changes->risks, changes->risks_count, STEPS_MAX))
            patch_changes_avoid(changes, stopped_position(&stopped->threads[i]));
        if (changes->risks_count > 0)
            stopped_contexts(stopped, i, avoid, changes);
    }
}

/* Makes the changes of a process that is stopped; returns whether all were made. It may have unloaded a
 * library since they were found, and loaded another one, with the same code even, in its place. */
static bool changes_write(const struct shown *shown, struct patch_changes *changes,
                          struct stopped *stopped)
{
    struct fisql_patch_areas *areas = areas_read(shown->memory, shown->areas_address);
    if (areas == NULL)
        return false;
    patch_changes_check(changes, areas);
    free(areas);
    threads_lead(stopped, changes);
    return patch_changes_write(changes, stopped);
}

static void process_change(struct pass *pass, const struct shown *shown)
{
    struct patch_changes changes = {.count = 0};
    struct stopped stopped = {0};
    struct error error;
    if (changes_find(pass, shown, &changes, &error) != 0) {
        words_add(pass, error.text);
        pass->held = true;
    } else if (changes.count > 0 && is_shared(pass, shown)) {
        pass->held = true;
    } else if (changes.count > 0 && stopped_begin(&stopped, shown->pid, STOP_MS, &error) == 0) {
        pass->held |= !changes_write(shown, &changes, &stopped);
        stopped_end(&stopped);
    } else if (changes.count > 0 && kill(shown->pid, 0) == 0) {
        bool traced = stopped_status(shown->pid, "TracerPid") > 0;
        pass->traced |= traced;
        pass->held |= !traced;
        words_add(pass, error.text);
    }
    patch_changes_release(&changes);
}

/* ---- passes ---- */

static void processes_change(struct pass *pass)
{
    pass->held = pass->traced = false;
    pass->text[0] = 0;
    pass->patching->passes++;
    processes_find(pass);
    /* processes_release() frees them. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    for (size_t i = 0; i < pass->count; i++)
        process_change(pass, &pass->processes[i]);
    processes_release(pass);
}

/* Threads that were asked to stop, and have not, are ours until they do. */
static void pass_make(struct pass *pass)
{
    pthread_mutex_lock(&lock);
    if (stopped_late() == 0)
        processes_change(pass);
    leaving = stopped_late() != 0;
    pass->held |= leaving;
    pthread_mutex_unlock(&lock);
}

/* Makes passes until all is done, for some milliseconds. */
static void passes_make(struct patching *patching, char *text)
{
    const struct timespec pause = {0, TRY_NS};
    struct patch_wish wish;
    struct error error;
    struct stat area;
    struct pass pass = {.patching = patching, .wish = &wish, .text = text};
    patching->left_ms = 0;
    int64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + (int64_t)TRY_MS * 1000000;
    if (fstat(patching->live->memory, &area) != 0)
        return;
    pass.device = area.st_dev;
    pass.inode = area.st_ino;
    if (patch_wish_read(&wish, patching->live, &error) != 0) {
        snprintf(text, FISQL_PATCHING_TEXT, "%.1000s\n", error.text);
    } else {
        wish.left = patching->budget.left.count > 0 ? &patching->budget.left : NULL;
        pass_make(&pass);
        while (pass.held && clock_now_ns(CLOCK_MONOTONIC) < end_ns) {
            nanosleep(&pause, NULL);
            pass_make(&pass);
        }
    }
    patching->left_ms = pass.held ? AGAIN_MS : pass.traced || wish.left != NULL ? RARE_MS : 0;
    patching->passed_ns = clock_now_ns(CLOCK_MONOTONIC);
    patch_wish_release(&wish);
}

/* ---- the budget ---- */

/* A process that records: one that the pass has found, or one without areas, which has compiled hooks
 * alone; NULL without memory. */
static const struct shown *recording_process(struct pass *pass, pid_t pid)
{
    struct error error;
    for (size_t i = 0; i < pass->count; i++)
        if (pass->processes[i].pid == pid)
            return &pass->processes[i];
    struct shown shown = {.pid = pid, .memory = -1};
    if (process_maps_read(&shown.maps, pid, &error) == 0 &&
        array_add(&pass->processes, &pass->count, &pass->capacity, shown, &error) == 0)
        return &pass->processes[pass->count - 1];
    shown_release(&shown);
    return NULL;
}

/* NULL without memory. */
static const struct known_module *module_known(struct patching *patching, const char *path)
{
    struct error error;
    struct program_file file;
    for (size_t i = 0; i < patching->modules.count; i++)
        if (strcmp(patching->modules.items[i].path, path) == 0)
            return &patching->modules.items[i];
    program_file_look(&file, path);
    const struct known_module module = {strdup(path), file.hooks, file.fixed};
    if (module.path != NULL && array_add(&patching->modules.items, &patching->modules.count,
                                         &patching->modules.capacity, module, &error) == 0)
        return &patching->modules.items[patching->modules.count - 1];
    free(module.path);
    return NULL;
}

/* A budget_place: of the processes that a pass has found. */
static bool place(void *context, pid_t pid, uint64_t function, struct budget_where *where)
{
    struct pass *pass = context;
    struct patching *patching = pass->patching;
    const struct shown *shown = recording_process(pass, pid);
    uint32_t areas = shown != NULL && shown->areas != NULL ? shown->areas->used : 0;
    for (uint32_t i = 0; i < areas; i++) {
        const struct fisql_patch_area *area = &shown->areas->areas[i];
        if (area->start == 0 || function < area->start || function >= area->end)
            continue;
        const struct known_plan *known = patch_plans_of(
            &patching->plans, patching->live, patching->late, area, pass->wish, patching->passes);
        *where = (struct budget_where){.path = known != NULL ? known->path : "",
                                       .address = function - area->bias};
        return known != NULL && known->path[0] != 0;
    }
    const struct process_mapping *mapping =
        shown != NULL ? process_maps_at(&shown->maps, function) : NULL;
    const struct known_module *module =
        mapping != NULL && mapping->path[0] == '/' ? module_known(patching, mapping->path) : NULL;
    if (module == NULL || (!module->hooks && areas == 0))
        return false;
    uint64_t bias = module->fixed ? 0 : process_maps_bias(&shown->maps, mapping);
    *where = (struct budget_where){.path = mapping->path,
                                   .address = function - bias,
                                   .kind = module->hooks ? BUDGET_HOOKED : BUDGET_LINKED};
    return true;
}

/* Tells the processes which functions' calls they are to count. */
static void counts_put(struct patching *patching)
{
    struct fisql_live_area *area = patching->live->area;
    const struct fisql_live_part *room = &area->parts.counts;
    struct fisql_control *control = &area->control;
    uint64_t half = room->bytes / 2;
    uint32_t number = control->counts + 1;
    size_t size_bytes = 0;
    char *text = budget_counts_text(&patching->budget, &size_bytes);
    off_t offset = (off_t)(room->offset + (number % 2 != 0 ? half : 0));
    if (text != NULL && size_bytes > 0 && size_bytes <= half &&
        pwrite(patching->live->memory, text, size_bytes, offset) == (ssize_t)size_bytes) {
        control->counts_bytes = (uint32_t)size_bytes;
        __atomic_store_n(&control->counts, number, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&control->changes, 1, __ATOMIC_SEQ_CST);
    }
    free(text);
}

/* Returns whether functions are to be left out that were not before. */
static bool budget_serve(struct patching *patching)
{
    struct patch_wish wish = {.off = false};
    struct stat area;
    struct pass pass = {.patching = patching, .wish = &wish};
    if (!budget_is_due(&patching->budget) || !budget_measure(&patching->budget) ||
        fstat(patching->live->memory, &area) != 0)
        return false;
    pass.device = area.st_dev;
    pass.inode = area.st_ino;
    patching->passes++;
    processes_find(&pass);
    size_t chosen = budget_choose(&patching->budget, place, &pass);
    processes_release(&pass);
    if (chosen > 0)
        counts_put(patching);
    return chosen > 0;
}

/* ---- the thread ---- */

/* Is a pass to be made? Processes have patched themselves as it was wished when they began. */
static bool is_due(const struct patching *patching, uint32_t woken)
{
    bool changed = __atomic_load_n(&patching->live->area->control.changes, __ATOMIC_ACQUIRE) != 0;
    if (!changed && patching->budget.left.count == 0)
        return false;
    int64_t since_ns = clock_now_ns(CLOCK_MONOTONIC) - patching->passed_ns;
    return woken != patching->woken ||
           (patching->left_ms != 0 && since_ns >= (int64_t)patching->left_ms * 1000000);
}

static void serve(void *context)
{
    struct patching *patching = context;
    struct fisql_patching *shared = patching->mailbox.part;
    char text[FISQL_PATCHING_TEXT] = "";
    uint32_t woken = __atomic_load_n(&shared->mailbox.wake, __ATOMIC_ACQUIRE);
    uint32_t asked = __atomic_load_n(&shared->asked, __ATOMIC_ACQUIRE);
    bool chosen = budget_serve(patching);
    if (chosen || is_due(patching, woken)) {
        patching->woken = woken;
        passes_make(patching, text);
        memcpy(shared->text, text, sizeof text);
    }
    __atomic_store_n(&shared->answered, asked, __ATOMIC_RELEASE);
    word_wake(&shared->answered);
    budget_write(&patching->budget);
    uint32_t again_ms = patching->left_ms;
    if (patching->budget.part > 0 && (again_ms == 0 || again_ms > BUDGET_MS))
        again_ms = BUDGET_MS;
    patching->mailbox.again_ms = again_ms;
}

void patching_start(struct patching *patching, struct live *live,
                    const struct record_options *options, const struct fisql_late *late,
                    const struct patch_attached *attached)
{
    struct process_stat first;
    *patching = (struct patching){.live = live, .late = late, .attached = attached};
    patching->since =
        process_stat_read(attached != NULL ? attached->pid : getpid(), &first) ? first.start : 0;
    budget_begin(&patching->budget, live, options->libs.budget);
    mailbox_start(&patching->mailbox, live, live->area->parts.patching, serve, patching);
    if (patching->mailbox.part != NULL)
        ((struct fisql_patching *)patching->mailbox.part)->with_calls = options->libs.calls;
}

void patching_end(struct patching *patching)
{
    mailbox_end(&patching->mailbox, false);
    patch_plans_release(&patching->plans);
    for (size_t i = 0; i < patching->modules.count; i++)
        free(patching->modules.items[i].path);
    free(patching->modules.items);
    budget_write(&patching->budget);
    budget_end(&patching->budget);
}
