/* A library that is recorded as it is: what it does when it is loaded and unloaded, too. */
#include <stdlib.h>
#define APART __attribute__((noinline))
static volatile int loads;
APART int plugin_helper(int n)
{
    loads++;
    return n * 3 + loads;
}
__attribute__((constructor)) APART static void plugin_loaded(void)
{
    plugin_helper(1);
    plugin_helper(2);
}
__attribute__((destructor)) APART static void plugin_unloaded(void)
{
    plugin_helper(3);
}
APART int plugin_calls(int (*back)(int), int n)
{
    free(malloc((size_t)n + 1));
    return back(plugin_helper(n)) + 1;
}
