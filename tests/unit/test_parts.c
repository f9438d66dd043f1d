/* Parts of texts and paths. */
#include "base/parts.h"
#include "tests/unit/check.h"

int main(void)
{
    check(starts_with("libc.so.6", "libc.so."), "a text starts with its start");
    check(!starts_with("lib", "libc"), "it does not start with more than it has");
    check(ends_with("run.bin", ".bin") && ends_with(".bin", ".bin"), "a text ends with its end");
    check(!ends_with("n", "bin"), "it does not end with more than it has");
    check(has_ending("run.bin", ".bin"), "a name has an ending");
    check(!has_ending(".bin", ".bin"), "an ending alone is no name with one");
    check(path_ends_with("/src/a/b.c", "a/b.c"), "a path ends with whole parts");
    check(path_ends_with("b.c", "b.c") && path_ends_with("/a/b.c", "/b.c"), "or is them");
    check(!path_ends_with("/src/ab.c", "b.c"), "not with half a part");
    check_string("b.c", last_part("/src/a/b.c"), "the last part of a path");
    check_string("b.c", last_part("b.c"), "a path of one part");
    check_string("a/", last_part("a/"), "nothing behind the last slash: the whole");
    return check_status();
}
