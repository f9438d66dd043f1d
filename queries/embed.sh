#!/bin/sh
# Prints C source that holds the schemas (the first three arguments: of a run's database, of many runs in SQLite, in
# ClickHouse) and the queries (the others: queries/*.sql, queries/fleet/*.sql, queries/push/*.sql,
# queries/fold/*.sql; and cli/*/NAME.sql and loader/*/NAME.sql, the statements of NAME.c) as strings.
# Whole files are included by the assembler, so nothing needs to be escaped.
set -eu
symbol() { # name file
    printf '__asm__(".section .rodata\\n.global %s\\n%s:\\n.incbin \\"%s\\"\\n.byte 0\\n.previous\\n");\n' \
        "$1" "$1" "$2"
    printf 'extern const char %s[];\n' "$1"
}
# list NAME FOLDER FILE...: the queries that lie in the folder
list() {
    name=$1 folder=$2 number=0 table=
    shift 2
    for file in "$@"; do
        [ "$(dirname "$file")" = "$folder" ] || continue
        symbol "${name}_$number" "$file"
        table="$table    {\"$(basename "$file" .sql)\", ${name}_$number},
"
        number=$((number + 1))
    done
    printf 'const struct embedded_query %s[] = {\n%s    {0, 0},\n};\n' "$name" "$table"
    printf 'const size_t %s_count = %d;\n' "$name" "$number"
}
# statements FILE...: a line `-- statement: WHAT` begins one, which is the string NAME_sql_WHAT. Lines of comments and
# indentation are left out.
statements() {
    for file in "$@"; do
        [ "${file#queries/}" = "$file" ] || continue
        sed 's/[\\"]/\\&/g' "$file" | awk -v prefix="$(basename "$file" .sql)_sql_" '
            function finish() { if (begun) print "    \"\";" }
            /^-- statement: / {
                finish()
                begun = 1
                printf "extern const char %s[];\nconst char %s[] =\n", prefix $3, prefix $3
                next
            }
            !begun || /^ *(--|$)/ { next }
            { sub(/^ */, ""); print "    \"" $0 "\\n\"" }
            END { finish() }'
    done
}
echo '/* Made by queries/embed.sh. */'
echo '#include "queries/embedded.h"'
symbol embedded_schema "$1"
symbol embedded_fleet_schema "$2"
symbol embedded_clickhouse_schema "$3"
shift 3
list embedded_queries queries "$@"
list embedded_fleet_queries queries/fleet "$@"
list embedded_push_queries queries/push "$@"
list embedded_fold_queries queries/fold "$@"
statements "$@"
