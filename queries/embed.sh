#!/bin/sh
# Prints C source that holds schema.sql (first argument) and the queries (the others) as strings.
# The files are included by the assembler, so nothing needs to be escaped.
set -eu
symbol() { # name file
    printf '__asm__(".section .rodata\\n.global %s\\n%s:\\n.incbin \\"%s\\"\\n.byte 0\\n.previous\\n");\n' \
        "$1" "$1" "$2"
    printf 'extern const char %s[];\n' "$1"
}
echo '/* Made by queries/embed.sh. */'
echo '#include "queries/embedded.h"'
symbol embedded_schema "$1"
shift
table=
number=0
for file in "$@"; do
    symbol "embedded_query_$number" "$file"
    table="$table    {\"$(basename "$file" .sql)\", embedded_query_$number},
"
    number=$((number + 1))
done
printf 'const struct embedded_query embedded_queries[] = {\n%s    {0, 0},\n};\n' "$table"
printf 'const size_t embedded_queries_count = %d;\n' "$number"
