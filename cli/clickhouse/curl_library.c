/* Opening libcurl: see curl_library.h. */
#if __has_include(<curl/curl.h>)
#include "cli/clickhouse/curl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct curl_library curl_library;

int curl_library_open(struct error *error)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define CURL_PLACE(member, function) {#function, offsetof(struct curl_library, member)},
        CURL_FUNCTIONS(CURL_PLACE)
#undef CURL_PLACE
    };
    static void *library;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return error_set_kind(
            error, ERROR_UNSUPPORTED,
            "libcurl, which speaks to servers, is not installed here: install libcurl4 "
            "(Debian) or libcurl");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL)
            return error_set_kind(error, ERROR_UNSUPPORTED,
                                  "this libcurl has no %s: 7.56 or newer is needed",
                                  functions[i].name);
        memcpy((char *)&curl_library + functions[i].offset, &function, sizeof function);
    }
    return 0;
}
#else
extern const int curl_library_is_not_built_in; /* ISO C forbids an empty file */
#endif
