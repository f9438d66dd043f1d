/* Preloaded: holds a program before its own code begins, until gdb is there (FISQL_TEST_GATE names a FIFO that
 * gdb's script writes to). */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_for_gdb(void)
{
    const char *gate = getenv("FISQL_TEST_GATE");
    char byte;
    if (gate == NULL)
        return;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    int descriptor = open(gate, O_RDONLY | O_CLOEXEC);
    while (descriptor >= 0 && read(descriptor, &byte, 1) < 0)
        ; /* interrupted by gdb */
    close(descriptor);
    unsetenv("FISQL_TEST_GATE");
}
