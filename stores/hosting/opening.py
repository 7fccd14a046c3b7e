"""Opens the databases of a node's partitions, which share its memory, as replicas."""

from __future__ import annotations

import logging
import shutil
import stat
import tempfile
from pathlib import Path

from stores.engines.rocksdb.column_budget import ColumnBudget
from stores.engines.rocksdb.database import shared_cache
from stores.engines.rocksdb.partition import RocksPartition
from stores.engines.rocksdb.row_cache import RowBudget
from stores.errors import CodecError, LogError, StoreError
from stores.hosting.log_follower import is_same_log
from stores.hosting.replica import Replica
from stores.log.state_log import StoreLog
from stores.spec.registry import Opening, registered_factory
from stores.spec.schema import StoreSchema
from stores.spec.store import Role, StorePartition

_logger = logging.getLogger(__name__)


class Opener:
    """Opens replicas in one directory.

    Args:
        directory: for the databases, one below for each store; None for a temporary one.
        cache_bytes: block cache, shared by all replicas.
        columns: decoded columns, for whole scans.
        rows_bytes: rows that are looked up again and again.
    """

    def __init__(
        self, directory: Path | None, *, cache_bytes: int, columns: ColumnBudget, rows_bytes: int
    ) -> None:
        self._directory = directory
        self._temporary: Path | None = None
        self._cache = shared_cache(cache_bytes)
        self._columns = columns
        self._rows = RowBudget(rows_bytes)

    def open(self, schema: StoreSchema, log: StoreLog, partition: int, role: Role) -> Replica:
        """A replica that goes on where it stopped, or an empty one.

        Raises:
            StoreError: its database cannot be opened.
            LogError: the log cannot be read now.
        """
        newest = log.latest_epoch()
        engine = self._open_engine(schema, log, partition)
        try:
            commit = log.commit(newest) if newest >= 0 else None
        except LogError:
            # The follower will say what is wrong with it; all that it would give here is a name.
            commit = None
        try:
            return Replica(
                engine,
                schema=schema,
                partition=partition,
                role=role,
                restore_to=newest,
                pipeline=None if commit is None else commit.writer,
            )
        except StoreError:
            engine.close()
            raise

    def remove(self, schema: StoreSchema, partition: int) -> None:
        """Remove a partition's database, which is closed.

        Raises:
            StoreError: it cannot be removed.
        """
        _remove(self._path(schema, partition))

    def close(self) -> None:
        """Remove the directory if it is temporary; all replicas are closed."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _open_engine(self, schema: StoreSchema, log: StoreLog, partition: int) -> StorePartition:
        """An engine that goes on where it stopped, or an empty one if what it has is of no use."""
        path = self._path(schema, partition)
        try:
            engine = self._make_engine(schema, partition, path)
        except CodecError as error:
            # Its text, for whoever keeps the error keeps the frames that hold the database open.
            text = str(error)
            _logger.warning("replica is damaged, starting over path=%s error=%s", path, text)
        else:
            try:
                if is_same_log(log, engine.view.progress):
                    return engine
            except StoreError:
                engine.close()
                raise
            _logger.warning("replica is of another log, starting over path=%s", path)
            engine.close()
            del engine
        _remove(path)
        return self._make_engine(schema, partition, path)

    def _make_engine(self, schema: StoreSchema, partition: int, path: Path) -> StorePartition:
        _make_private(path)
        factory = registered_factory(schema.kind)
        if factory is not None:
            return factory(Opening(schema=schema, partition=partition, path=path))
        return RocksPartition(
            path,
            schema=schema,
            partition=partition,
            cache=self._cache,
            columns=self._columns,
            rows=self._rows,
        )

    def _path(self, schema: StoreSchema, partition: int) -> Path:
        if self._directory is None:
            self._directory = self._temporary = Path(tempfile.mkdtemp(prefix="stategate-"))
        return self._directory / schema.name / str(partition)


def _make_private(path: Path) -> None:
    """Close the directories above a database, and its own if it is there, to all other users.

    Raises:
        StoreError: they cannot be made, or belong to somebody else.
    """
    try:
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        for each in (path.parent, path):
            # An older release left them open.
            if each.exists() and stat.S_IMODE(each.stat().st_mode) & 0o077:
                each.chmod(0o700)
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error}") from error


def _remove(path: Path) -> None:
    """Remove a database: at once by its name, so that half of one is never opened."""
    if not path.exists():
        return
    try:
        doomed = Path(tempfile.mkdtemp(prefix=".removed-", dir=path.parent))
        path.rename(doomed / path.name)
    except OSError as error:
        raise StoreError(f"cannot remove {path}: {error}") from error
    shutil.rmtree(doomed, ignore_errors=True)
