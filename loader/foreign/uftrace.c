/* Reads a folder of uftrace: what was recorded. See uftrace.h. */
#include "loader/foreign/uftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file_look.h"

/* The head of the file info, before its lines: struct uftrace_file_header. */
struct info_head {
    char magic[8];
    uint32_t version;
    uint16_t bytes;
    uint8_t endian, elf_class;
    uint64_t features, infos;
    uint16_t max_stack, unused[3];
};
_Static_assert(sizeof(struct info_head) == 40, "the head of uftrace's info");
#define INFO_MAGIC "Ftrace!"
#define VERSION_FIRST 3u
#define VERSION_LAST 4u
#define ELF_LITTLE_ENDIAN 1
#define ELF_64_BIT 2

bool uftrace_is(const char *path, const unsigned char *head, size_t bytes)
{
    char name[PATH_MAX], magic[sizeof INFO_MAGIC] = "";
    struct stat status;
    (void)head;
    (void)bytes;
    if (snprintf(name, sizeof name, "%s/info", path) >= (int)sizeof name)
        return false;
    int file = file_open_regular(name, O_RDONLY | O_CLOEXEC, &status);
    if (file < 0)
        return false;
    ssize_t got = read(file, magic, sizeof magic);
    close(file);
    return got == (ssize_t)sizeof magic && memcmp(magic, INFO_MAGIC, sizeof magic) == 0;
}

/* ---- info ---- */

static const char *after(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 ? line + length : NULL;
}

static int take_info(struct uftrace *uftrace, const char *line, struct error *error)
{
    const char *value;
    if ((value = after(line, "exename:")) != NULL)
        uftrace->info.executable = value;
    else if ((value = after(line, "cmdline:")) != NULL)
        uftrace->info.command = value;
    else if ((value = after(line, "osinfo:hostname=")) != NULL)
        uftrace->info.host = value;
    else if ((value = after(line, "record_date:")) != NULL)
        uftrace->info.date = value;
    else if ((value = after(line, "pattern_type:")) != NULL)
        uftrace->info.glob = strcmp(value, "glob") == 0;
    else if ((value = after(line, "auto-args:")) != NULL)
        uftrace->info.auto_args = value[0] == '1';
    else if ((value = after(line, "argspec:")) != NULL && after(value, "lines=") == NULL)
        return uftrace_specs_read(&uftrace->info.args, value, error);
    else if ((value = after(line, "retspec:")) != NULL)
        return uftrace_specs_read(&uftrace->info.results, value, error);
    else if ((value = after(line, "argauto:")) != NULL)
        return uftrace_specs_read(&uftrace->info.auto_arguments, value, error);
    else if ((value = after(line, "retauto:")) != NULL)
        return uftrace_specs_read(&uftrace->info.auto_results, value, error);
    else if ((value = after(line, "exit_status:")) != NULL) {
        uftrace->info.has_status = true;
        uftrace->info.status = (int)strtol(value, NULL, 10);
    }
    return 0;
}

static int read_info(struct uftrace *uftrace, struct error *error)
{
    struct info_head head;
    char path[PATH_MAX];
    size_t bytes;
    snprintf(path, sizeof path, "%s/info", uftrace->job->path);
    if (uftrace_file(uftrace, "info", &uftrace->info_text, &bytes, error) != 0)
        return -1;
    if (uftrace->info_text == NULL || bytes < sizeof head)
        return error_set_file(error, ERROR_DAMAGE, path, "is too short");
    memcpy(&head, uftrace->info_text, sizeof head);
    if (head.version < VERSION_FIRST || head.version > VERSION_LAST ||
        head.endian != ELF_LITTLE_ENDIAN || head.elf_class != ELF_64_BIT)
        return error_set_file(error, ERROR_UNSUPPORTED, path,
                              "is of version %u%s: fisql reads %u to %u of 64-bit little-endian "
                              "programs",
                              head.version, head.elf_class != ELF_64_BIT ? ", of 32 bits" : "",
                              VERSION_FIRST, VERSION_LAST);
    if (head.bytes < sizeof head || head.bytes > bytes)
        return error_set_file(error, ERROR_DAMAGE, path, "has a head of %u bytes", head.bytes);
    char *at = uftrace->info_text + head.bytes;
    for (char *line; (line = uftrace_line(&at)) != NULL;)
        if (take_info(uftrace, line, error) != 0)
            return -1;
    return 0;
}

/* ---- tasks ---- */

/* "889.414113856" in nanoseconds. */
static bool read_time(const char *text, uint64_t *ns)
{
    unsigned long long seconds, fraction;
    if (sscanf(text, "timestamp=%llu.%llu", &seconds, &fraction) != 2 || seconds > INT32_MAX ||
        fraction >= 1000000000)
        return false;
    *ns = (uint64_t)seconds * 1000000000u + fraction;
    return true;
}

/* The number behind a key in the line. */
static bool read_key(const char *line, const char *key, int base, uint64_t *out)
{
    const char *at = strstr(line, key);
    char *end;
    if (at == NULL)
        return false;
    at += strlen(key);
    *out = strtoull(at, &end, base);
    return end > at;
}

static uint32_t find_session(const struct uftrace *uftrace, const char *line)
{
    const char *at = strstr(line, " sid=");
    if (at == NULL)
        return UINT32_MAX;
    at += 5;
    size_t length = strcspn(at, " ");
    for (size_t i = 0; i < uftrace->sessions_count; i++)
        if (strlen(uftrace->sessions[i].id) == length &&
            strncmp(uftrace->sessions[i].id, at, length) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

static int add_number(struct uftrace *uftrace, int32_t number, struct uftrace_number **out,
                      struct error *error)
{
    uint32_t index;
    if (intern_add(&uftrace->number_of, (uint32_t)number, 0, &index, error) != 0)
        return -1;
    if (index == uftrace->numbers_count) {
        struct uftrace_number new = {.first = 0};
        if (array_add(&uftrace->numbers, &uftrace->numbers_count, &uftrace->numbers_capacity, new,
                      error) != 0)
            return -1;
    }
    *out = &uftrace->numbers[index];
    return 0;
}

/* The last image of a pid; UINT32_MAX = none. */
static uint32_t last_image(const struct uftrace *uftrace, int32_t pid)
{
    const struct uftrace_number *known = uftrace_number(uftrace, pid);
    return known != NULL ? known->last - 1 : UINT32_MAX;
}

static int add_image(struct uftrace *uftrace, const struct uftrace_image *image,
                     struct error *error)
{
    struct uftrace_number *number;
    if (uftrace->images_count == UFTRACE_IMAGES_MAX)
        return error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u processes",
                              UFTRACE_IMAGES_MAX);
    if (add_number(uftrace, image->pid, &number, error) != 0 ||
        array_add(&uftrace->images, &uftrace->images_count, &uftrace->images_capacity, *image,
                  error) != 0)
        return -1;
    if (number->last != 0)
        uftrace->images[number->last - 1].next = (uint32_t)uftrace->images_count;
    else
        number->first = (uint32_t)uftrace->images_count;
    number->last = (uint32_t)uftrace->images_count;
    return 0;
}

static int add_thread(struct uftrace *uftrace, int32_t tid, int32_t pid, struct error *error)
{
    struct uftrace_number *number;
    if (add_number(uftrace, tid, &number, error) != 0)
        return -1;
    number->pid = pid;
    return 0;
}

/* The session of a line, read where it is new. */
static int make_session(struct uftrace *uftrace, const char *line, uint32_t *index,
                        struct error *error)
{
    const char *id = strstr(line, " sid=");
    struct uftrace_session session = {.maps = NULL};
    *index = find_session(uftrace, line);
    if (*index != UINT32_MAX || id == NULL)
        return 0;
    size_t length = strcspn(id + 5, " ");
    if (length >= sizeof session.id || memchr(id + 5, '/', length) != NULL)
        return 0;
    memcpy(session.id, id + 5, length);
    if (array_add(&uftrace->sessions, &uftrace->sessions_count, &uftrace->sessions_capacity,
                  session, error) != 0)
        return -1;
    *index = (uint32_t)uftrace->sessions_count - 1;
    return uftrace_session_read(uftrace, &uftrace->sessions[*index], error);
}

static int take_session(struct uftrace *uftrace, const char *line, uint64_t ns, struct error *error)
{
    uint64_t pid;
    uint32_t session;
    if (!read_key(line, " pid=", 10, &pid))
        return 0;
    if (make_session(uftrace, line, &session, error) != 0)
        return -1;
    if (session == UINT32_MAX)
        return 0;
    uint32_t before = last_image(uftrace, (int32_t)pid);
    const struct uftrace_image image = {.pid = (int32_t)pid,
                                        .start_ns = ns,
                                        .session = session,
                                        .parent = before != UINT32_MAX ? before + 1 : 0,
                                        .exec = before != UINT32_MAX};
    return add_image(uftrace, &image, error);
}

static int take_fork(struct uftrace *uftrace, const char *line, uint64_t ns, struct error *error)
{
    uint64_t pid, parent_pid;
    if (!read_key(line, " pid=", 10, &pid) || !read_key(line, " ppid=", 10, &parent_pid))
        return 0;
    uint32_t parent = last_image(uftrace, (int32_t)parent_pid);
    struct uftrace_image image = {.pid = (int32_t)pid, .start_ns = ns, .fork = true};
    if (parent != UINT32_MAX) {
        image.session = uftrace->images[parent].session;
        image.parent = parent + 1;
    }
    if (uftrace->sessions_count == 0)
        return 0;
    return add_image(uftrace, &image, error) != 0
               ? -1
               : add_thread(uftrace, (int32_t)pid, (int32_t)pid, error);
}

static int take_library(struct uftrace *uftrace, const char *line, struct error *error)
{
    uint64_t base;
    uint32_t session = find_session(uftrace, line);
    const char *name = strstr(line, "libname=\"");
    char path[PATH_MAX];
    if (session == UINT32_MAX || name == NULL || !read_key(line, " base=", 16, &base))
        return 0;
    name += strlen("libname=\"");
    snprintf(path, sizeof path, "%.*s", (int)strcspn(name, "\""), name);
    return uftrace_session_load(uftrace, &uftrace->sessions[session], base, path, error);
}

static int take_task(struct uftrace *uftrace, const char *line, struct error *error)
{
    uint64_t ns, tid, pid;
    bool timed = strlen(line) > 5 && read_time(line + 5, &ns);
    if (!timed)
        return 0;
    if (after(line, "SESS ") != NULL)
        return take_session(uftrace, line, ns, error);
    if (after(line, "FORK ") != NULL)
        return take_fork(uftrace, line, ns, error);
    if (after(line, "DLOP ") != NULL)
        return take_library(uftrace, line, error);
    if (after(line, "TASK ") == NULL || !read_key(line, " tid=", 10, &tid) ||
        !read_key(line, " pid=", 10, &pid))
        return 0;
    return add_thread(uftrace, (int32_t)tid, (int32_t)pid, error);
}

static int read_tasks(struct uftrace *uftrace, struct error *error)
{
    char *text = NULL;
    int result = uftrace_text(uftrace, "task.txt", &text, error);
    char *at = text;
    for (char *line; result == 0 && (line = uftrace_line(&at)) != NULL;)
        result = take_task(uftrace, line, error);
    free(text);
    return result == 0 && uftrace->images_count == 0
               ? error_set_file(error, ERROR_DAMAGE, uftrace->job->path,
                                "has no task.txt that says which programs were recorded")
               : result;
}

/* ---- facts ---- */

static int write_run(struct uftrace *uftrace, struct error *error)
{
    struct log_writer *writer = uftrace->job->writer;
    const char *host = uftrace->info.host, *date = uftrace->info.date;
    char plain[256];
    struct tm local = {.tm_isdst = -1};
    log_facts_begin(writer, FISQL_CHUNK_RUN, NULL, 0);
    /* "Sat Nov 28 22:20:29 2026", in local time */
    const char *end = date != NULL ? strptime(date, "%a %b %d %H:%M:%S %Y", &local) : NULL;
    time_t started = end != NULL ? mktime(&local) : 0;
    if (started > 0 &&
        log_fact_number(writer, FISQL_FACT_RUN_STARTED, (uint64_t)started, error) != 0)
        return -1;
    if (uftrace->info.command != NULL &&
        log_fact(writer, FISQL_FACT_RUN_COMMAND, uftrace->info.command, error) != 0)
        return -1;
    if (host != NULL) {
        snprintf(plain, sizeof plain, "%s", host);
        if (log_fact(writer, FISQL_FACT_RUN_HOST, plain, error) != 0)
            return -1;
    }
    return log_facts_end(writer, error);
}

static int write_image(struct uftrace *uftrace, uint32_t index, struct error *error)
{
    struct log_writer *writer = uftrace->job->writer;
    const struct uftrace_image *image = &uftrace->images[index];
    const struct uftrace_session *session = &uftrace->sessions[image->session];
    const struct log_place place = uftrace_place(uftrace, index);
    const char *path = session->maps_count > 0 ? uftrace->modules[session->maps[0].module].path
                                               : uftrace->info.executable;
    log_facts_begin(writer, FISQL_CHUNK_PROCESS, &place, image->start_ns);
    if (log_fact(writer, FISQL_FACT_PROCESS_CLOCK, FISQL_CLOCK_MONOTONIC, error) != 0 ||
        log_fact(writer, FISQL_FACT_PROCESS_ORIGIN,
                 image->fork   ? FISQL_ORIGIN_FORK
                 : image->exec ? FISQL_ORIGIN_EXEC
                               : FISQL_ORIGIN_START,
                 error) != 0 ||
        log_fact_number(writer, FISQL_FACT_PROCESS_START_TICK, image->start_ns, error) != 0 ||
        (path != NULL && log_fact(writer, FISQL_FACT_PROCESS_EXECUTABLE, path, error) != 0) ||
        (image->parent != 0 &&
         log_fact_address(writer, FISQL_FACT_PROCESS_PARENT_PROCESS, image->parent, error) != 0))
        return -1;
    return log_facts_end(writer, error);
}

/* How the first program ended is all that uftrace keeps. */
static int write_end(struct uftrace *uftrace, struct error *error)
{
    struct log_writer *writer = uftrace->job->writer;
    const struct log_place place = uftrace_place(uftrace, 0);
    int status = uftrace->info.status;
    if (!uftrace->info.has_status || (!WIFEXITED(status) && !WIFSIGNALED(status)))
        return 0;
    log_facts_begin(writer, FISQL_CHUNK_END, &place, 0);
    if (log_fact(writer, FISQL_FACT_END_HOW, WIFEXITED(status) ? FISQL_HOW_EXIT : FISQL_HOW_SIGNAL,
                 error) != 0 ||
        (WIFEXITED(status)
             ? log_fact_number(writer, FISQL_FACT_END_STATUS, (uint64_t)WEXITSTATUS(status), error)
             : log_fact_number(writer, FISQL_FACT_END_SIGNAL, (uint64_t)WTERMSIG(status), error)) !=
            0)
        return -1;
    return log_facts_end(writer, error);
}

static int write_losses(const struct uftrace *uftrace, struct error *error)
{
    struct log_writer *writer = uftrace->job->writer;
    const struct {
        const char *reason;
        uint64_t count;
    } losses[] = {{"records that uftrace lost", uftrace->lost_records},
                  {"arguments in a form that is not known", uftrace->lost_arguments},
                  {"bytes of records that are not sound", uftrace->damaged_bytes},
                  {"records whose time goes back", writer->backwards}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0 &&
            log_writer_loss(writer, losses[i].reason, losses[i].count, NULL, error) != 0)
            return -1;
    return 0;
}

static int write_all(struct uftrace *uftrace, struct error *error)
{
    if (write_run(uftrace, error) != 0)
        return -1;
    for (uint32_t i = 0; i < uftrace->images_count; i++)
        if (write_image(uftrace, i, error) != 0)
            return -1;
    if (write_end(uftrace, error) != 0 || uftrace_write_threads(uftrace, error) != 0)
        return -1;
    /* Which modules have functions that were called is known now. */
    for (uint32_t i = 0; i < uftrace->images_count; i++)
        if (!uftrace->images[i].fork && uftrace_write_modules(uftrace, i, error) != 0)
            return -1;
    return write_losses(uftrace, error);
}

int uftrace_read(const struct foreign_job *job, struct error *error)
{
    struct uftrace *uftrace = calloc(1, sizeof *uftrace);
    if (uftrace == NULL)
        return error_set(error, "out of memory");
    uftrace->job = job;
    int result = read_info(uftrace, error) != 0 || read_tasks(uftrace, error) != 0
                     ? -1
                     : write_all(uftrace, error);
    uftrace_symbols_release(uftrace);
    uftrace_specs_release(&uftrace->info.args);
    uftrace_specs_release(&uftrace->info.results);
    uftrace_specs_release(&uftrace->info.auto_arguments);
    uftrace_specs_release(&uftrace->info.auto_results);
    free(uftrace->info_text);
    free(uftrace->images);
    free(uftrace->numbers);
    intern_release(&uftrace->number_of);
    free(uftrace);
    return result;
}
