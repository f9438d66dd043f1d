/*
 * The parts of the reader of uftrace's folders: uftrace.c reads what was recorded (info, task.txt), uftrace_folder.c the folder's files,
 * uftrace_symbols.c modules and their symbols, uftrace_args.c how arguments lie in the records, and
 * uftrace_threads.c the records. The format: https://github.com/namhyung/uftrace, utils/data-file.c,
 * libmcount/record.c and utils/symbol.c there.
 */
#ifndef FISQL_LOADER_FOREIGN_UFTRACE_H
#define FISQL_LOADER_FOREIGN_UFTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "loader/foreign/foreign_parts.h"

#define UFTRACE_FILE_MAX (256u << 20) /* of a text file in the folder */
#define UFTRACE_ARGS_MAX 30u
#define UFTRACE_MODULES_MAX 10000u /* and parts of them in a session */
#define UFTRACE_IMAGES_MAX 1000000u

/* ---- arguments ---- */

enum uftrace_form {
    UFTRACE_SIGNED,
    UFTRACE_UNSIGNED,
    UFTRACE_TEXT,
    UFTRACE_FLOAT,
    UFTRACE_POINTER,
    UFTRACE_STRUCT
};

struct uftrace_arg {
    enum uftrace_form form;
    uint32_t position; /* from 1; 0 = the result */
    uint32_t bytes;    /* of texts they come with the value */
};

/* How the arguments, or the result, of a function lie behind its record. */
struct uftrace_args {
    uint32_t count; /* 0 = it has none */
    struct uftrace_arg items[UFTRACE_ARGS_MAX];
};

/* A list of specs as in info: `name@arg1/i32,arg2/s;...`. */
struct uftrace_spec {
    char *name;         /* a name, or a pattern */
    const char *values; /* behind the @ */
};

struct uftrace_specs {
    char *text;
    struct uftrace_spec *items;
    size_t count, capacity;
};

MUST_CHECK int uftrace_specs_read(struct uftrace_specs *specs, const char *text,
                                  struct error *error);
void uftrace_specs_release(struct uftrace_specs *specs);

/* Reads `arg1/i32,fparg1/64,...` (result: `retval/s`); what is for the other of the two is passed
 * over. In the order of declaration positions count up, else argN says its own. */
void uftrace_args_read(struct uftrace_args *args, const char *values, bool result, bool declared);

/* The names by which specs know a function. */
bool uftrace_spec_fits(const struct uftrace_spec *spec, const char *linkage, const char *readable,
                       bool glob);

/* ---- modules ---- */

struct uftrace_symbol {
    uint64_t address; /* from the module's start */
    const char *name;
    char type;
    const char *args, *result; /* specs from debug information; NULL = none */
};

struct uftrace_module {
    char *path;
    char *sym_text, *dbg_text;      /* which names are in */
    struct uftrace_symbol *symbols; /* by address */
    size_t symbols_count, symbols_capacity;
};

struct uftrace_map {
    uint64_t start, end;
    uint32_t module;
    char build_id[68];
    bool used; /* a function of it was recorded */
};

/* What lies where in a process: from exec to exec. */
struct uftrace_session {
    char id[20];
    char *map_text;
    struct uftrace_map *maps; /* as they came */
    size_t maps_count, maps_capacity;
    struct intern function_of; /* by the record's address */
    uint32_t *functions;       /* uftrace.functions */
    size_t functions_count, functions_capacity;
};

/* A function as the log has it. */
struct uftrace_function {
    uint32_t point;
    struct uftrace_args *args, *result; /* NULL = none are recorded */
};

/* A process image. */
struct uftrace_image {
    int32_t pid;
    uint64_t start_ns;
    uint32_t session;
    uint32_t parent; /* image + 1; 0 = none */
    uint32_t next;   /* image of the same pid + 1; 0 = none */
    bool exec, fork;
    uint32_t threads; /* that were written */
};

/* What is known of a number of the system's, which processes and threads have. */
struct uftrace_number {
    uint32_t first, last; /* images of a process with it, + 1; 0 = there is none */
    int32_t pid;          /* of the thread with it; 0 = not known */
};

struct uftrace {
    const struct foreign_job *job;
    char *info_text;
    struct {
        const char *command, *executable, *host, *date;
        bool glob, auto_args, has_status;
        int status;
        struct uftrace_specs args, results, auto_arguments, auto_results;
    } info;
    struct uftrace_module *modules;
    size_t modules_count, modules_capacity;
    struct uftrace_session *sessions;
    size_t sessions_count, sessions_capacity;
    struct uftrace_image *images; /* as they began */
    size_t images_count, images_capacity;
    struct intern number_of; /* by tid or pid */
    struct uftrace_number *numbers;
    size_t numbers_count, numbers_capacity;
    struct uftrace_function *functions;
    size_t functions_count, functions_capacity;
    uint64_t lost_records, lost_arguments, damaged_bytes;
};

/* The same as uftrace_text(), and *bytes: its length; the text may hold NULs. */
MUST_CHECK int uftrace_file(const struct uftrace *uftrace, const char *name, char **text,
                            size_t *bytes, struct error *error);

/* A text file of the folder, NUL-terminated, to be freed; *text is NULL where there is none. */
MUST_CHECK int uftrace_text(const struct uftrace *uftrace, const char *name, char **text,
                            struct error *error);

/* The next line of a text: cuts it at its end and moves *at behind it. NULL = no more. */
char *uftrace_line(char **at);

/* Reads sid-ID.map. */
MUST_CHECK int uftrace_session_read(struct uftrace *uftrace, struct uftrace_session *session,
                                    struct error *error);
/* A library that was loaded later, at `base`. */
MUST_CHECK int uftrace_session_load(struct uftrace *uftrace, struct uftrace_session *session,
                                    uint64_t base, const char *path, struct error *error);
/* The function at an address of a session, made where it is new: index in uftrace->functions. */
MUST_CHECK int uftrace_function_at(struct uftrace *uftrace, struct uftrace_session *session,
                                   uint64_t address, uint32_t *function, struct error *error);
MUST_CHECK int uftrace_write_modules(struct uftrace *uftrace, uint32_t image, struct error *error);
void uftrace_symbols_release(struct uftrace *uftrace);

/* What is known of a tid or pid; NULL = nothing. */
const struct uftrace_number *uftrace_number(const struct uftrace *uftrace, int32_t number);

struct log_place uftrace_place(const struct uftrace *uftrace, uint32_t image);

/* Writes the records of all threads. */
MUST_CHECK int uftrace_write_threads(struct uftrace *uftrace, struct error *error);

#endif
