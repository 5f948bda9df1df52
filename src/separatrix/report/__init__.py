"""Reports: facts about a comparison or a model, as one HTML file that answers whether the model can be trusted."""

from __future__ import annotations

from ..loading import on_first_use

_HOMES = {
    "ReportFacts": "report_facts",
    "facts_of_board": "report_facts",
    "write_board_report": "writing",
    "write_file_report": "writing",
}

__all__ = sorted(_HOMES)

__getattr__ = on_first_use(__name__, _HOMES)
