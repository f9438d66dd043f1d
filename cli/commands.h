/*
 * The commands of fisql: dispatch, `fisql help`, completion and the man page's list come from this
 * one list. Each command is a function int cmd_NAME(int argc, char **argv) in cli/cmd_NAME.c,
 * argv[0] being the command's name; it returns the exit status and explains itself for --help. The
 * references are weak: a program built without one of the files does without that command.
 */
#ifndef FISQL_CLI_COMMANDS_H
#define FISQL_CLI_COMMANDS_H

/* X(name, arguments, what it does) */
#define FISQL_COMMANDS(X)                                                                          \
    X(cc, "COMPILER ARG...", "compile a program so that it can be recorded")                       \
    X(record, "[OPTION...] PROGRAM ARG...", "run a program and write its log (run.bin)")           \
    X(run, "[OPTION...] PROGRAM ARG...", "record, load, digest and report a program in one go")    \
    X(ps, "", "the programs that are being recorded now")                                          \
    X(top, "[PID]", "what a running program does now, by function")                                \
    X(stacks, "[PID]", "the stacks of a running program's threads")                                \
    X(control, "PID WHAT...", "change what is recorded of a running program")                      \
    X(faults, "[OPTION...] PROGRAM ARG...", "make each call of a program fail once (faults.db)")   \
    X(load, "[RUN.bin] [-o RUN.db]", "make the database of a log (run.db)")                        \
    X(digest, "[DB]", "what matters of a run, on one screen")                                      \
    X(query, "[NAME] [DB]", "list the canned queries, or run one")                                 \
    X(info, "[DB]", "what the run was and what its database holds")                                \
    X(tree, "[DB]", "the calling context tree")                                                    \
    X(trace, "[DB]", "the calls, one after another")                                               \
    X(stack, "CALL-ID [DB]", "the stack of a call")                                                \
    X(export, "--format FORMAT [DB]", "write the run for another viewer")                          \
    X(whatif, "[DB] [CHANGE...]", "how long the run would have taken with changes")                \
    X(diff, "A.db B.db", "what changed between two runs")                                          \
    X(history, "[DB] block ADDRESS", "what happened to an object or a value, in order")            \
    X(modules, "[DB] [--map FILE]", "the program's modules, by a map of your own")                 \
    X(report, "[DB] [-o FILE]", "a page to look at the run with")                                  \
    X(serve, "[DB | LOG ...]", "look at runs in the browser, all of them")                         \
    X(review, "[DB]", "a small report for a code review")                                          \
    X(push, "FLEET [RUN.db...]", "add runs to where many are kept")                                \
    X(fleet, "[NAME] [FLEET]", "ask many runs")                                                    \
    X(pull, "FLEET RUN", "one of many runs, as a database")                                        \
    X(mcp, "[DB...]", "let a coding agent ask about runs (Model Context Protocol)")                \
    X(schema, "[NAME]", "what the database's tables and columns are")                              \
    X(dump, "RUN.bin", "print a log as text")                                                      \
    X(help, "[COMMAND]", "explain a command, or list them all")                                    \
    X(version, "", "print fisql's version")

#define FISQL_COMMAND_DECLARE(name, arguments, what)                                               \
    int cmd_##name(int argc, char **argv) __attribute__((weak));
FISQL_COMMANDS(FISQL_COMMAND_DECLARE)
#undef FISQL_COMMAND_DECLARE

#endif
