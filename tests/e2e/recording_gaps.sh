#!/bin/bash
# The time that a thread took to write its log, or waited for that, is in no time that fisql shows of the program's calls; it is
# shown as the recording's own: by trace, in exports, on the page. The log is one of tests/decode: leaf was kept for 434 ms.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

PYTHONPATH=$here/tests/corrupt PYTHONDONTWRITEBYTECODE=1 python3 -S "$here/tests/decode/recording-stalled.py" run.bin
"$fisql" load -q run.bin 2>/dev/null
same "what leaf took is without what the recording took of it, which is told" "434100010 94890 434005120" "$(sql run.db "
    SELECT raw_duration_ns || ' ' || duration_ns || ' ' || (SELECT sum(wall_ns) FROM recording_gaps WHERE call_id = d.id)
    FROM call_details d WHERE id = 3")"

"$fisql" trace run.db >trace.txt
has "trace: the times of calls are adjusted" " 94.89 us " "$(sed -n 3p trace.txt)"
has "trace: ... of those around, too" " 1.12 ms " "$(sed -n 1p trace.txt)"
has "trace: a line for the recording, within its call" "~ recording, for 434.0 ms" "$(sed -n 4p trace.txt)"

"$fisql" export --format chrome run.db >run.json
same "chrome: a slice of the recording within leaf, up to leaf's end" "recording fisql 434005.12 true" "$(jq -r '
    .traceEvents | map(select(.ph == "X")) | (.[] | select(.args.call == 3)) as $leaf | .[] | select(.cat) |
    "\(.name) \(.cat) \(.dur) \(.ts > $leaf.ts and (.ts + .dur) <= ($leaf.ts + $leaf.dur))"' run.json)"
"$fisql" export --format speedscope run.db >run.json
same "speedscope: leaf's own time is what is left" "94890" "$(jq -r '
    .shared.frames as $frames | .profiles[0].events |
    [range(length) as $i | select(.[$i].type == "C" and $frames[.[$i].frame].name == "recording") | $i][0] as $last |
    (.[$last].at - .[$last - 1].at) as $gap | .[$last + 1].at - .[$last - 2].at - $gap' run.json)"
for format in chrome speedscope perfetto; do
    "$fisql" export --format $format run.db >run.$format
    same "$format: every call, and the recording within one" "calls 3" "$(python3 "$here/tests/e2e/export_check.py" $format run.$format run.db | sed -n 1p)"
done
# Of pieces, exports add up the measured times.
for piece in "" "--depth 9" "--until 10s"; do
    # shellcheck disable=SC2086 # an option and its value
    same "folded ${piece:-whole}: own time without the recording" 1094890 \
        "$("$fisql" export --format folded --by wall $piece run.db | awk '/;/ { n += $2 } END { print n }')"
done
half=$(sql run.db "SELECT start_ns + wall_ns / 2 FROM recording_gaps")
for piece in --until --since; do
    "$fisql" export --format folded --by wall $piece ${half}ns run.db
done | awk '/;/ { n += $2 } END { print n }' >pieces.txt
same "folded: two pieces that part within the recording make the whole" 1094890 "$(cat pieces.txt)"
same "callgrind: an edge's time is without the recording" "1 1094890" "$("$fisql" export --format callgrind --by wall --depth 9 run.db |
    awk '/^calls=/ { getline; n += $2; edges++ } END { print edges, n }')"

page_built "the page" || exit 0
"$fisql" report run.db -o run.html 2>/dev/null
node "$here/tests/report/opens.mjs" "$PWD/run.html" "the recording's gaps" \
    "document.querySelector('#timeline .legend .box.recording') !== null" \
    "(() => { document.querySelector('#longest-of').value = 'program+0x1a000'; document.querySelector('#go-longest').click();
        return /1\.12 ms from .*, and 434(\.\d+)? ms of recording/.test(document.querySelector('#timeline .focus').textContent); })()" ||
    not_ok "page: the checks run to their end"
