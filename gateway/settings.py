"""Every setting of a gateway: its name, unit, default and the reason for that default.

The loader, `--help`, `stategate settings` and the tests of the documentation read `SETTINGS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stategate.gateway import (
    live_settings,
    login_settings,
    spark_settings,
    thread_settings,
    user_settings,
)
from stategate.gateway.errors import SettingsError
from stategate.gateway.setting_records import Setting, check, setting, settings_of

CONFIG_VARIABLE = "STATEGATE_CONFIG"
URL_VARIABLE = "STATEGATE_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a gateway, checked on construction.

    Raises:
        SettingsError: a value is out of range, or settings contradict each other.
    """

    root: str = setting("", "State log to follow: a directory or a file-system URL. Required.")
    data: str = setting(
        "",
        "Directory for the replicas, kept across restarts. Empty uses a temporary directory, "
        "which is safe because replicas can always be rebuilt from the log.",
    )
    http: str = setting(
        "127.0.0.1:7420",
        "Where HTTP listens, HOST:PORT. Loopback, because there are no users by default. Port 0 "
        "takes a free port.",
    )
    pg: str = setting(
        "127.0.0.1:7432",
        "Where the Postgres wire listens, HOST:PORT; empty turns it off. Not 5432, which a "
        "PostgreSQL on the same machine uses.",
    )
    users: str = setting(
        "",
        "Users file, made by `stategate user add` and read again when it changes. Empty: no login "
        "is required, and only loopback is admitted.",
    )
    auth: str = setting(
        "auto",
        "How clients of the Postgres wire log in: auto, scram, password (in clear, over TLS only) "
        "or trust. auto is scram if there is a users file, otherwise trust.",
    )
    allow_anonymous: bool = setting(
        False,
        "Where the method is trust, admit everyone from anywhere. Off, because anyone who reaches "
        "the port could read all stores. For networks that are closed to others.",
    )
    http_hosts: str = setting(
        "",
        "Host names that HTTP accepts without credentials, separated by commas, in addition to "
        "localhost and IP addresses. This stops web pages that point their own name here (DNS "
        "rebinding).",
    )
    http_origins: str = setting(
        "",
        "Origins of web pages that may use HTTP, separated by commas, such as "
        "https://tools.example. None by default: a page must not read the stores of its reader.",
    )
    proxies: str = setting(
        "",
        "Addresses and networks of proxies, separated by commas, whose X-Forwarded-For and "
        "X-Forwarded-Proto are trusted. None by default, because anyone can send these headers. "
        "Requests from another proxy count as the proxy's own, and never as loopback.",
    )
    proxy_protocol: str = login_settings.PROXY_PROTOCOL
    unauthenticated_of_address_max: int = login_settings.OF_ADDRESS_MAX
    unauthenticated_max: int = login_settings.ALL_MAX
    authentication_timeout_ms: int = login_settings.TIMEOUT_MS
    audit: str = login_settings.AUDIT
    tls_certificate: str = setting(
        "",
        "PEM file of the certificate and its intermediates. With it, HTTP is HTTPS and the "
        "Postgres wire offers TLS. Read again when it changes, and on SIGHUP.",
    )
    tls_key: str = setting(
        "",
        "PEM file of the certificate's key, without a passphrase, not readable by other users.",
    )
    tls_required: bool = setting(
        False,
        "Refuse clients of the Postgres wire without TLS, except from loopback. Off, because SCRAM "
        "protects passwords without TLS; rows are in clear then.",
    )
    node: str = setting("local", "Name of this node in answers and in system relations.")
    nodes: str = setting(
        "",
        "Where this node answers other nodes, HOST:PORT. Empty: it is alone, and holds all "
        "partitions.",
    )
    peers: str = setting(
        "",
        "The nodes of the cluster: a list (a=10.0.0.1:7430,b=10.0.0.2:7430), file:PATH with an "
        "entry in each line, read again when it changes, or dns:HOST:PORT for all addresses of a "
        "name. An entry may end with ;zone=NAME;weight=NUMBER. It may be the same on all nodes.",
    )
    cluster: str = setting(
        "stategate", "Name of the cluster. Nodes refuse others with another name."
    )
    copies: int = setting(
        2,
        "Nodes that hold each partition. With two, one node can fail or be restarted at any time. "
        "It must be the same on all nodes.",
        unit="nodes",
        least=1,
        most=16,
    )
    zone: str = setting(
        "",
        "The zone of this node, such as a rack or a data centre, where `peers` does not give it. "
        "Copies of a partition are placed in different zones.",
    )
    weight: int = setting(
        1,
        "The share of the partitions that this node holds, relative to the others, where `peers` "
        "does not give it.",
        unit="parts",
        least=1,
        most=1_000,
    )
    nodes_secret: str = setting(
        "",
        "File with a secret that all nodes share, not readable by other users. Without one, nodes "
        "are admitted from this machine only.",
    )
    nodes_ca: str = setting(
        "",
        "PEM file of the certificates that sign those of the nodes. Empty takes those that the "
        "system trusts. Nodes use TLS if there is a certificate.",
    )
    poll_ms: int = setting(
        25,
        "How often a changing store is checked for a new epoch. Short compared with a micro-batch, "
        "so that it adds little delay. Quiet stores are checked less often.",
        unit="ms",
        least=1,
        most=60_000,
    )
    workers: int = setting(
        1,
        "Processes that answer, behind the same addresses. One process uses about one core; more "
        "use more cores, and each has its own replicas. Memory and connections are divided "
        "equally.",
        unit="processes",
        least=1,
        most=256,
    )
    threads: int = thread_settings.COUNT
    threads_of_user_max: int = thread_settings.OF_USER_MAX
    threads_queue_max: int = thread_settings.QUEUE_MAX
    memory_bytes_max: int = setting(
        1 << 30,
        "Memory for joins, sorts and groups, over all statements. A statement that needs more "
        "fails (53200) instead of taking the node down. A composing process may use 640 MiB more "
        "than its share, for the catalog, rows in transit and allocations of functions.",
        unit="bytes",
        least=64 << 20,
        most=1 << 50,
    )
    compose_processes: int = setting(
        1,
        "Processes that compose statements. One uses all cores but one for a statement; with more, "
        "fewer statements restart when a process has to be killed. There is at least one for each "
        "two workers.",
        unit="processes",
        least=1,
        most=64,
    )
    cache_bytes: int = setting(
        256 << 20,
        "RocksDB's block cache, shared by all replicas: rows, uncompressed. A lookup of a row that "
        "is not in it takes twice as long. Indexes and filters are beside it, 1.7 bytes for each "
        "key.",
        unit="bytes",
        least=1 << 20,
        most=1 << 50,
    )
    columns_bytes: int = setting(
        256 << 20,
        "Decoded columns of all but versioned stores, for scans: read in the background after a "
        "start and updated with each epoch; 0 keeps none. Holds some four million rows of five "
        "columns. Those that composed statements read are in shared memory besides, up to a "
        "quarter of memory_bytes_max.",
        unit="bytes",
        least=0,
        most=1 << 50,
    )
    rows_bytes: int = setting(
        256 << 20,
        "Decoded rows that are looked up repeatedly, or were read in small ranges, kept until an "
        "epoch changes them; 0 keeps none. Holds some 500,000 rows of five columns.",
        unit="bytes",
        least=0,
        most=1 << 50,
    )
    answers_bytes: int = setting(
        64 << 20,
        "Answers of few rows, in the form in which they were sent, for statements that come again "
        "with the same parameters; 0 keeps none. Holds some 70,000 rows of five columns.",
        unit="bytes",
        least=0,
        most=1 << 50,
    )
    open_files: int = setting(
        0,
        "Files that the databases of the replicas may have open in each process, about 8 a "
        "partition. Those not used for longest are closed until they are needed. 0 allows half of "
        "what the process may open, since each connection takes one, too.",
        unit="files",
        least=0,
    )
    linger_us: int = setting(
        50,
        "Busy-polls this long after each answer, so a back-to-back query avoids a sleep and "
        "wake-up: twice the time that a client on the same machine needs to send again, and up to "
        "six times as long where it proves too short. Use 0 where CPU time is limited.",
        unit="microseconds",
        least=0,
        most=10_000,
    )
    spark_remote: str = spark_settings.REMOTE
    spark_rows_max: int = spark_settings.ROWS_MAX
    spark_statements_max: int = spark_settings.STATEMENTS_MAX
    spark_memory_bytes: int = spark_settings.MEMORY_BYTES
    spark_tasks: int = spark_settings.TASKS
    spark_start_timeout_ms: int = spark_settings.START_TIMEOUT_MS
    live_subscribers_max: int = live_settings.SUBSCRIBERS_MAX
    live_subscribers_of_user_max: int = user_settings.SUBSCRIBERS_OF_USER_MAX
    live_rows_max: int = live_settings.ROWS_MAX
    live_bytes_max: int = live_settings.BYTES_MAX
    live_log_bytes_max: int = live_settings.LOG_BYTES_MAX
    live_linger_ms: int = live_settings.LINGER_MS
    live_lifetime_ms: int = live_settings.LIFETIME_MS
    statements_max: int = setting(
        2_000,
        "Cached plans, by statement text, at some 20 kB each. More than an application uses at a "
        "time.",
        unit="statements",
        least=1,
    )
    statement_timeout_ms: int = setting(
        60_000,
        "How long a statement may run, rows included, before it is cancelled (57014). The gateway "
        "is for interactive reads; run longer ones in Spark.",
        unit="ms",
        least=1,
    )
    statement_timeout_max_ms: int = user_settings.STATEMENT_TIMEOUT_MAX_MS
    result_rows_max: int = user_settings.RESULT_ROWS_MAX
    result_bytes_max: int = user_settings.RESULT_BYTES_MAX
    slow_statement_ms: int = setting(
        500,
        "From how long on a statement is listed in stategate.slow_queries when it has ended; 0 "
        "lists all. People notice half a second. The latest 200 are kept in memory.",
        unit="ms",
    )
    body_bytes_max: int = setting(
        1 << 20,
        "Longest request body: enough for thousands of parameters and a position token.",
        unit="bytes",
        least=1024,
        most=1 << 30,
    )
    body_timeout_ms: int = setting(
        10_000,
        "How long a client may take to send the head of a request, and then its body, so that slow "
        "clients do not hold connections.",
        unit="ms",
        least=1,
    )
    parameters_max: int = setting(
        65_535,
        "Parameters of one statement: the most that the Postgres wire can count.",
        unit="parameters",
        most=65_535,
    )
    batch_max: int = setting(
        10_000,
        "Statements, or sets of parameters, of one batch over HTTP. Some 50 ms of lookups.",
        unit="statements",
        least=1,
        most=1_000_000,
    )
    chunk_bytes: int = setting(
        256 << 10,
        "Rows rendered at once, by their size in Arrow. Large enough to make the cost of a chunk "
        "negligible, small enough to send the first rows early and to bound memory.",
        unit="bytes",
        least=1024,
        most=1 << 28,
    )
    stall_timeout_ms: int = setting(
        30_000,
        "How long a client may leave a streamed answer unread before it is disconnected, because "
        "an open stream holds a snapshot.",
        unit="ms",
        least=1,
    )
    http_connections_max: int = user_settings.HTTP_CONNECTIONS_MAX
    pg_connections_max: int = user_settings.PG_CONNECTIONS_MAX
    admin_connections: int = user_settings.ADMIN_CONNECTIONS
    connections_of_user_max: int = user_settings.CONNECTIONS_OF_USER_MAX
    connections_of_address_max: int = user_settings.CONNECTIONS_OF_ADDRESS_MAX
    keep_alive_ms: int = setting(
        75_000,
        "How long an idle HTTP connection stays open. Longer than the usual 60 s of proxies, so "
        "that the proxy closes first and never sends into a closing connection.",
        unit="ms",
        least=1,
    )
    grace_ms: int = setting(
        10_000,
        "How long the gateway may take to end after SIGTERM. Running statements may finish in all "
        "but the last second. Less than the 30 s after which Kubernetes kills the process, to "
        "leave time to close the replicas.",
        unit="ms",
    )
    traces: str = setting(
        "off",
        "Where spans of statements go: off, or otlp, a collector of OpenTelemetry that the "
        "variables OTEL_EXPORTER_OTLP_… name. Off, because each span costs some microseconds.",
    )
    log_level: str = setting("info", "Lowest level that is logged: debug, info, warning or error.")

    def __post_init__(self) -> None:
        """Refuse values out of range and contradictions."""
        for each in SETTINGS.values():
            check(each, getattr(self, each.name))
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in choices:
                raise _no_choice(name, value)
        self._check_access()
        self._check_nodes()
        if self.statement_timeout_ms > self.statement_timeout_max_ms:
            raise SettingsError(
                'setting "statement_timeout_ms" is more than "statement_timeout_max_ms"',
                hint="Raise the second one, too.",
            )
        spark_settings.check(self.spark_remote, workers=self.workers)

    def _check_access(self) -> None:
        if self.auth in {"scram", "password"} and not self.users:
            raise SettingsError(
                f'setting "auth" is "{self.auth}", but there are no users',
                hint="Name their file with --users; `stategate user add` makes one.",
            )
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise SettingsError(
                "a certificate needs its key, and a key its certificate", hint=_BOTH_HINT
            )
        if self.proxy_protocol != "off" and not self.proxies:
            raise SettingsError(
                f'setting "proxy_protocol" is "{self.proxy_protocol}", but there are no proxies',
                hint="Set proxies to their addresses.",
            )
        if (self.tls_required or self.auth == "password") and not self.tls_certificate:
            raise SettingsError("TLS is required, but there is no certificate", hint=_BOTH_HINT)

    def _check_nodes(self) -> None:
        if bool(self.nodes) != bool(self.peers):
            raise SettingsError(
                "a node of a cluster needs an address and the other nodes",
                hint="Set nodes and peers.",
            )
        if self.nodes and self.workers > 1:
            raise SettingsError(
                "a node of a cluster has one worker", hint="Run several nodes on the machine."
            )


_BOTH_HINT = "Set tls_certificate and tls_key."
_CHOICES = {
    "log_level": ("debug", "info", "warning", "error"),
    "auth": ("auto", "scram", "password", "trust"),
    "traces": ("off", "otlp"),
    "proxy_protocol": ("off", "pg", "http", "both"),
}


def _no_choice(name: str, value: object) -> SettingsError:
    *most, last = _CHOICES[name]
    return SettingsError(
        f'setting "{name}" cannot be "{value}"', hint=f"Use {', '.join(most)} or {last}."
    )


SETTINGS: Mapping[str, Setting] = settings_of(Settings)
"""All settings by name, in the order of the documentation."""
