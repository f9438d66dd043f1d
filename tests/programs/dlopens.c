/* dlopen and dlclose in a loop: each library lies where the other one was.
 * dlopens LIBRARY LIBRARY [ROUNDS [ROUNDS-BEFORE-THE-OTHER-ONE]] */
#include "count.h"
#include <dlfcn.h>
#include <stdlib.h>
COUNTED_NAMES;
int main(int argc, char **argv)
{
    COUNT();
    int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 50;
    int each = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 1;
    for (int i = 0; i < rounds; i++) {
        void *library = dlopen(argv[1 + i / each % 2], RTLD_NOW);
        if (library == NULL)
            return 1;
        int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");
        plugin(i);
        dlclose(library);
    }
    report();
    return 0;
}
