"""Opens the replicas of a node; their databases share its directory and memory."""

from __future__ import annotations

import logging
import shutil
import stat
import tempfile
import threading
from pathlib import Path

from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.database import shared_cache
from stategate.stores.engines.rocksdb.open_files import OpenFiles
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.engines.rocksdb.unflushed import Unflushed
from stategate.stores.errors import CodecError, LogError, StoreError
from stategate.stores.hosting.log_follower import is_same_log
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.files.scratch import Scratch, remove_quietly
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.registry import Opening, registered_factory
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import Role, StorePartition

_logger = logging.getLogger(__name__)


class ReplicaOpener:
    """Opens replicas in one directory. Safe to share between threads.

    Args:
        directory: for the databases, one below for each store; None for a temporary one.
        cache_bytes: memory for the block cache, shared by all replicas.
        columns: memory for decoded columns.
        rows_bytes: memory for rows that are looked up again, or were read in small ranges.
        files: the files that open databases may use.
    """

    def __init__(
        self,
        directory: Path | None,
        *,
        cache_bytes: int,
        columns: ColumnBudget,
        rows_bytes: int,
        files: OpenFiles,
    ) -> None:
        self._directory = directory
        self._temporary: Scratch | None = None
        self._choosing = threading.Lock()
        self._cache = shared_cache(cache_bytes)
        self._columns = columns
        self._rows = RowBudget(rows_bytes)
        self._files = files
        self._unflushed = Unflushed()

    def open(self, schema: StoreSchema, log: StoreLog, partition: int, role: Role) -> Replica:
        """Open a replica that goes on where it stopped, or an empty one.

        Raises:
            StoreError: its database cannot be opened.
            LogError: the log cannot be read now.
        """
        newest = log.latest_epoch()
        engine = self._open_engine(schema, log, partition)
        try:
            commit = log.commit(newest) if newest >= 0 else None
        except LogError:
            # The follower will report it; here only the name of the writer is missing.
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
        """Remove the database of a partition; it must be closed.

        Raises:
            StoreError: it cannot be removed.
        """
        _remove(self._path(schema, partition))

    def remove_others(self, schema: StoreSchema) -> None:
        """Remove the databases of other incarnations of a store.

        A failure is logged: the next call removes the rest.
        """
        if not schema.incarnation:
            return  # its databases are not in a directory of their own
        for path in _below(self._store_path(schema.name)):
            if path.name == schema.incarnation:
                continue
            try:
                _remove(path)
            except StoreError as error:
                _logger.warning("old databases not removed path=%s error=%s", path, error)

    def close(self) -> None:
        """Remove the directory if it is temporary; all replicas are closed."""
        with self._choosing:
            temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.remove(remove_quietly)

    def _open_engine(self, schema: StoreSchema, log: StoreLog, partition: int) -> StorePartition:
        """Open an engine that goes on where it stopped; an empty one if its rows are useless."""
        path = self._path(schema, partition)
        try:
            engine = self._make_engine(schema, partition, path)
        except CodecError as error:
            # Only the text is kept: the error keeps frames alive that hold the database open.
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
        _make_private(self._store_path(schema.name), path)
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
            files=self._files,
            unflushed=self._unflushed,
        )

    def _path(self, schema: StoreSchema, partition: int) -> Path:
        return self._store_path(schema.name) / schema.incarnation / str(partition)

    def _store_path(self, store: str) -> Path:
        with self._choosing:
            if self._directory is None:
                self._temporary = Scratch()
                self._directory = self._temporary.path
            return self._directory / store


def _below(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        _logger.warning("directory cannot be read path=%s error=%s", path, error)
        return []


def _make_private(store: Path, path: Path) -> None:
    """Make the directories of a database accessible to this user alone.

    Args:
        store: the directory of the store's databases.
        path: the directory of the database, inside it.

    Raises:
        StoreError: they cannot be made, or belong to another user.
    """
    try:
        store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        above = [each for each in reversed(path.parents) if each.is_relative_to(store)]
        for each in above:
            each.mkdir(mode=0o700, exist_ok=True)
        for each in (*above, path):
            if each.exists() and stat.S_IMODE(each.stat().st_mode) & 0o077:
                each.chmod(0o700)
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error}") from error


def _remove(path: Path) -> None:
    """Remove a database. It is renamed first, so that half of one is never opened."""
    if not path.exists():
        return
    try:
        doomed = Path(tempfile.mkdtemp(prefix=".removed-", dir=path.parent))
        path.rename(doomed / path.name)
    except OSError as error:
        raise StoreError(f"cannot remove {path}: {error}") from error
    shutil.rmtree(doomed, ignore_errors=True)
