/* See true_return.h. */
#include "collector/core/true_return.h"

struct return_stand_ins return_stand_ins;

uint64_t fisql_true_return(uint64_t address, uint64_t stack)
{
    return true_return(address, stack);
}
