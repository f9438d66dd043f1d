/* libmicrohttpd's functions, found when `fisql serve` runs. This file needs libmicrohttpd's headers;
 * a fisql built without them says so in mhd_library_open(). */
#ifndef FISQL_CLI_SERVE_MHD_LIBRARY_H
#define FISQL_CLI_SERVE_MHD_LIBRARY_H

#define MHD_NO_DEPRECATION 1 /* what newer headers advise against, older ones have alone */
#include <microhttpd.h>

/* X(member, function): each has the type that the header gives it. */
#define MHD_FUNCTIONS(X)                                                                           \
    X(start_daemon, MHD_start_daemon)                                                              \
    X(stop_daemon, MHD_stop_daemon)                                                                \
    X(quiesce_daemon, MHD_quiesce_daemon)                                                          \
    X(lookup_connection_value, MHD_lookup_connection_value)                                        \
    X(get_connection_values, MHD_get_connection_values)                                            \
    X(get_connection_info, MHD_get_connection_info)                                                \
    X(set_connection_option, MHD_set_connection_option)                                            \
    X(create_response_from_buffer, MHD_create_response_from_buffer)                                \
    X(create_response_from_callback, MHD_create_response_from_callback)                            \
    X(create_response_from_held, MHD_create_response_from_buffer_with_free_callback_cls)           \
    X(add_response_header, MHD_add_response_header)                                                \
    X(queue_response, MHD_queue_response)                                                          \
    X(destroy_response, MHD_destroy_response)

struct mhd_library {
#define MHD_MEMBER(member, function) __typeof__(&(function)) member;
    MHD_FUNCTIONS(MHD_MEMBER)
#undef MHD_MEMBER
};

extern struct mhd_library mhd;

/* Returns 0, or 2 after saying what to install. */
int mhd_library_open(void);

#endif
