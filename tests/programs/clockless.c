/* Forbids itself to read the processor's clock (PR_SET_TSC) between two series of calls; then fails, with "abort",
 * or begins anew, with "exec". Ends with 3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) int before(int i)
{
    return i + 1;
}

__attribute__((noinline)) int after(char *block)
{
    free(block);
    return 1;
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum = before(sum);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        return 77;
    for (int i = 0; i < 1000; i++)
        sum += after(malloc(10));
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execl(words[0], words[0], (char *)NULL);
    return sum == 2000 ? 3 : 4;
}
