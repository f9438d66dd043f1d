/* Suppressions, times, nearest names, and the headers of queries. */
#include "tests/unit/check.h"

#include "cli/query/query_file.h"
#include "cli/out/amount.h"
#include "cli/query/query_filter.h"
#include "cli/out/say.h"
#include "cli/query/suppressions.h"

#include <stdlib.h>

static void check_suppressions(void)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"foo", "a_foo_b", true}, {"^foo", "a_foo", false},      {"^foo", "foo_b", true},
        {"foo$", "a_foo", true},  {"foo$", "foo_b", false},      {"^foo$", "foo", true},
        {"f*o", "xfyyoz", true},  {"^f*o$", "fxoy", false},      {"*", "", true},
        {"a*b*c", "abbbc", true}, {"a*b*c", "acb", false},       {"foo", "fo", false},
        {"^$", "", true},         {"lib*.so$", "libc.so", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(suppression_matches(cases[i].pattern, cases[i].text) == cases[i].matches,
              "leak:%s %s %s", cases[i].pattern, cases[i].matches ? "matches" : "leaves",
              cases[i].text);
}

static void check_times(void)
{
    static const struct {
        const char *text;
        int64_t ns;
    } times[] = {{"0", 0},
                 {"1500", 1500},
                 {"10us", 10000},
                 {"2.5s", 2500000000},
                 {"1min", 60000000000},
                 {"3ns", 3},
                 {"1.5us", 1500},
                 {".5s", 500000000},
                 {"9223372036854775807", INT64_MAX},
                 {"1.0000000009s", 1000000000}};
    static const char *const wrong[] = {"",
                                        "-1",
                                        "soon",
                                        "1 s",
                                        "1h",
                                        "1e99s",
                                        "nan",
                                        "inf",
                                        ".",
                                        "s",
                                        "9223372036854775808",
                                        "10000000000s"};
    int64_t ns = -1, size_bytes = -1;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        check(amount_time(times[i].text, &ns) && ns == times[i].ns, "%s is a time", times[i].text);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check(!amount_time(wrong[i], &ns), "\"%s\" is no time", wrong[i]);
    check(amount_size("1.5MiB", &size_bytes) && size_bytes == 3 << 19, "1.5MiB is a size");
    check(amount_size("64k", &size_bytes) && size_bytes == 65536, "64k is a size");
    check(!amount_size("64kb/s", &size_bytes), "64kb/s is no size");
    check(amount_count("12", &size_bytes) && size_bytes == 12, "12 is a count");
    check(!amount_count("1.5", &size_bytes), "1.5 is no count");
}

static void check_nearest(void)
{
    static const char *const names[] = {"hot-functions", "call-counts", "ns::parse(int)"};
    check_string("hot-functions", nearest_name("hot-fuctions", names, 3), "a letter left out");
    check_string("call-counts", nearest_name("call-conuts", names, 3), "letters exchanged");
    check_string("ns::parse(int)", nearest_name("parse", names, 3), "a part of a name");
    check_string(NULL, nearest_name("xyzzy", names, 3), "nothing near");
    check_string(NULL, nearest_name("a", names, 0), "no names");
}

static void check_header(void)
{
    static const char text[] = "-- title:       A title: with a colon\n"
                               "-- description: first line\n"
                               "--              second: line\n"
                               "-- param:       min = 10 | ns | least | time\n"
                               "-- param:       who = NULL | - | which\n"
                               "-- column:      name | - | its name\n"
                               "-- filter:      function = a b\n"
                               "-- other:       not ours\n"
                               "SELECT 1 -- title: not the header\n";
    struct query_file query;
    check_equal(0, query_file_parse(&query, "q", text), "a header is parsed");
    check_string("A title: with a colon", query.title, "title");
    check_string("first line second: line", query.description, "continued lines are joined");
    check_equal(2, query.params_count, "parameters");
    check_string("min", query.params[0].name, "a parameter's name");
    check_string("10", query.params[0].value, "a parameter's default");
    check_string("ns", query.params[0].unit, "a parameter's unit");
    check_string("least | time", query.params[0].text, "a parameter's meaning");
    check_equal(1, query.columns_count, "columns");
    check_string(NULL, query.columns[0].value, "a column has no default");
    check_string("a b", query.filters[0].value, "a filter's columns");
    check_string(NULL, query.advice, "what is not there is NULL");
    query_file_release(&query);
    check_equal(0, query_file_parse(&query, "q", "SELECT 1"), "a header is optional");
    check_string(NULL, query.title, "then there is no title");
    query_file_release(&query);
    check_equal(0, query_file_parse(&query, "q", "--"), "an empty comment");
    query_file_release(&query);
    char *views = query_views_sql();
    check(views != NULL && strstr(views, "CREATE VIEW hot_functions AS") != NULL,
          "a query is a view, dashes as underscores");
    check(views != NULL && strstr(views, "(:") == NULL, "no parameter is left in the views");
    free(views);
}

int main(void)
{
    check_suppressions();
    check_times();
    check_nearest();
    check_header();
    return check_status();
}
