"""Files of the log in object stores: S3, by a server that runs here, and memory."""

from __future__ import annotations

import threading
import uuid
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import LogError
from stategate.stores.log.files import objects
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.objects import REQUESTS
from tests.support.object_storage.bucket_services import SERVICES, Servers
from tests.support.object_storage.buckets import BucketServer


@pytest.fixture(params=["memory", *SERVICES])
def directory(
    request: pytest.FixtureRequest, bucket_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> Directory:
    """Return an empty directory of an object store."""
    name = uuid.uuid4().hex
    if request.param == "memory":
        return Directory.at(f"memory://{name}/state")
    server = bucket_servers(request.param)
    for variable, value in server.service.keys.items():
        monkeypatch.setenv(variable, value)
    return Directory.at(server.root(name))


def test_a_file_is_created_once_and_replaced(directory: Directory) -> None:
    assert directory.read("a/b") is None
    assert not directory.has("a/b")
    assert directory.create("a/b", b"1")
    assert not directory.create("a/b", b"2")
    assert not directory.create("a/b", b"1")
    assert directory.read("a/b") == b"1"
    directory.replace("a/b", b"33")
    assert (directory.read("a/b"), directory.size_of("a/b")) == (b"33", 2)
    assert directory.create("empty", b"")
    assert directory.read("empty") == b""
    assert (directory.has("empty"), directory.size_of("empty")) == (True, 0)


def test_a_directory_exists_while_anything_is_in_it(directory: Directory) -> None:
    assert not directory.exists()
    directory.make("a")
    assert not directory.within("a").exists()
    directory.create("a/b/c", b"1")
    directory.create("a/d", b"1")
    directory.create("a/da/e", b"1")
    assert directory.exists()
    assert directory.within("a").exists()
    assert not directory.within("a/d").exists()
    assert sorted(directory.names("a")) == ["b", "d", "da"]
    assert directory.names("none") == []
    assert directory.changed_ms("a") is not None
    assert directory.changed_ms("a/d") is not None
    assert directory.changed_ms("none") is None
    directory.remove("a/d")
    directory.remove("a/d")
    directory.remove_file("a/none")
    assert sorted(directory.names("a")) == ["b", "da"]
    directory.remove("a")
    assert not directory.exists()


@pytest.mark.parametrize("relative", ["../outside", "data/../../outside", "..", ".", ""])
def test_names_that_lead_out_of_the_store_are_refused(directory: Directory, relative: str) -> None:
    directory.create("a", b"1")
    for remove in (directory.remove, directory.remove_file):
        with pytest.raises(LogError, match="leads out"):
            remove(relative)
    with pytest.raises(LogError):
        directory.read("a/../../x")
    assert directory.names() == ["a"]


def test_a_file_and_a_directory_are_moved(directory: Directory) -> None:
    directory.create("a/b", b"1")
    directory.create("a/c/d", b"2")
    directory.move("a", "aside/a")
    assert directory.names("a") == []
    assert (directory.read("aside/a/b"), directory.read("aside/a/c/d")) == (b"1", b"2")
    directory.move("aside/a/b", "b")
    assert (directory.names("aside/a"), directory.read("b")) == (["c"], b"1")


def test_a_listing_of_many_names(directory: Directory) -> None:
    names = [f"{number:020d}.json" for number in range(1100)]
    for name in names:
        directory.create(f"epochs/{name}", b"")
    assert sorted(directory.names("epochs")) == names
    directory.remove("epochs")
    assert directory.names("epochs") == []


def test_large_files_are_sent_in_parts_and_read_in_bounded_memory(
    directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "HELD_BYTES_MAX", 1 << 20)
    monkeypatch.setattr(objects, "PART_BYTES", 5 << 20)
    data = bytes(range(256)) * (45 << 10)
    with directory.open_output("out") as stream:
        for at in range(0, len(data), 1 << 20):
            stream.write(pa.py_buffer(data[at : at + (1 << 20)]))
    (tmp_path / "source").write_bytes(data)
    directory.upload("copy", tmp_path / "source")
    for name in ("out", "copy"):
        path = directory.join(name)
        assert directory.size_of(name) == len(data)
        assert b"".join(map(bytes, directory.system.chunks(path))) == data
        with directory.system.open_input(path) as stream:
            assert stream.size() == len(data)
            stream.seek(10)
            assert stream.read(5) == data[10:15]


def test_nothing_appears_of_a_file_whose_writer_fails(directory: Directory) -> None:
    def fail() -> None:
        with directory.open_output("data/part") as stream:
            stream.write(b"x" * (20 << 20))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert directory.names("data") == []


def test_one_of_many_creators_wins(directory: Directory) -> None:
    for name in map(str, range(20)):
        won: list[int] = []
        barrier = threading.Barrier(8)

        def create(number: int, name: str = name, won: list[int] = won) -> None:
            barrier.wait(30)  # noqa: B023 - the threads end within the turn
            if directory.create(name, str(number).encode()):
                won.append(number)

        threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(won) == 1
        assert directory.read(name) == str(won[0]).encode()


def test_requests_are_counted(buckets: BucketServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "PART_BYTES", 5 << 20)
    directory = Directory.at(buckets.root(uuid.uuid4().hex))
    before = REQUESTS.read()
    with buckets.counted() as asked:
        directory.create("a/b", b"1")
        directory.create("a/b", b"1")
        directory.replace("a/c", b"1")
        directory.read("a/b")
        directory.read("a/none")
        directory.has("a/none")
        directory.names("a")
        directory.exists()
        directory.changed_ms("a")
        with directory.open_output("large") as stream:
            stream.write(b"x" * (11 << 20))
        directory.move("a/b", "a/d")
        directory.remove("a")
        directory.remove_file("large")
    made = {kind: count - before.get(kind, 0) for kind, count in REQUESTS.read().items()}
    made["put"] += made.pop("copy")  # a copy is a PUT
    assert {kind: count for kind, count in made.items() if count} == dict(asked)


# Failures


def test_a_created_file_is_known_after_its_answer_was_lost(buckets: BucketServer) -> None:
    directory = Directory.at(buckets.root(uuid.uuid4().hex))
    answers = [True, False]
    buckets.lost = lambda method, path: method == "PUT" and answers.pop(0)
    assert directory.create("ours", b"ours")
    assert directory.read("ours") == b"ours"
    answers = [True, False]

    def overtaken(method: str, path: str) -> tuple[str, bytes] | None:
        # The first try fails, and another writer is first meanwhile.
        if method == "PUT" and len(answers) == 2:
            answers.pop()
            buckets.fault = lambda method, path: None
            threading.Thread(target=directory.replace, args=("theirs", b"theirs")).start()
            return "503 Slow Down", b""
        return None

    buckets.lost = lambda method, path: False
    buckets.fault = overtaken
    assert not directory.create("theirs", b"mine")
    assert directory.read("theirs") == b"theirs"


def test_a_conflict_of_two_requests_is_tried_again(s3: BucketServer) -> None:
    directory = Directory.at(s3.root(uuid.uuid4().hex))
    conflict = b"<Error><Code>ConditionalRequestConflict</Code><Message>again</Message></Error>"
    answers = [("409 Conflict", conflict)]
    s3.fault = lambda method, path: answers.pop() if answers and method == "PUT" else None
    assert directory.create("a", b"1")
    assert not directory.create("a", b"1")


def test_a_request_is_sent_again_later(buckets: BucketServer) -> None:
    """Google takes one change of an object in a second, and answers 429 to more."""
    directory = Directory.at(buckets.root(uuid.uuid4().hex))
    directory.create("known", b"1")
    answers: list[tuple[str, bytes]] = []
    buckets.fault = lambda method, path: answers.pop() if answers else None
    path = directory.join("known")
    for do, expected in (
        (lambda: directory.create("new", b"1"), True),
        (lambda: directory.create("new", b"2"), False),
        (lambda: directory.replace("known", b"2"), None),
        (lambda: directory.system.replace_if(path, b"3", b"2"), True),
        (lambda: directory.read("known"), b"3"),
    ):
        answers += [("429 Too Many Requests", SLOW), ("503 Slow Down", SLOW)]
        assert do() == expected
        assert answers == []


REFUSED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
SLOW = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make clients give up soon."""
    objects._opened.cache_clear()
    monkeypatch.setattr("stategate.stores.log.files.object_uris.READ_TIMEOUT_S", 0.3)
    for module in ("objects", "object_uris"):
        monkeypatch.setattr(f"stategate.stores.log.files.{module}.RETRY_S", 0.5)
    monkeypatch.setattr(objects, "RETRIES_MAX", 1)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (("403 Forbidden", REFUSED), "access is refused .AccessDenied: Access Denied"),
        (("503 Slow Down", SLOW), "asks for fewer requests .SlowDown: Please reduce"),
        (("429 Too Many Requests", SLOW), "asks for fewer requests .SlowDown: Please reduce"),
        (("400 Bad Request", b"<Error><Code>Bad</Code><Message>No.</Message></Error>"), "Bad: No."),
        (("200 OK", b"no xml"), "cannot be"),
    ],
)
def test_failures_are_told_in_a_sentence(
    buckets: BucketServer, answer: tuple[str, bytes], said: str
) -> None:
    directory = Directory.at(buckets.root(uuid.uuid4().hex))
    buckets.fault = lambda method, path: answer
    with pytest.raises(LogError, match=said) as listed:
        directory.names("a")
    assert "Debug" not in str(listed.value)
    if answer[0].startswith("200"):
        return
    for do in (lambda: directory.create("a", b"1"), lambda: directory.replace("a", b"1")):
        with pytest.raises(LogError, match=said) as told:
            do()
        assert not any(key in str(told.value) for key in buckets.service.keys.values())
        assert "\n" not in str(told.value)


@pytest.mark.usefixtures("hasty")
def test_a_bucket_that_is_missing(buckets: BucketServer) -> None:
    directory = Directory.at(buckets.uri("absent"))
    for do in (
        directory.exists,
        directory.names,
        lambda: directory.read("a"),
        lambda: directory.create("a", b"1"),
        lambda: directory.replace("a", b"1"),
    ):
        with pytest.raises(
            LogError, match=r"//absent/state.*the bucket or container does not exist"
        ):
            do()


@pytest.mark.usefixtures("hasty")
def test_a_server_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test-secret")
    uri = "s3://AKIA:SE%2FCRET@bucket/state?region=x&scheme=http&endpoint_override=127.0.0.1:9"
    directory = Directory.at(uri)
    for do in (lambda: directory.read("a"), lambda: directory.create("a", b"1")):
        with pytest.raises(LogError, match="does not answer") as told:
            do()
        assert "SE" not in str(told.value).replace("SELF", "")
        assert "AKIA" not in str(told.value)
