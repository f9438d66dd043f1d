/* Names of the flags of Linux's calls (open, mmap, socket, ...), from the headers of the system that
 * compiled fisql: flag_names.sh makes the file. */
#ifndef FISQL_DEBUGINFO_EXPRESSIONS_FLAG_NAMES_H
#define FISQL_DEBUGINFO_EXPRESSIONS_FLAG_NAMES_H

struct flag_name {
    const char *name; /* NULL = the end */
    long long value;
};
extern const struct flag_name flag_names[]; /* by name */

#endif
