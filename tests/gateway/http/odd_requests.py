"""Requests as odd as they may be, of the stores of `test_shortcut`, and as clients send them."""

from __future__ import annotations

import itertools
import json

from hypothesis import strategies as st

STATEMENTS = (
    "SELECT * FROM clicks WHERE usr = 'ada'",
    "SELECT n, mean FROM clicks WHERE usr = $1;  ",
    'SELECT v FROM "pa-irs.1" WHERE a = $1 AND b = $2',
    "SELECT n, mean FROM clicks WHERE usr = :key::text",
    "SELECT usr FROM clicks WHERE usr = $1 WITH PARTIAL",
    "SELECT usr FROM clicks WHERE usr = $1 WITH BOUND (events[0] >= 9)",
    "SELECT count(*) FROM clicks",
    "SELECT n FROM clicks WHERE usr = 'ada'; SELECT 1",
    "SELECT nonsense FROM clicks",
    "SHOW stategate.wait",
    "BEGIN",
    "",
    ";",
    "SELECT n FROM clicks WHERE usr = '\ud800'",
    "SELECT n FROM clicks WHERE usr = 'zoë'",
    "SELECT n FROM clicks WHERE usr = current_user",
    'SELECT v FROM "pa-irs.1" WHERE a IN (1, -2)',
    "SELECT count(*) FROM single WHERE a = $1",
    "SELECT usr, n FROM clicks",
    "SELECT a, b FROM single WHERE a >= $1",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
PARAMETERS = st.sampled_from(
    [
        *[["ada"], ["zoë"], ["unknown"], [None], [""], [1, "x/y"], ["1", ""], [-2.0, "é'"], []],
        *[[1] * 4, {"key": "ada"}, {"key": None}, {"key": 1}, {"kye": "ada"}, {}],
        {"key": "", "a": 1},
    ]
)
DOCUMENTS = st.fixed_dictionaries(
    {"sql": st.sampled_from(STATEMENTS)},
    optional={
        "params": PARAMETERS | JSON,
        "format": st.sampled_from(["json", "JSON", "csv", "odd"]) | JSON,
        "wait_ms": st.just(0) | JSON,
        "partial": st.booleans() | JSON,
        "consistency": st.sampled_from(["eventual", "Eventual", "odd"]),
        "bound": st.sampled_from([{"events": {"0": 0}}, {"nope": {"0": 0}}]) | JSON,
        "unknown": JSON,
        "page_rows": st.integers(0, 3) | JSON,
        "next": JSON,
    },
)
TYPED = st.fixed_dictionaries(
    {"type": st.sampled_from(["key", "key", "keys", "timestamped_key", "count", "nonsense"])},
    optional={
        "args": st.sampled_from(
            [{"key": ["ada"]}, {"key": ["-"]}, {"key": "ada"}, {"keys": [["ada"]]}, {"kye": 1}]
        ),
        "partitions": st.sampled_from([[0], [0, 1], [2]]) | JSON,
        "active": st.booleans() | JSON,
        "wait_ms": st.just(0),
        "partial": st.booleans(),
    },
)
LOOKUPS = st.fixed_dictionaries(
    {"sql": st.sampled_from(STATEMENTS[:5])}, optional={"params": PARAMETERS}
)
PAGES = st.fixed_dictionaries(
    {"sql": st.sampled_from(STATEMENTS[-2:]), "page_rows": st.integers(1, 3)},
    optional={"params": st.sampled_from([[1], [3]])},
)
BODIES = (
    LOOKUPS.map(lambda document: json.dumps(document).encode())
    | LOOKUPS.map(lambda document: json.dumps(document, ensure_ascii=False).encode())
    | (DOCUMENTS | TYPED | JSON).map(lambda document: json.dumps(document).encode())
    | st.binary(max_size=20)
    | st.just(b'{"sql": "' + b"a" * 2_000 + b'"}')
)
TARGETS = st.sampled_from(
    [
        *["/v1/query", "/v1/query", "/v1/query", "/v1/query", "/v1/query?a=b", "/v1/%71uery"],
        *["/v1/query?format=csv", "/v1/query?sql=SELECT%201", "/v1/query/"],
        *["/v1/query#a", "//v1/query", "http://localhost/v1/query", "/", "*", "/healthz"],
        *["/v1/stores/clicks/ada", "/v1/stores/clicks/ada", "/v1/stores/clicks/unknown"],
        *["/v1/stores/clicks/%61da", "/v1/stores/clicks/zo%C3%AB", "/v1/stores/clicks/a%2Fb"],
        *["/v1/stores/clicks/a/b", "/v1/stores/clicks/", "/v1/stores/clicks//"],
        *["/v1/stores/clicks/%FF", "/v1/stores/clicks/a%0Ab", "/v1/stores/clicks/a%0a"],
        *["/v1/stores/clicks/%", "/v1/stores/clicks/%zz", "/v1/stores/clicks/%00", "/v1/stores/"],
        *["/v1/stores/clicks", "/v1/stores/clicks/query", "/v1/stores/nope/query"],
        *["/v1/query?sql=SELECT%20n%20FROM%20clicks", "/v1/query?sql=SHOW%20stategate.wait"],
        *["/v1/query?sql=SELECT%20n%20FROM%20clicks&page_rows=2", "/v1/query?sql="],
        "/v1/query?sql=SELECT%20n%20FROM%20clicks#n",
        *["/v1/stores/clicks/ada?wait_ms=0", "/v1/stores/clicks/ada?a", "/v1/stores/clicks/ada?"],
        *["/v1/stores/clicks/ada#b", "/v1/stores/clicks/query", "/v1/stores/%63licks/ada"],
        *["/v1/stores/pa-irs.1/1/x%2Fy", "/v1/stores/pa-irs.1/1/", "/v1/stores/pa-irs.1/x/y"],
        *["/v1/stores/pa-irs.1/-2/%C3%A9'", "/v1/stores/nope/ada", "/v1/stores//ada"],
        *['/v1/stores/clicks/a"b', "/v1/stores/clicks/a|b", "/v1/stores/clicks/a%20b;c=d,e"],
    ]
)
HEADERS = st.lists(
    st.sampled_from(
        [
            *["Accept: text/csv", "Accept: */*", "Accept: ", "Accept: application/json;q=0"],
            *["accept: application/x-ndjson, text/csv;q=0.5", "ACCEPT: application/json"],
            *["Accept: image/png", "Accept-Encoding: gzip", "Accept-Encoding: br, *;q=0"],
            *["Content-Type: text/plain", "content-type: Application/JSON ; charset=x"],
            *["Host: evil.example", "Host: [::1]:7420", "Host:", "host: 127.0.0.1"],
            *["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "X-Real-IP: ::1"],
            *["Connection: close", "Connection: keep-alive", "Connection: Keep-Alive, TE"],
            *["Connection: upgrade", "Connection: Upgrade, HTTP2-Settings", "Upgrade: websocket"],
            *["Upgrade: h2c", "Expect: 100-continue", "Expect: 100-Continue", "Expect: other"],
            *["Authorization: Bearer wrong", "Authorization: Basic wrong", "Authorization: x"],
            *["X-Odd: \xe9\xff", "X-Long: " + "a" * 3_000, "X-Empty:", "Cookie: a=b", "TE: x"],
            *["Keep-Alive: timeout=1", "Range: bytes=0-1", "If-None-Match: *"],
            *['If-None-Match: W/"a", *', "If-None-Match: ", 'If-None-Match: "a"'],
            *["Origin: http://localhost", "Origin: https://evil.example", "Origin: null"],
            *["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin"],
            *["Accept-Encoding: identity;q=.0", "Accept-Encoding: *;q=-1"],
            *["Accept-Encoding: identity;x=1;q=0", "Accept-Encoding: gzip;q=x"],
            *["Accept-Encoding: identity;q=0.0", "Accept-Encoding: gzip;q=0.6,*;q=0.3"],
        ]
    ),
    max_size=3,
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Draw a whole request, well framed but otherwise as odd as possible."""
    target = draw(TARGETS)
    usual = "POST" if "query" in target else "GET"
    method = draw(st.sampled_from([usual] * 6 + ["GET", "POST", "HEAD", "PUT", "OPTIONS"]))
    version = draw(st.sampled_from(["1.1"] * 8 + ["1.0"]))
    lines = [f"{method} {target} HTTP/{version}", "Host: localhost"]
    lines += draw(st.just([]) | HEADERS)
    body = b""
    if draw(st.booleans()) or method == "POST":
        body = draw(BODIES)
        if draw(st.integers(0, 7)):
            lines.append("Content-Type: application/json")
        if version == "1.1" and not draw(st.integers(0, 7)):
            lines.append("Transfer-Encoding: chunked")
            end = draw(st.sampled_from([b"0\r\n\r\n", b"0\r\nAccept: text/csv\r\n\r\n"]))
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + end
        else:
            lines.append(f"Content-Length: {len(body)}")
    lines[1:] = draw(st.permutations(lines[1:]))
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@st.composite
def lookups(draw: st.DrawFn) -> bytes:
    """Draw a request of the kind that most clients send."""
    path = draw(st.sampled_from([None, "clicks/ada", "clicks/zo%C3%AB", "clicks/-", "pa-irs.1/1/"]))
    more = draw(st.sampled_from(["", "", "", "Connection: close\r\n", "Accept: text/csv\r\n"]))
    if path is not None:
        return f"GET /v1/stores/{path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode()
    asked = [("/v1/query", LOOKUPS), ("/v1/query", PAGES), ("/v1/stores/clicks/query", TYPED)]
    target, documents = draw(st.sampled_from(asked))
    return posted(target, draw(documents), more)


def posted(target: str, document: object, more: str = "") -> bytes:
    """Return a request with a document as its body."""
    body = json.dumps(document).encode()
    head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


@st.composite
def pieces(draw: st.DrawFn) -> list[bytes]:
    """Draw requests as they may arrive: one by one, all together, or split anywhere."""
    arriving = draw(st.lists(lookups() | requests(), min_size=1, max_size=6))
    if draw(st.booleans()):
        # Once more with the same headers, which the connection knows by then.
        arriving += draw(st.permutations(arriving))
    if draw(st.booleans()):
        return arriving
    data = b"".join(arriving)
    cuts = draw(st.just([]) | st.lists(st.integers(0, len(data)), max_size=4))
    ends = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(ends) if start < end]
