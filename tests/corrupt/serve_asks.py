"""Asks a `fisql serve` of a database that may hold anything for all that it answers, and says what is wrong with the
answers: each has to come in time, be JSON, and hide no character."""
import http.client
import json
from urllib.parse import urlsplit

PATHS = ["databases", "schema", "timeline", "timeline?from=5&to=900&pixels=100", "timeline?thread=1&pixels=8000", "timeline?from=4611686018427387903", "marks",
         "marks?from=1&to=100000&least=1", "range?from=0&to=1000000000", "range?from=10&to=400", "range?from=0&to=2305843009213693952&thread=1", "tree", "tree?parent=1", "tree?parent=3",
         "call/1", "call/5", "call/9223372036854775807", "live?at=100", "live?at=9223372036854775807", "functions?limit=10000", "functions?match=a", "source?file=1",
         "source?file=2", "source?function=1", "code?function=1", "code?function=2", "query/hot-functions?seconds=8", "query/slow-calls?seconds=8", "report?seconds=8"]
STATEMENT = {"sql": "SELECT * FROM functions LIMIT 20", "seconds": 5}
STATUSES = {200, 400, 404, 500, 503}
TIMEOUT_S = 120


def ask_all(address, hidden):
    """What is wrong, or None. hidden: finds characters that nobody sees."""
    parts = urlsplit(address)
    head = {"Authorization": "Bearer " + parts.query.removeprefix("token=")}
    for path in PATHS + ["sql"]:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)
        try:
            if path == "sql":
                connection.request("POST", "/api/sql", json.dumps(STATEMENT), head)
            else:
                connection.request("GET", "/api/" + path, headers=head)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8")
        except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
            return "/api/%s: %r" % (path, error)
        finally:
            connection.close()
        if answer.status not in STATUSES:
            return "/api/%s: status %d: %s" % (path, answer.status, text[:300])
        try:
            value = json.loads(text)
        except ValueError as error:
            return "/api/%s: %s: %s" % (path, error, text[-200:])
        if answer.status != 200 and not (isinstance(value, dict) and value.get("error")):
            return "/api/%s: status %d without a reason: %s" % (path, answer.status, text[:300])
        found = hidden.search(text.rstrip("\n"))
        if found and ord(found.group()) < 0x20:
            return "/api/%s has %r in %r" % (path, found.group(), text[max(0, found.start() - 40):found.end() + 20])
    return None
