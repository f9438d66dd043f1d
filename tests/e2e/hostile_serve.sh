#!/bin/bash
# Hostile databases (tests/corrupt/databases.py) served by `fisql serve`: it answers all that it can be asked, or says
# why not, and goes on.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PYTHONDONTWRITEBYTECODE=1 HOME=$TEST_TMP
page_built "hostile databases: fisql serve" || exit 0
run "$fisql" serve nothing.db
if [[ $err == *"built without libmicrohttpd"* || $err == *"is not installed here"* ]]; then
    echo "skipped - hostile databases: fisql serve: libmicrohttpd is missing"
    exit 0
fi
python3 "$here/tests/corrupt/databases.py" "$fisql" "$here/schema.sql" "$here/tests/fixtures/small.sql" serve ${FISQL_TESTS:+"$FISQL_TESTS"} || not_ok "the hostile databases can be made"
