"""Shows the rows of answers: a table or records in a terminal or a pager, lines in a pipe."""

from __future__ import annotations

from itertools import islice

from rich.console import Console

from stategate.gateway.cli.client import Answer
from stategate.gateway.cli.display import print_records, print_table, tsv_line
from stategate.gateway.cli.pager import open_pager
from stategate.gateway.cli.progress import Progress, counted

ROWS_SHOWN_MAX = 1000
"""Rows of a table in a terminal: more than anyone scrolls through, in little memory. A pager gets
all rows, in tables of this length."""
_LINES_AROUND = 4
"""Lines of a terminal that rows cannot have: the header, the summary and the prompt."""


class _Pages(Console):
    """The input of a pager."""

    def on_broken_pipe(self) -> None:
        """Let the error be raised; the library would end the shell."""
        raise BrokenPipeError


class AnswerView:
    """How answers are shown.

    Args:
        out: where rows go.
        err: where remarks go.
        pager: the command that shows long answers; empty for none.
    """

    def __init__(self, out: Console, err: Console, *, pager: str) -> None:
        self._out, self._err = out, err
        self._pager, self._is_paged = pager, bool(pager)
        self.as_records = False
        """Whether each row is a block of lines."""

    def toggle_pager(self) -> bool:
        """Turn the pager on or off; return whether it is on."""
        self._is_paged = bool(self._pager) and not self._is_paged
        return self._is_paged

    def show(self, answer: Answer, progress: Progress, *, as_records: bool = False) -> bool:
        """Show the rows as they arrive; return whether they were read to the end.

        Args:
            answer: the answer.
            progress: told of the rows.
            as_records: whether each row is a block of lines, whatever the view says.

        Raises:
            ClientError: the answer breaks off.
        """
        if not self._out.is_terminal:
            self._write_lines(answer, progress)
            return True
        rows = counted(answer, progress)
        shown = list(islice(rows, ROWS_SHOWN_MAX))
        progress.end()
        as_records = as_records or self.as_records
        show = print_records if as_records else print_table
        height = len(shown) * (len(answer.columns) + 1 if as_records else 1)
        if self._is_paged and height > self._out.height - _LINES_AROUND:
            with open_pager(self._pager) as pipe:
                # Plain, since not every pager shows colours.
                pages = _Pages(file=pipe, width=self._out.width, color_system=None)
                while shown:
                    show(pages, answer.columns, shown)
                    shown = list(islice(rows, ROWS_SHOWN_MAX))
        elif answer.columns:
            show(self._out, answer.columns, shown)
        if answer.trailer:
            return True
        if self._is_paged or next(rows, None) is None:
            return bool(answer.trailer)  # without one, the user has left the pager
        remark = f"only the first {ROWS_SHOWN_MAX:,} rows are shown; \\export writes all to a file"
        self._err.print(remark, highlight=False, soft_wrap=True)
        return False

    def _write_lines(self, answer: Answer, progress: Progress) -> None:
        """Write header and rows as lines."""
        out = self._out.file
        if answer.columns:
            out.write(tsv_line([column.name for column in answer.columns]) + "\n")
        for row in counted(answer, progress):
            out.write(tsv_line(row) + "\n")
        out.flush()
