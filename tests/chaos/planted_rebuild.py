"""Run `stategate rebuild` with a planted fault: `python -m … PARENT FAULT MODULE ARGUMENTS`."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable

import pyarrow as pa

from stategate.stores.upkeep.rebuild import RebuildWork
from tests.fuzz.planted import end_with_parent


def _forgets() -> None:
    """A rebuild leaves out some rows."""
    plain = RebuildWork._changed

    def changed(self: RebuildWork, rows: pa.Table) -> pa.Table:
        kept = plain(self, rows)
        return kept.filter(pa.array([number % 5 != 4 for number in range(kept.num_rows)]))

    RebuildWork._changed = changed  # type: ignore[method-assign]


def _mixes() -> None:
    """A rebuild gives some rows the values of others."""
    plain = RebuildWork._changed

    def changed(self: RebuildWork, rows: pa.Table) -> pa.Table:
        kept = plain(self, rows)
        column = self.change.after.value[0].name
        values = kept.column(column).combine_chunks()
        turned = pa.concat_arrays([values[1:], values[:1]])
        return kept.set_column(kept.schema.get_field_index(column), column, turned)

    RebuildWork._changed = changed  # type: ignore[method-assign]


REBUILDS: dict[str, Callable[[], None]] = {"forgets": _forgets, "mixes": _mixes}

if __name__ == "__main__":
    parent, fault, module = sys.argv[1:4]
    end_with_parent(int(parent))
    if fault != "none":
        REBUILDS[fault]()
    sys.argv = [module, *sys.argv[4:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
