/*
 * What can be asked for. Dispatch, `fisql serve --api` and docs/api.md come from this one list. A
 * path that ends in / is followed by a name or a number.
 */
#ifndef FISQL_CLI_SERVE_API_LIST_H
#define FISQL_CLI_SERVE_API_LIST_H

#include <stdio.h>

/* X(name, method, path, asks a database, parameters, what it answers). Lines of the parameters are
 * NAME=VALUE, two spaces, what it is. */
#define SERVE_API(X)                                                                               \
    X(databases, "GET", "/api/databases", false, "",                                               \
      "The databases that are served: `db` is the number by which the others name one, 0 if they " \
      "name none. `version` changes when another file takes the place of the database, or its "    \
      "log was loaded anew; 0: it is gone. `live` is 1 where a log is served that is being "       \
      "recorded.")                                                                                 \
    X(queries, "GET", "/api/queries", false, "",                                                   \
      "All canned queries and the user's own: title, question, group, description, advice, "       \
      "parameters, columns with their units, and the SQL.")                                        \
    X(query, "GET", "/api/query/", true,                                                           \
      "p.NAME=VALUE  sets the parameter NAME, as -p does (times as 10us, sizes as 4K)\n"           \
      "limit=N  at most N rows; 0 for all, as without it\n"                                        \
      "sort=COLUMN,...  as --sort\n"                                                               \
      "reverse=1  as --reverse\n"                                                                  \
      "demangle=STYLE  as --demangle\n"                                                            \
      "all_code=1  as --all-code\n"                                                                \
      "function=, file=, module=, thread=, since=, until=  the filters, as those options\n"        \
      "seconds=N  the time that it may take (60; at most 3600)",                                   \
      "The rows of a canned query: what `fisql query NAME --format json` prints. What that says "  \
      "besides is in the header X-Fisql-Notes, percent-encoded.")                                  \
    X(sql, "POST", "/api/sql", true, "",                                                           \
      "The rows of one read-only statement. The body is JSON: {\"sql\": \"SELECT ...\", "          \
      "\"limit\": "                                                                                \
      "1000, \"seconds\": 10}; limit is at most 100000, seconds at most 3600. `end` says how it "  \
      "ended: done, late (at its time) or bounded (the count of `left_out` stopped early). When "  \
      "the client closes the connection, the statement ends.")                                     \
    X(schema, "GET", "/api/schema", true, "",                                                      \
      "Tables and views with their columns; `sql` of a table has comments on each.")               \
    X(timeline, "GET", "/api/timeline", true,                                                      \
      "from=NS, to=NS  the window, since the run's start; without them the whole run\n"            \
      "pixels=N  its width (1000; at most 8000)\n"                                                 \
      "thread=ID  of this thread alone (threads.id); without it, of all\n"                         \
      "threads=N  of so many threads, those with most calls (100)",                                \
      "What a drawing of that window needs. For each thread `calls`: the calls that are at least " \
      "`least_ns` long, a pixel's time, in the order of their entries, as a list for each of id, " \
      "enter_ns, duration_ns, depth, function_id; `whole` is 1 if these are all calls of the "     \
      "window, `least_ns` is what was really asked for if that is more than a pixel. `slices`: "   \
      "how many calls were entered in each slice of time, and the function with most time of its " \
      "own in short calls there. `gaps`: where the thread was off the processor, of the calls "    \
      "shown when `whole`. `functions`: id, name, own.")                                           \
    X(marks, "GET", "/api/marks", true,                                                            \
      "from=NS, to=NS  the window, since the run's start\nleast=NS  waits that took so long (1)\n" \
      "limit=N  so many of each, the longest waits (300; at most 2000)",                           \
      "What stands on the timeline beside its calls: `waits` for `locks`, with the call that "     \
      "waited, and the one that held the lock when the wait began, `incidents`, `faults` and "     \
      "`notes`.")                                                                                  \
    X(range, "GET", "/api/range", true,                                                            \
      "from=NS, to=NS  the range, since the run's start\nthread=ID  of this thread alone",         \
      "What ran in a range of time: `functions`, and `frames`, the contexts with most time and "   \
      "all their callers, as lists of id, parent_id, function_id, calls, self_ns, wait_ns, "       \
      "preempted_ns, blocks, bytes (a root's parent_id is 0). `calls` were entered in the range; " \
      "`self_ns` is the part of the range that they and those around them spent themselves, as "   \
      "measured, waiting included. `names`: id, name, own of the functions. `entered` is the "     \
      "number of calls; where these are more than 10000000, `functions` and `frames` are null. "   \
      "`left_out` contexts with less time are not in `frames`.")                                   \
    X(tree, "GET", "/api/tree", true, "parent=ID  a row of frames; without it the roots",          \
      "The contexts below one, with times and memory: rows of frames with their functions' "       \
      "names.")                                                                                    \
    X(call, "GET", "/api/call/", true, "",                                                         \
      "One call by its id: a row of call_details and its text with arguments and result; "         \
      "`stack`, "                                                                                  \
      "the calls around it, outermost first; `arguments`; `callees`, its first 500 direct "        \
      "calls.")                                                                                    \
    X(history, "GET", "/api/history", true,                                                        \
      "call=ID, argument=NAME  what this argument of this call points to\n"                        \
      "block=ADDRESS  or the block there, or of this number\n"                                     \
      "last=N  the last N rows (2000; at most 100000)\n"                                           \
      "seconds=N  the time that it may take (60; at most 3600)",                                   \
      "What happened to an object, in order and across threads: what `fisql history --format "     \
      "json` prints.")                                                                             \
    X(live, "GET", "/api/live", true, "at=NS  the moment, since the run's start",                  \
      "Which blocks were live at a moment: `blocks` and `bytes` in all, and `stacks`, those by "   \
      "where they were allocated, the "                                                            \
      "most bytes first, 100 at most.")                                                            \
    X(functions, "GET", "/api/functions", true,                                                    \
      "match=TEXT  a part of the name\nlimit=N  at most N (50; at most 10000)",                    \
      "Functions that were called, those with most processor time of their own first.")            \
    X(source, "GET", "/api/source", true,                                                          \
      "file=ID  a row of files; only such files are read\nfunction=ID  or the file of this "       \
      "function",                                                                                  \
      "A source file, as it lies on this machine now, with facts by line: calls made from there, " \
      "their time, bytes allocated. `state` is same, changed (another file than was compiled, or " \
      "newer than the recording) or missing.")                                                     \
    X(code, "GET", "/api/code", true, "function=ID  a row of functions",                           \
      "The machine code of a function: `text` is what objdump prints of it, with source lines, "   \
      "if binutils are installed and the module lies where it was recorded, with the same "        \
      "build-id; else `problem` says why not. `sites`: the calls made from there, by return "      \
      "address.")                                                                                  \
    X(compare, "GET", "/api/compare", true,                                                        \
      "with=N  the other database, a number of /api/databases\n"                                   \
      "seconds=N  the time that it may take (60; at most 3600)",                                   \
      "The data of the page of two runs, as `fisql report --diff DB OTHER --format json` prints "  \
      "it.")                                                                                       \
    X(report, "GET", "/api/report", true,                                                          \
      "seconds=N  the time that it may take (60; at most 3600)",                                   \
      "The data of the report's page, bounded as that is.")

/* Prints the list as docs/api.md has it. */
void api_print(FILE *out);

#endif
