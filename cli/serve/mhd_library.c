/* Opening libmicrohttpd: see mhd_library.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/mhd_library.h"

#include "cli/out/say.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct mhd_library mhd;

int mhd_library_open(void)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define MHD_PLACE(member, function) {#function, offsetof(struct mhd_library, member)},
        MHD_FUNCTIONS(MHD_PLACE)
#undef MHD_PLACE
    };
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return fail(
            "serve: libmicrohttpd, which speaks to the browser, is not installed here: "
            "install libmicrohttpd12 (Debian 12), libmicrohttpd12t64 (Debian 13, Ubuntu) or "
            "libmicrohttpd (Alpine, Fedora, Arch)");
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL)
            return fail("serve: this libmicrohttpd has no %s: 0.9.71 or newer is needed",
                        functions[i].name);
        memcpy((char *)&mhd + functions[i].offset, &function, sizeof function);
    }
    return 0;
}
#else
extern const int mhd_library_is_not_built_in; /* ISO C forbids an empty file */
#endif
