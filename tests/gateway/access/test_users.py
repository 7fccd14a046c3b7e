from __future__ import annotations

import itertools
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.gateway.access.changing_users import (
    UsersError,
    add_token,
    list_users,
    remove_user,
    revoke_tokens,
    set_admin,
    set_limits,
    set_password,
    set_stores,
)
from stategate.gateway.access.users import (
    NO_GRANTS,
    NO_TOKEN,
    Entry,
    Grants,
    Users,
    read_entries,
    token_digest,
)
from stategate.gateway.access.verifiers import make_verifier, matches_password
from stategate.gateway.admission import open_access
from stategate.gateway.errors import GatewayError, SettingsError
from stategate.gateway.settings import Settings
from stategate.planner.engine import Rights, UserLimits

SECRET = str(make_verifier("x", salt=b"s" * 16, iterations=1))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "users.txt"


def write(path: Path, text: str, mode: int = 0o600) -> None:
    path.write_text(text)
    path.chmod(mode)


def test_a_user_is_added_changed_and_removed(path: Path) -> None:
    assert set_password(path, name="joe", password="one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    token = add_token(path, name="joe")
    assert not set_password(path, name="joe", password="two")
    table = Users(path).current()
    assert matches_password(table.verifiers["joe"], "two")
    assert table.tokens == {token_digest(token): "joe"}
    assert [str(each) for each in list_users(path)] == [
        "UserSummary(name='joe', password=True, tokens=1, "
        "grants=Grants(stores=(), is_admin=False, limits=UserLimits(statements=0, connections=0, "
        "subscribers=0, rows=0, bytes=0)))"
    ]
    revoke_tokens(path, name="joe")
    assert not Users(path).current().tokens
    remove_user(path, name="joe")
    assert list_users(path) == []
    for change in (remove_user, revoke_tokens):
        with pytest.raises(UsersError, match='user "joe" does not exist'):
            change(path, name="joe")


def test_the_file_contains_no_usable_credentials(path: Path) -> None:
    set_password(path, name="joe", password="sesame-open")
    token = add_token(path, name="joe")
    text = path.read_text()
    assert "sesame" not in text
    assert token not in text
    assert token.removeprefix("sgt_") not in text
    assert "sesame" not in repr(Users(path).current())
    assert "SCRAM" not in repr(Users(path).current())


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.text(min_size=1, max_size=20))
def test_any_name_round_trips_or_is_refused(path: Path, name: str) -> None:
    path.unlink(missing_ok=True)
    try:
        add_token(path, name=name)
    except UsersError:
        assert ":" in name or not name.isprintable() or len(name.encode(errors="replace")) > 63
    else:
        assert [each.name for each in list_users(path)] == [name]


@pytest.mark.parametrize("password", ["", "x" * 2000, "a\0b"])
def test_passwords_that_are_refused(path: Path, password: str) -> None:
    with pytest.raises(UsersError):
        set_password(path, name="joe", password=password)
    assert not path.exists()


def test_concurrent_changes_are_all_kept(path: Path) -> None:
    threads = [
        threading.Thread(target=add_token, args=(path,), kwargs={"name": f"u{number}"})
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list_users(path)) == 20
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_of_pgbouncer_and_postgres_is_read(path: Path) -> None:
    write(path, f'; comment\n# another\n\n"a ""b"""   "{SECRET}"\r\n  "c"\t"{SECRET}"\n')
    assert [each.name for each in read_entries(path)] == ['a "b"', "c"]
    assert set(Users(path).current().verifiers) == {'a "b"', "c"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("joe secret", "line 1 is not of the form"),
        ('\n"joe" "secret"', "line 2 has an invalid secret"),
        ('"joe" "md5abcdef"', "line 1 has an invalid secret"),
        (f'"joe" "{SECRET}"\n"joe" "{SECRET}"', 'line 2 gives a second password to "joe"'),
        ('"joe" "MOCK-SHA256$' + "0" * 64 + '"', "line 1 has an invalid secret"),
        ('"joe" "TOKEN-SHA256$abc"', "line 1 has an invalid secret"),
        ("\x00" * 30, "line 1 is not of the form"),
        (f'"" "{SECRET}"', "line 1 has no name"),
        ('"" "TOKEN-SHA256$' + "0" * 64 + '"', "line 1 has no name"),
        ('"" "MOCK-SHA256$' + "0" * 64 + '" "orders"', "line 1 has no name"),
        (f'"joe" "{SECRET}" orders', "line 1 has a word that is unknown or repeated"),
        (f'"joe" "{SECRET}" "o" statements=0', "line 1 has a word that is unknown"),
        (f'"joe" "{SECRET}" statements=2 statements=3', "line 1 has a word that is"),
        (f'"joe" "{SECRET}" admin admin', "line 1 has a word that is unknown or repeated"),
        (f'"joe" "{SECRET}" admin "o"', "line 1 is not of the form"),
        ('"" "MOCK-SHA256$' + "0" * 64 + '" admin', "line 1 has no name"),
        (f'"joe" "{SECRET}" "orders', "line 1 is not of the form"),
        (f'"joe" "{SECRET}" "a b"', "line 1 has a store that is not allowed"),
        (f'"joe" "{SECRET}" ""', "line 1 has a store that is not allowed"),
        (
            f'"joe" "{SECRET}" "a"\n"joe" "TOKEN-SHA256$' + "0" * 64 + '"',
            'line 2 gives "joe" other stores, limits or rights than a line before it',
        ),
        (
            f'"joe" "{SECRET}" rows=5\n"joe" "TOKEN-SHA256$' + "0" * 64 + '"',
            'line 2 gives "joe" other stores, limits or rights than a line before it',
        ),
    ],
)
def test_a_malformed_line_is_named_but_not_shown(path: Path, text: str, said: str) -> None:
    write(path, text)
    with pytest.raises(SettingsError) as refused:
        Users(path)
    assert said in refused.value.message
    shown = refused.value.message.replace("invalid secret", "").replace('"name" "secret"', "")
    assert "secret" not in shown


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620])
def test_a_file_that_others_can_read_is_refused(path: Path, mode: int) -> None:
    write(path, "", mode)
    if mode == 0o640 and os.geteuid() == 0:
        Users(path)  # root's own, whose group may read it
        return
    with pytest.raises(SettingsError, match="can be read or changed by others"):
        Users(path)


def test_a_missing_file_or_a_directory_is_refused(path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        Users(path)
    path.mkdir()
    with pytest.raises(SettingsError, match="is not a file"):
        Users(path)
    with pytest.raises(GatewayError):
        list_users(path)


def test_a_running_gateway_sees_changes_and_survives_mistakes(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(path, f'"joe" "{SECRET}"')
    users = Users(path)
    first = users.current()
    assert users.current() is first, "an unchanged file is not read"
    for mistake in ('"joe" "secret"', f'"jim" "{SECRET}"'):
        write(path, mistake, 0o600 if "secret" in mistake else 0o666)
        assert set(users.current().verifiers) == {"joe"}
        assert "users file not loaded" in caplog.text
        caplog.clear()
        users.current()
        assert not caplog.text, "a mistake is reported once"
    path.unlink()
    assert set(users.current().verifiers) == {"joe"}
    write(path, f'"jim" "{SECRET}"')
    assert set(users.current().verifiers) == {"jim"}


def test_a_file_that_could_not_be_read_for_an_unknown_reason_is_read_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, f'"joe" "{SECRET}"')
    users = Users(path)
    write(path, f'"jim" "{SECRET}"')

    def broken(path: Path) -> list[Entry]:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("stategate.gateway.access.users.read_entries", broken)
        for _ in range(2):
            with pytest.raises(MemoryError):
                users.current()
    assert set(users.current().verifiers) == {"jim"}


# --- replacing the file --------------------------------------------------------------------------


def test_a_link_stays_and_its_target_is_changed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "real.txt"
    target.parent.mkdir()
    set_password(target, name="joe", password="one")
    path.symlink_to(target)
    set_password(path, name="jim", password="two")
    assert path.is_symlink()
    assert not target.is_symlink()
    assert [each.name for each in list_users(target)] == ["jim", "joe"]
    assert [each.name for each in target.parent.iterdir()] == [target.name]


def test_the_error_for_circular_links_is_one_sentence(path: Path) -> None:
    path.symlink_to(path)
    with pytest.raises(UsersError, match="cannot change the users file"):
        set_password(path, name="joe", password="one")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(
    ("owner", "group", "mode", "kept"),
    [(0, 4242, 0o640, 0o640), (4242, 4243, 0o600, 0o600), (4242, 4243, 0o666, 0o600)],
)
def test_a_changed_file_keeps_its_readers(
    path: Path, owner: int, group: int, mode: int, kept: int
) -> None:
    set_password(path, name="joe", password="one")
    os.chown(path, owner, group)
    path.chmod(mode)
    add_token(path, name="joe")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (owner, group, kept)


def test_a_failed_change_keeps_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_password(path, name="joe", password="one")
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsersError, match="No space left"):
        remove_user(path, name="joe")
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_written_by_hand_gets_a_mock_secret(path: Path) -> None:
    """Otherwise mock salts would change with each start of a gateway, unlike those of users."""
    write(path, f'"joe" "{SECRET}"')
    add_token(path, name="jim")
    assert "MOCK-SHA256" in path.read_text()
    assert Users(path).current().mock_secret == Users(path).current().mock_secret


def test_a_password_with_a_nul_is_refused(path: Path) -> None:
    with pytest.raises(UsersError, match="NUL"):
        set_password(path, name="joe", password="a\0b")


def test_stores_of_a_user_are_kept_by_all_changes(path: Path) -> None:
    rights = Rights()
    for name in ("joe", "zoe"):
        set_password(path, name=name, password="one")
    users = Users(path, rights)
    assert rights.by_user is None, "no one is limited, so nothing is looked up"
    set_stores(path, name="joe", stores=["orders", "totals_*"])

    def readable(user: str) -> list[str]:
        users.current()
        return [name for name in ("orders", "totals_1", "other") if rights.may_read(user, name)]

    assert readable("joe") == ["orders", "totals_1"]
    assert readable("zoe") == ["orders", "totals_1", "other"]
    assert readable("stranger") == readable("") == []
    set_password(path, name="joe", password="two")
    token = add_token(path, name="joe")
    assert users.current().tokens == {token_digest(token): "joe"}
    assert readable("joe") == ["orders", "totals_1"]
    assert [each.grants.stores for each in list_users(path)] == [("orders", "totals_*"), ()]
    before = path.read_text()
    write(path, before.replace('"orders"', '"or ders"'))
    assert readable("joe") == ["orders", "totals_1"], "a file with a mistake changes nothing"
    write(path, before)
    revoke_tokens(path, name="joe")
    assert readable("joe") == ["orders", "totals_1"]
    set_stores(path, name="zoe", stores=["other"])
    remove_user(path, name="joe")
    assert readable("joe") == [], "its sessions read nothing more"
    set_stores(path, name="zoe", stores=[])
    assert readable("zoe") == ["orders", "totals_1", "other"]
    assert readable("joe") == [], "also if no one is limited any more"
    with pytest.raises(UsersError, match='user "joe" does not exist'):
        set_stores(path, name="joe", stores=[])
    with pytest.raises(UsersError, match='"a b" is not a name of stores'):
        set_stores(path, name="zoe", stores=["a b"])


def test_stores_are_not_limited_where_no_one_logs_in(path: Path) -> None:
    set_password(path, name="joe", password="one")
    open_access(Settings(users=str(path), auth="trust")).close()
    set_stores(path, name="joe", stores=["orders"])
    with pytest.raises(SettingsError, match="limits users"):
        open_access(Settings(users=str(path), auth="trust"))
    access = open_access(Settings(users=str(path)))
    assert access.rights.may_read("joe", "orders")
    assert not access.rights.may_read("joe", "other")
    set_stores(path, name="joe", stores=["other"])
    access.look()
    assert access.rights.may_read("joe", "other")
    access.close()


def test_stores_outlive_the_secrets_of_a_user(path: Path) -> None:
    rights = Rights()
    set_password(path, name="zoe", password="one")
    old = add_token(path, name="bot", stores=["orders"])
    users = Users(path, rights)

    def readable() -> list[str]:
        users.current()
        return [name for name in ("orders", "other") if rights.may_read("bot", name)]

    assert readable() == ["orders"], "limited by the write that made it"
    revoke_tokens(path, name="bot")
    assert users.current().tokens == {}
    assert readable() == [], "its open streams read nothing more"
    assert [(each.name, each.tokens, each.grants.stores) for each in list_users(path)] == [
        ("bot", 0, ("orders",)),
        ("zoe", 0, ()),
    ]
    revoke_tokens(path, name="bot")
    set_stores(path, name="bot", stores=["ord*"])
    new = add_token(path, name="bot")
    assert users.current().tokens == {token_digest(new): "bot"}
    assert new != old
    assert readable() == ["orders"]
    assert NO_TOKEN not in path.read_text(), "nothing is left over"
    revoke_tokens(path, name="bot")
    set_password(path, name="bot", password="one")
    assert readable() == ["orders"]
    assert NO_TOKEN not in path.read_text()
    set_password(path, name="bot", password="two", stores=["other"])
    assert readable() == ["other"], "in all of its lines at once"
    add_token(path, name="bot", stores=[])
    assert readable() == ["orders", "other"]
    set_stores(path, name="bot", stores=["orders"])
    assert remove_user(path, name="bot").stores == ("orders",)
    assert remove_user(path, name="zoe") == NO_GRANTS


_CHANGES = st.sampled_from(["password", "token", "revoke"])


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=st.lists(_CHANGES, max_size=5), reloaded=st.lists(st.booleans(), max_size=5))
def test_no_change_of_secrets_widens_a_user(
    path: Path, changes: list[str], reloaded: list[bool]
) -> None:
    """Whether or not a running gateway sees the file in between."""
    path.unlink(missing_ok=True)
    rights = Rights()
    add_token(path, name="bot", stores=["orders"])
    users, secrets = Users(path, rights), 1
    for change, is_reloaded in itertools.zip_longest(changes, reloaded[: len(changes)]):
        if change == "password":
            set_password(path, name="bot", password="one")
        elif change == "token":
            add_token(path, name="bot")
        else:
            revoke_tokens(path, name="bot")
        [found] = list_users(path)
        secrets = found.tokens + found.password
        assert found.grants.stores == ("orders",)
        if is_reloaded:
            users.reload()
            assert not rights.may_read("bot", "other")
    users.reload()
    assert not rights.may_read("bot", "other")
    assert rights.may_read("bot", "orders") == (secrets > 0)


def test_a_line_without_a_secret_admits_no_one(path: Path) -> None:
    write(path, f'"bot" "{NO_TOKEN}" "orders"\n"joe" "{NO_TOKEN}"')
    assert Users(path).current().tokens == {}
    assert Users(path).current().verifiers == {}
    assert [each.name for each in list_users(path)] == ["bot", "joe"]


@pytest.mark.parametrize("stores", [["a b"], ["orders", ""]])
def test_a_user_is_not_made_with_stores_that_are_not_allowed(path: Path, stores: list[str]) -> None:
    with pytest.raises(UsersError, match="is not a name of stores"):
        add_token(path, name="joe", stores=stores)
    with pytest.raises(UsersError, match="is not a name of stores"):
        set_password(path, name="joe", password="one", stores=stores)
    assert not path.exists()


def test_limits_and_rights_of_a_user_outlive_its_secrets(path: Path) -> None:
    set_password(path, name="joe", password="one")
    set_stores(path, name="joe", stores=["orders"])
    granted = set_limits(path, name="joe", words=["statements=3", "rows=100", "connections=5"])
    assert granted.words() == ("statements=3", "connections=5", "rows=100")
    set_admin(path, name="joe", is_admin=True)
    add_token(path, name="joe")
    set_password(path, name="joe", password="two")
    revoke_tokens(path, name="joe")
    set_stores(path, name="joe", stores=["totals"])
    rights = Rights(UserLimits(statements=9, bytes=7))
    Users(path, rights, processes=2)
    assert rights.admins == {"joe"}
    wanted = UserLimits(statements=2, connections=3, rows=100, bytes=7)
    assert rights.limits_of("joe") == wanted, "statements and connections are shared by processes"
    set_admin(path, name="joe", is_admin=False)
    set_limits(path, name="joe", words=[])
    (left,) = list_users(path)
    assert left.grants == Grants(stores=("totals",))
    Users(path, rights)
    assert rights.admins == frozenset()
    assert rights.limits_of("joe") == UserLimits(statements=9, bytes=7)


@pytest.mark.parametrize(
    "word", ["statements", "statements=0", "statements=-1", "admin", "x=1", ""]
)
def test_an_unknown_limit_is_refused(path: Path, word: str) -> None:
    set_password(path, name="joe", password="one")
    with pytest.raises(UsersError, match="is not a limit"):
        set_limits(path, name="joe", words=[word])
    with pytest.raises(UsersError, match="does not exist"):
        set_limits(path, name="zoe", words=["rows=1"])
