#!/bin/bash
# 20 runs of the example, of Lua and of zstd each, on SQLite, two shards of ClickHouse and libchdb: tests/e2e/fleet_chdb.sh.
export FLEET_RUNS=20 FLEET_PROGRAMS="wordstat lua zstd"
# shellcheck source=tests/e2e/fleet_chdb.sh
. "$(dirname "$0")/../e2e/fleet_chdb.sh"
