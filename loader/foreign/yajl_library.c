/* Opening yajl: see yajl_library.h. */
#if __has_include(<yajl/yajl_parse.h>)
#include "loader/foreign/yajl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct yajl_library yajl_library;

int yajl_library_open(struct error *error)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define YAJL_PLACE(member, function) {#function, offsetof(struct yajl_library, member)},
        YAJL_FUNCTIONS(YAJL_PLACE)
#undef YAJL_PLACE
    };
    static void *library;
    if (library == NULL)
        library = dlopen("libyajl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return error_set_kind(error, ERROR_UNSUPPORTED,
                              "yajl, which reads JSON, is not installed here: install libyajl2 "
                              "(Debian) or yajl");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL)
            return error_set_kind(error, ERROR_UNSUPPORTED,
                                  "this yajl has no %s: 2.0 or newer is needed", functions[i].name);
        memcpy((char *)&yajl_library + functions[i].offset, &function, sizeof function);
    }
    return 0;
}
#else
extern const int yajl_library_is_not_built_in; /* ISO C forbids an empty file */
#endif
