/* libcurl's functions, found when first needed. This file needs libcurl's headers; a fisql built
 * without them fails in http_open(). */
#ifndef FISQL_CLI_CLICKHOUSE_CURL_LIBRARY_H
#define FISQL_CLI_CLICKHOUSE_CURL_LIBRARY_H

#include "base/error.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* X(member, function): each has the type that the header gives it. */
#define CURL_FUNCTIONS(X)                                                                          \
    X(easy_init, curl_easy_init)                                                                   \
    X(easy_cleanup, curl_easy_cleanup)                                                             \
    X(easy_reset, curl_easy_reset)                                                                 \
    X(easy_setopt, curl_easy_setopt)                                                               \
    X(easy_perform, curl_easy_perform)                                                             \
    X(easy_getinfo, curl_easy_getinfo)                                                             \
    X(easy_strerror, curl_easy_strerror)                                                           \
    X(easy_escape, curl_easy_escape)                                                               \
    X(free, curl_free)                                                                             \
    X(mime_init, curl_mime_init)                                                                   \
    X(mime_addpart, curl_mime_addpart)                                                             \
    X(mime_name, curl_mime_name)                                                                   \
    X(mime_filename, curl_mime_filename)                                                           \
    X(mime_data, curl_mime_data)                                                                   \
    X(mime_free, curl_mime_free)                                                                   \
    X(slist_append, curl_slist_append)                                                             \
    X(slist_free_all, curl_slist_free_all)

struct curl_library {
#define CURL_MEMBER(member, function) __typeof__(&(function)) member;
    CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
};

extern struct curl_library curl_library;

/* Returns 0, or -1 with an error that says what to install. */
int curl_library_open(struct error *error);

#endif
