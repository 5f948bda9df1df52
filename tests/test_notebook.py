"""Every result has a view for notebooks: of one look, well formed, without a script, whatever names and labels hold."""

import pkgutil
from html.parser import HTMLParser
from importlib import import_module

import numpy as np
import pytest

import separatrix as sx
from separatrix import facts, logic
from separatrix.alerts import Alert, Fact
from separatrix.explaining import class_ellipses, decision_regions, project

EVIL = "<script>alert('x')</script>\"&\u202e"
NO_RESULTS = {"Plan", "Loss", "EvaluationRows", "AskedFor", "KeyedBootstrap", "KeyedFolds", "Pick", "Status", "Condition", "RowFilter"}
"""Classes with a text of their own that are not what a call returns: arguments, and parts of the inside."""
VOID = {"br", "hr", "img", "input", "meta", "link"}


def table():
    rng = np.random.default_rng(0)
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=[EVIL, "b<i>", "c"])
    y = np.array([EVIL, "no & yes"], dtype=object)[(X.iloc[:, 0] + rng.normal(size=80) > 0).astype(int)]
    return X, y


def of_decisions(X, y, found):
    costs = [[0, 1], [5, 0]]
    return [
        found,
        sx.roc(found, y),
        sx.reliability(found, y),
        sx.predictive_values(found, y, prevalence=0.1),
        sx.saving(sx.Decision(costs), found, y),
        sx.prior_shift(sx.LinearDiscriminantAnalysis().fit(X, y), X),
        sx.Decision.tune(found, y, recall=0.9),
        sx.Decision(),
        sx.Decision(costs, reject_cost=0.2, priors={EVIL: 0.5, "no & yes": 0.5}),
        sx.Decision([[0, 1, 2], [3, 4, 5]], actions=[EVIL, "b", "c"]),
    ]


def of_evaluations(X, y):
    model = sx.LinearDiscriminantAnalysis()
    return [
        sx.permutation_test(model, X, y, n_permutations=20),
        sx.learning_curve(model, X, y),
        sx.shrinkage_path(X, y, shrinkages=[0.0, 1.0]),
        sx.regularisation_path(X, y, Cs=[0.1, 1.0]),
        sx.choose_covariance(X, y),
        board := sx.compare(X, y, models=[sx.NearestMean(), model], random_state=0),
        board.best,
        sx.ForwardSelection(model, 2).fit(X, y).history_,
        model.abilities(),
        sx.Recipe.plan(X.assign(label=y), target="label"),
    ]


def of_models(X, y):
    model = sx.LogisticRegression(C=np.inf).fit(X, y)
    row = sx.explain(model, X, 3)
    return [
        row,
        row.flip,
        row.boundary,
        sx.explain(model, X),
        sx.column_effects(model, X),
        decision_regions(model, X, y, grid=5),
        project(model, X, y),
        class_ellipses(model, X, y, grid=5),
        model.influence(X, y),
        model.summary(X, y),
        sx.Hyperplane([1, 2], 3),
        sx.is_separable(X, y),
        sx.separation(X, y),
        sx.worked("fisher", [[3, 2], [5, 2], [1, 4], [3, 6]], [EVIL, EVIL, "b", "b"]),
        logic.learnable([0, 0, 0, 1]),
        Alert("SPX002", EVIL, EVIL, "why", "do"),
        Fact("rows", 1, EVIL),
        facts.rule("SPX011"),
        logic.AND,
        logic.network([0, 1, 1, 0]),
    ]


@pytest.fixture(scope="module")
def shown():
    X, y = table()
    return [*of_decisions(X, y, sx.evaluate(sx.LinearDiscriminantAnalysis(), X, y)), *of_evaluations(X, y), *of_models(X, y)]


class Checked(HTMLParser):
    """Refuses scripts, handlers, addresses and elements that are not closed; keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "iframe", "object", "img", "link", "a", "i", "form"), tag
        assert not [name for name, _ in attributes if name.startswith("on") or name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_every_view_is_well_formed_and_has_one_look(shown):
    for value in shown:
        html = value._repr_html_()
        parser = Checked()
        parser.feed(html)
        parser.close()
        assert not parser.open, type(value)
        assert html.startswith('<div class="separatrix-view"><style>'), type(value)


def test_views_hold_no_colour_of_one_page(shown):
    for value in shown:
        assert "#" not in value._repr_html_().split("</style>")[0]


def test_hostile_names_are_shown_as_text(shown):
    seen = 0
    assert not [type(value) for value in shown if "\u202e" in value._repr_html_()]
    for value in shown:
        parser = Checked()
        parser.feed(value._repr_html_())
        seen += "<script>" in parser.text
    assert seen >= 15


def tells(kind):
    """Return whether a class writes its own text; a dataclass's own repr, which is wrapped, is none."""
    return "__str__" in vars(kind) or ("__repr__" in vars(kind) and not hasattr(vars(kind)["__repr__"], "__wrapped__"))


def test_every_result_has_a_view(shown):
    hidden = set()
    for module in pkgutil.walk_packages(sx.__path__, "separatrix."):
        if not any(part in module.name for part in ("kernels", "charts", "__main__", "cli", "report", "studio", "errors")):
            own = [
                value for value in vars(import_module(module.name)).values() if isinstance(value, type) and value.__module__ == module.name
            ]
            hidden |= {kind.__name__ for kind in own if tells(kind) and not hasattr(kind, "_repr_html_") and not hasattr(kind, "_fields")}
    assert hidden == NO_RESULTS
