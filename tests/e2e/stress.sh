#!/bin/bash
# A short form of `make stress`: the test programs beside busy loops, with signals, stops and continuations at
# random instants, and handlers that call instrumented functions; then program and recorder are killed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
"$here/tests/stress/stress" "$FISQL_BUILD" --seconds 20 --tap
"$here/tests/stress/kill" "$FISQL_BUILD" --rounds 12 --tap
