#!/bin/bash
# Prints docs/queries.md from the headers of the queries (asked of FISQL, the argument) and the
# examples in docs/examples, which `make examples` records from a real run.
set -eu
fisql=$1
here=$(cd "$(dirname "$0")" && pwd)
# the user's own queries are not the manual's
XDG_CONFIG_HOME=$(mktemp -d)
export XDG_CONFIG_HOME
trap 'rm -rf "$XDG_CONFIG_HOME"' EXIT
cat <<'HEAD'
# The queries

Made by `make docs` from the headers of queries/*.sql; change those files, not this one. Each query is
also a view in the database: `SELECT * FROM hot_functions` in the sqlite3 shell is `fisql query
hot-functions`. A view whose name a table has is called anomalies_view, diaries_view, faults_view or thread_functions_view. How to ask what no query answers is in [cookbook.md](cookbook.md), the tables are in
[schema.md](schema.md).

```
HEAD
"$fisql" query | sed '$d'
cat <<'HEAD'
```

The examples are from a run of docs/examples/shop.cc, as `make examples` recorded it; those on arguments and
results, which are asked of till.db, from one of docs/examples/till.c, recorded with --values; and those on objects from examples/diary.c and examples/refcount.c.

HEAD
for query in $("$fisql" query --names); do
    "$fisql" query "$query" --help --format markdown
    if [ -e "$here/examples/$query.txt" ]; then
        printf '\n```\n'
        cat "$here/examples/$query.txt"
        printf '```\n'
    fi
    echo
done
