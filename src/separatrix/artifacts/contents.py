"""What a model file holds, read without scikit-learn and without making a model of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..alerts import Alert
from ..errors import DamagedFileError
from ..models.state import State
from ..storage import read_container, write_container
from .column_facts import ColumnFacts
from .state_checks import check_state
from .state_document import damaged, from_document, kept, to_document, whole
from .stored_estimate import StoredEstimate

if TYPE_CHECKING:
    from ..decisions import Decision

SCHEMA = 1
"""Of the document; raised when the meaning of a part changes."""
KIND = "model"
SUFFIX = ".sptx"
"""Ending of model files."""


@dataclass(frozen=True, eq=False)
class Contents:
    """All that a model file holds.

    Attributes
    ----------
    saved : State
        What was saved: a model, selector, `TablePrep`, `Board`, `Decision` or `Recipe`.
    estimate : how it did on rows held out
    alerts : what was noticed in the table and the result
    versions : {package: version} that wrote the file
    call : the call that made the model, without folders
    data_hash : SHA-256 of the training data
    column_facts : counts and quantiles of the training columns
    target : column of the labels, where it is known
    """

    saved: State
    estimate: StoredEstimate | None = None
    alerts: tuple[Alert, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    call: str | None = None
    data_hash: str | None = None
    column_facts: tuple[ColumnFacts, ...] | None = None
    target: str | None = None

    @property
    def state(self) -> State:
        """The state of the model that predicts: of a board, that of the model it picked."""
        return self.saved.inside["model_"] if self.saved.model == "Board" else self.saved

    @property
    def recipe(self) -> str | None:
        """What is done with a table's columns, as JSON for `Recipe.from_json`; None for a model of numbers."""
        found = next((own for own in _around(self.state) if "recipe_" in own.values), None)
        return None if found is None else str(found.values["recipe_"])

    @property
    def decision(self) -> Decision | None:
        """The rule from posteriors to actions; None where the most probable class is taken."""
        from ..decisions import Decision

        found = next((own for own in _around(self.state) if own.model in ("DecidedClassifier", "Decision")), None)
        return None if found is None else Decision(**found.params["decision"])


def _around(state: State) -> list[State]:
    """Return a state and those inside it, one in another."""
    found = [state]
    while "estimator_" in found[-1].inside:
        found.append(found[-1].inside["estimator_"])
    return found


def read(path: str | os.PathLike[str]) -> Contents:
    """Return what a model file holds, checked; no model is made, nothing is run, and scikit-learn is not imported.

    Parameters
    ----------
    path : of the file

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from separatrix import NearestMean, save
    >>> with TemporaryDirectory() as folder:
    ...     save(NearestMean().fit([[0.0], [1.0]], ["no", "yes"]), f"{folder}/a.sptx")
    ...     read(f"{folder}/a.sptx").state.arrays["means_"].tolist()
    [[0.0], [1.0]]
    """
    container = read_container(path, KIND)
    arrays = dict(container.arrays)
    document = container.document
    if not isinstance(document, dict) or type(document.get("schema")) is not int:
        raise damaged("the document", "has no version")
    if document["schema"] != SCHEMA:
        raise DamagedFileError(
            f"{os.path.basename(os.fspath(path))!r} was written by another version (schema {document['schema']!r:.20}); this one reads "
            f"schema {SCHEMA}. Upgrade separatrix."
        )
    if document.keys() != {"schema", "saved", "estimate", "alerts", "versions", "call", "data_hash", "column_facts", "target"}:
        raise damaged("the document", "lacks a part, or has one that is not known")
    about = {name: whole(document[name], f"about/{name}", arrays) for name in document.keys() - {"schema", "saved"}}
    saved = from_document(document["saved"], arrays)
    if arrays:
        raise damaged(f"the array {min(arrays)!r}", "belongs to nothing")
    check_state(saved)
    return Contents(
        saved,
        None if about["estimate"] is None else StoredEstimate.of_plain(about["estimate"]),
        _alerts(about["alerts"]),
        _versions(about["versions"]),
        _text(about["call"], "call"),
        _text(about["data_hash"], "data_hash"),
        _columns(about["column_facts"]),
        _target(_text(about["target"], "target"), saved),
    )


def write(path: str | os.PathLike[str], contents: Contents) -> None:
    """Write the contents to a file, whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {}
    columns = contents.column_facts
    about = {
        "estimate": None if contents.estimate is None else contents.estimate.to_plain(),
        "alerts": [alert.to_dict() for alert in contents.alerts],
        "versions": contents.versions,
        "call": contents.call,
        "data_hash": contents.data_hash,
        "column_facts": None if columns is None else [column.to_plain() for column in columns],
        "target": contents.target,
    }
    document: dict[str, Any] = {"schema": SCHEMA, "saved": to_document(contents.saved, arrays)}
    document |= {name: kept(value, f"about/{name}", arrays) for name, value in about.items()}
    write_container(path, KIND, document, arrays)


def _target(given: str | None, saved: State) -> str | None:
    """Return the column of the labels: as it was told, or as a model of tables knows it."""
    known = [own.params.get("target") for own in _around(saved)]
    return next((name for name in (given, *known) if isinstance(name, str)), None)


def _text(given: Any, name: str) -> str | None:
    if given is not None and not isinstance(given, str):
        raise damaged(f"{name!r}", "is no text")
    return given


def _versions(given: Any) -> dict[str, str]:
    if not isinstance(given, dict) or not all(isinstance(version, str) for version in given.values()):
        raise damaged("the versions", "are no texts")
    return given


def _alerts(given: Any) -> tuple[Alert, ...]:
    names = {"code", "subject", "seen", "why", "do", "severity"}
    if not isinstance(given, list) or not all(isinstance(alert, dict) and alert.keys() == names for alert in given):
        raise damaged("the alerts", "lack a part")
    if not all(isinstance(text, str) for alert in given for text in alert.values()):
        raise damaged("the alerts", "are no texts")
    return tuple(Alert(**alert) for alert in given)


def _columns(given: Any) -> tuple[ColumnFacts, ...] | None:
    if given is not None and not isinstance(given, list):
        raise damaged("the facts of the columns", "are no list")
    return None if given is None else tuple(ColumnFacts.of_plain(column) for column in given)
