/* What the headers of libraries do not say of parameters: which numbers are flags. */
#ifndef FISQL_DEBUGINFO_PROTOTYPES_FLAG_PARAMETERS_H
#define FISQL_DEBUGINFO_PROTOTYPES_FLAG_PARAMETERS_H

#include <stddef.h>

/* No flags: it points to a struct sockaddr, whose length is the next argument. */
#define FLAG_SOCKET_ADDRESS "sockaddr"

struct flag_parameter {
    const char *functions; /* separated by spaces */
    const char *parameter; /* as prototypes.awk calls it */
    /* of what its value is made: the beginnings of the names of flags (debuginfo/expressions/
     * flag_names.h), separated by spaces, behind a `=` if it is one of them, not several;
     * "0" = an octal number; FLAG_SOCKET_ADDRESS. */
    const char *flags;
};

/* What is known of a function's parameter; NULL = nothing. Thread-safe. */
const struct flag_parameter *flag_parameter_of(const char *function, const char *parameter);

/* The bits among which one name applies at a time, of the flags with this beginning; 0 = none. Of
 * O_RDONLY, O_WRONLY and O_RDWR: 3. */
long long flag_field_of(const char *flags, size_t bytes);

#endif
