#!/bin/bash
# Prints docs/api.md from the list that `fisql serve` dispatches by (asked of FISQL, the argument).
set -eu
cat <<'HEAD'
# What `fisql serve` answers

Made by `make docs` from the list in `cli/serve/api_list.h`, by which the server dispatches; change that, not this page.

`fisql serve run.db` prints an address with a token. Other tools send the token as `Authorization: Bearer TOKEN`, or behind the
address as `token=TOKEN`; the browser gets a cookie. Host has to be the address that the server listens on.

    $ fisql serve --port 8123 run.db
    http://127.0.0.1:8123/?token=0f3b...
    $ curl -H "Authorization: Bearer 0f3b..." 'http://127.0.0.1:8123/api/query/hot-functions?limit=5&p.by=wall'

Answers are JSON. Times are nanoseconds since the run's start, sizes bytes, as in the database's columns. An answer that fails has a
status from 400 on and is `{"error": "..."}`. A large answer comes in pieces; if it breaks off, its making failed. When the client
closes the connection, the answer's making ends.

| status | |
| --- | --- |
| 400 | the request is wrong; `error` says what it wants |
| 401 | the token is missing or wrong |
| 403 | for another host, or from another page |
| 404 | there is no such address, call, file or query |
| 405 | the address wants another method |
| 413 | the body is longer than 1 MiB |
| 500, 503 | the database cannot be read or is gone, or the answer took too long |

HEAD
"$1" serve --api | sed '$d'
