/*
 * The commands of fisql: one list, from which dispatch, help and completion are made. Each command is
 * a function int cmd_NAME(int argc, char **argv) in cli/cmd_NAME.c, argv[0] being the command's name;
 * it returns the exit status.
 */
#ifndef FISQL_CLI_COMMANDS_H
#define FISQL_CLI_COMMANDS_H

/* X(name, arguments, what it does) */
#define FISQL_COMMANDS(X)                                                                          \
    X(cc, "COMPILER ARG...", "compile a program so that it can be recorded")                       \
    X(record, "[OPTION...] PROGRAM ARG...", "run a program and write its log (run.bin)")           \
    X(load, "RUN.bin [-o RUN.db]", "make the database of a log (run.db)")                          \
    X(query, "[NAME] [DB]", "list the canned queries, or run one")                                 \
    X(dump, "RUN.bin", "print a log as text")

#define FISQL_COMMAND_DECLARE(name, arguments, what) int cmd_##name(int argc, char **argv);
FISQL_COMMANDS(FISQL_COMMAND_DECLARE)
#undef FISQL_COMMAND_DECLARE

#endif
