"""The directories in which writers prepare the data files of an epoch."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from stategate.stores.errors import LogError
from stategate.stores.log.epoch_chain import EpochChain
from stategate.stores.log.metadata.records import Commit

_logger = logging.getLogger(__name__)


class Attempts(EpochChain):
    """The epochs of one store, and the attempts to write the next one.

        <root>/<store>/data/<epoch>/<attempt>/p<partition>*.parquet

    A data file that no commit names does not exist.
    """

    def begin(self, epoch: int) -> str:
        """Create a directory for one attempt to write an epoch; return its relative path."""
        attempt = f"data/{epoch}/{uuid.uuid4().hex[:12]}"
        self.directory.make(attempt)
        return attempt

    @contextmanager
    def attempt(self, epoch: int) -> Iterator[str]:
        """Create a directory for the data files of an epoch, to be published in the block.

        If the block fails, the directory is removed with its files, unless a commit names them. On
        a full disk each failed attempt would otherwise take more of the remaining space.
        """
        attempt = self.begin(epoch)
        try:
            yield attempt
        except BaseException:
            self._abandon(epoch, attempt)
            raise

    def _abandon(self, epoch: int, attempt: str) -> None:
        """Remove the files of a failed attempt, if no commit names them."""
        try:
            found = self.record(epoch)
            if not isinstance(found, Commit) or all(
                not file.path.startswith(f"{attempt}/") for file in found.files
            ):
                self.directory.remove(attempt)
        except LogError as error:
            _logger.warning("attempt not removed store=%s error=%s", self.name, error)

    def remove_other_attempts(self, attempt: str) -> None:
        """Remove the files of other attempts to write a committed epoch."""
        parent, _, name = attempt.rpartition("/")
        for other in self.directory.names(parent):
            if other != name:
                self.directory.remove(f"{parent}/{other}")

    def sync_data(self, commit: Commit) -> None:
        """Sync the directories of the data files; their bytes are synced already.

        Raises:
            LogError: the file system does not answer.
        """
        parents = {file.path.rpartition("/")[0] for file in commit.files}
        above = {parent.rpartition("/")[0] for parent in parents}
        for relative in sorted(parents | above | ({"data"} if parents else set())):
            self.directory.sync(relative)
