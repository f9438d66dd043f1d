#!/bin/bash
# docs/notebooks.md: each of its files runs as it stands, in pandas, DuckDB, R and ClickHouse; what they read is what
# SQLite reads, and the Parquet that they write is, as another reader of the format finds it.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
PATH=$FISQL_BUILD:$PATH
cp "$here/examples/growth.c" .
awk -f "$here/tests/tools/blocks.awk" "$here/docs/notebooks.md" >blocks
ran=
block() { # FILE COMMAND...: runs it
    local file=$1
    shift
    ran+="$file "
    run "$@"
    same "$file runs" 0 "$status"
    [ "$status" -eq 0 ] || printf '%s\n' "$err" | tail -n 5
}
skip() { # FILE WHY
    ran+="$1 "
    echo "skipped - $1: $2"
}
# A picture has the signature of a PNG, and in its data something drawn: white alone packs to far less.
drawn() { # FILE
    same "$1 is a PNG" "89 50 4e 47" "$(od -An -tx1 -N4 "$1" 2>/dev/null | xargs)"
    at_least "$1 is drawn" 8000 "$(stat -c %s "$1" 2>/dev/null)"
}

block record.sh sh -e record.sh
sound "before" before.db
times="FROM call_times t JOIN functions f ON f.id = t.function_id WHERE f.name"

# --- what writes Parquet, read by hyparquet

modules=$sources/notebooks/node_modules
[ ! -d "$modules/@duckdb" ] || ! command -v node >/dev/null || ln -s "$modules" node_modules
cat >oracle.mjs <<'J'
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
const [file, ...columns] = process.argv.slice(2);
const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors });
const sum = name => rows.reduce((all, row) => all + BigInt(row[name]), 0n);
console.log([rows.length, new Set(rows.map(row => String(row.name))).size, ...columns.map(sum)].join(" "));
J
parquet() { # FILE COLUMNS EXPECTED: its rows, names, and sums of its columns
    same "$1 is Parquet" PAR1 "$(head -c 4 "$1" 2>&1)"
    # shellcheck disable=SC2086 # a list of words
    [ ! -e node_modules ] || same "$1 has what run.db has" "$3" "$(node oracle.mjs "$1" $2 2>&1)"
}
of_functions() { # COLUMNS: the same of before.db's functions
    sql before.db "SELECT count(*) || ' ' || count(DISTINCT f.name) || ' ' || $1 FROM function_stats s JOIN functions f ON f.id = s.function_id"
}

# --- pandas

python=
for each in python3 /usr/bin/python3; do
    "$each" -c 'import pandas, matplotlib' 2>/dev/null && python=$each && break
done
export MPLCONFIGDIR=$TEST_TMP/matplotlib
if [ -n "$python" ]; then
    block growth.py "$python" growth.py
    drawn growth.png
    for name in find median; do
        same "pandas has each call of $name, but those of no size" "$(sql before.db "SELECT count(*) $times = '$name'" | awk -v name=$name '{ print $1 - (name == "find") }')" \
            "$(awk -v name=$name '$1 == name { print int($2) }' <<<"$out")"
    done
    power=$(sed -n 's/^find: size to the power of //p' <<<"$out")
    same "find() is near to linear: power $power" 1 "$(awk -v power="$power" 'BEGIN { print (power > 0.6 && power < 1.4) }')"
    if "$python" -c 'import pyarrow' 2>/dev/null || "$python" -c 'import fastparquet' 2>/dev/null; then
        block parquet.py "$python" parquet.py
        parquet functions.parquet "calls self_cpu_ns" "$(of_functions "sum(s.calls) || ' ' || sum(s.self_cpu_ns)")"
    else
        skip parquet.py "pandas writes Parquet by pyarrow or fastparquet, which this system's packages do not have"
    fi
else
    for each in growth.py parquet.py; do skip $each "pandas or matplotlib is not installed"; done
fi

# --- DuckDB

block calls.sh sh -e calls.sh
raw=$(sql before.db "SELECT count(*) || ' ' || count(DISTINCT f.name) || ' ' || sum(c.id) || ' ' || sum(c.enter_ns) || ' ' || sum(c.duration_ns)
    FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id")
if [ -e node_modules ]; then
    ran+="duckdb.mjs heat.sql "
    block heat.sh sh -e heat.sh
    same "DuckDB counts calls and functions" "$(sql before.db "SELECT count(*) || ' ' || count(DISTINCT function_id) FROM call_times")" \
        "$(jq -r '.[0] | "\(.calls) \(.functions)"' <<<"$out")"
    parquet calls.parquet "id enter_ns cpu_ns" "$(sql before.db "SELECT count(*) || ' ' || count(DISTINCT t.function_id) || ' ' || sum(t.id) || ' ' || sum(c.enter_ns) || ' ' || sum(t.cpu_ns)
        FROM call_times t JOIN calls c ON c.id = t.id")"
    if [ -n "$python" ]; then
        block heat.py "$python" heat.py
        drawn heat.png
        same "the heat map has each call of find, but the shortest" "$(sql before.db "SELECT count(*) $times = 'find' AND t.cpu_ns >= 64") calls" "$out"
    else
        skip heat.py "pandas or matplotlib is not installed"
    fi
else
    for each in duckdb.mjs heat.sql heat.sh heat.py; do skip $each "DuckDB is not installed: tests/setup fetches it from npm"; done
fi
# Debian's program has the extension; DuckDB's own and its library fetch it.
if command -v duckdb >/dev/null; then
    block attach.sql timeout 60 duckdb -f attach.sql
    parquet attached.parquet "id enter_ns duration_ns" "$raw"
elif [ ! -e node_modules ]; then
    skip attach.sql "there is neither a program duckdb nor its library"
elif run timeout 60 env HOME="$TEST_TMP" node duckdb.mjs attach.sql && [ "$status" -eq 0 ]; then
    ran+="attach.sql "
    parquet attached.parquet "id enter_ns duration_ns" "$raw"
else
    lacks "attach.sql fails for want of its extension alone" "Parser Error" "$err"
    skip attach.sql "DuckDB's extension cannot be had: $(grep -m 1 -o 'Failed to download extension "[a-z_]*"' <<<"$err" || tail -n 1 <<<"$err")"
fi

# --- ClickHouse, as libchdb

library=$(find "$sources/chdb/node_modules" -name libchdb.so 2>/dev/null | head -n 1)
if [ -n "$library" ] && [ -e node_modules ]; then
    cat >clickhouse.py <<'P'
import ctypes, sys
chdb = ctypes.CDLL(sys.argv[1])
chdb.chdb_connect.restype, chdb.chdb_connect.argtypes = ctypes.POINTER(ctypes.c_void_p), (ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
chdb.chdb_query_n.restype = ctypes.c_void_p
chdb.chdb_query_n.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
chdb.chdb_result_error.restype, chdb.chdb_result_error.argtypes = ctypes.c_char_p, (ctypes.c_void_p,)
sql = open(sys.argv[2], "rb").read()
result = chdb.chdb_query_n(chdb.chdb_connect(1, (ctypes.c_char_p * 1)(b"chdb"))[0], sql, len(sql), b"TSV", 3)
sys.exit((chdb.chdb_result_error(result) or b"").decode() or 0)
P
    block clickhouse.sql timeout 120 python3 clickhouse.py "$library" clickhouse.sql
    parquet clickhouse.parquet "id enter_ns duration_ns" "$raw"
else
    skip clickhouse.sql "libchdb or DuckDB's folder is not installed: tests/setup fetches them from npm"
fi

# --- R

if command -v Rscript >/dev/null && Rscript -e 'library(RSQLite)' >/dev/null 2>&1; then
    block compare.R Rscript compare.R
    drawn compare.png
    for name in find median; do
        has "R has each call of $name" "$name: $(sql before.db "SELECT count(*) $times = '$name'") and $(sql after.db "SELECT count(*) $times = '$name'") calls" "$out"
    done
    same "the median of find moved down" 1 "$(sed -n 's/^find: .* moved by -[0-9]* to \(-[0-9]*\) ns.*/\1/p' <<<"$out" | awk '{ print ($1 < 0) }')"
    if Rscript -e 'stopifnot(requireNamespace("nanoparquet") || requireNamespace("arrow"))' >/dev/null 2>&1; then
        block parquet.R Rscript parquet.R
        parquet functions-r.parquet calls "$(of_functions "sum(s.calls)")"
    else
        skip parquet.R "R writes Parquet by arrow or nanoparquet, which this system's packages do not have"
    fi
else
    for each in compare.R parquet.R; do skip $each "R or RSQLite is not installed"; done
fi
same "each file of the page was tried" "$(sort blocks | xargs)" "$(tr ' ' '\n' <<<"$ran" | sort | xargs)"
