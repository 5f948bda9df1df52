"""Every chart: drawn from a result, valid, with a caption that says what was drawn, in light and dark, with hostile names as text."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import separatrix as sx
from separatrix import charts
from separatrix.charts.grammar import alt
from separatrix.errors import InputError, InputTypeError

HOSTILE = ["</script><script>alert(1)</script>", "a'b\"c\\d", "pay\u202eyap", "datum.x", "${7*7}", "image"]


def two_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    labels = np.array(["<b>no</b>", "yes'\"\u202e"], dtype=object)
    y = labels[(X[:, 0] + X[:, 1] + rng.normal(size=120) > 0).astype(int)]
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(X, columns=HOSTILE), y


def of_evaluations(X, y, found):
    Z, z = load_iris(return_X_y=True)
    return {
        "roc": found.chart("roc"),
        "precision and recall": found.chart("precision_recall"),
        "cost": found.chart("cost", costs=[[0, 1], [5, 0]]),
        "net benefit": found.chart("net_benefit"),
        "risk and coverage": found.chart("risk_coverage"),
        "calibration": found.chart("calibration"),
        "confusion": found.chart(),
        "predictive values": sx.predictive_values(found, y, prevalence=0.1).chart(),
        "tuned": sx.Decision.tune(found, y, recall=0.9).chart(),
        "tuned by cost": sx.Decision.tune(found, y, costs=[[0, 1], [5, 0]]).chart(),
        "saving": sx.saving(sx.Decision([[0, 1], [5, 0]]), found, y).chart(),
        "permutations": sx.permutation_test(sx.LinearDiscriminantAnalysis(), X, y, n_permutations=50).chart(),
        "learning": sx.learning_curve(sx.LinearDiscriminantAnalysis(), X, y).chart(),
        "shrinkage": sx.shrinkage_path(X, y, shrinkages=[0.0, 0.5, 1.0]).chart(),
        "penalty": sx.regularisation_path(X, y, Cs=[0.1, 1.0]).chart(list(X.columns)),
        "prior shift": sx.prior_shift(sx.LinearDiscriminantAnalysis().fit(X, y), X).chart(),
        "leaderboard": sx.compare(X, y, models=[sx.NearestMean(), sx.LinearDiscriminantAnalysis()], random_state=0).chart(),
        "search": sx.ForwardSelection(sx.LinearDiscriminantAnalysis(), 2).fit(Z, z).history_.chart(),
        "stability": sx.StabilitySelection(sx.CorrelationFilter(k=2), n_subsamples=5, random_state=0).fit(X, y).chart(),
    }


def of_models(X, y):
    model, (Z, z) = sx.LogisticRegression().fit(X, y), load_iris(return_X_y=True)
    two = X.iloc[:, :2]
    numbers = two.to_numpy()
    perceptron = sx.Perceptron(trace=True, tol=1e-2).fit(numbers, y)
    return {
        "coefficients": sx.explain(model, X, y=y, folds=0, resamples=3).chart(),
        "coefficients of three": sx.explain(sx.LogisticRegression().fit(Z, z), Z, y=z, folds=0, resamples=3).chart(),
        "waterfall": sx.explain(model, X, 3).chart(),
        "column effects": sx.column_effects(model, X).chart(),
        "influence": sx.LogisticRegression(C=np.inf).fit(two, y).influence(two, y).chart(),
        "regions": charts.regions(model, X, y, (HOSTILE[0], HOSTILE[2]), grid=20),
        "margins": charts.regions(sx.LinearSVC().fit(two, y), two, y, grid=20),
        "discriminant plane": charts.regions(sx.LinearDiscriminantAnalysis().fit(Z, z), Z, z, "fisher", grid=20),
        "ambiguous": charts.regions(sx.OneVsRest(sx.LinearSVC()).fit(Z[:, :2], z), Z[:, :2], z, grid=20),
        "votes": charts.regions(sx.OneVsOne(sx.LinearSVC()).fit(Z[:, :2], z), Z[:, :2], z, grid=20),
        "projection": charts.projection(sx.FisherDiscriminant().fit(X, y), X, y),
        "ellipses": charts.ellipses(sx.QuadraticDiscriminantAnalysis().fit(two, y), two, y, truth=([[0, 0], [1, 1]], np.eye(2))),
        "perceptron": charts.perceptron_path(perceptron, numbers, y),
    }


@pytest.fixture(scope="module")
def made():
    X, y = two_classes()
    return {**of_evaluations(X, y, sx.evaluate(sx.LinearDiscriminantAnalysis(), X, y)), **of_models(X, y)}


def texts(part):
    if isinstance(part, dict):
        for key, value in part.items():
            yield from [key, *texts(value)]
    elif isinstance(part, list):
        for value in part:
            yield from texts(value)
    elif isinstance(part, str):
        yield part


def test_every_chart_is_valid_and_says_what_it_drew(made):
    for name, chart in made.items():
        spec = chart.to_dict()  # Altair checks it against its schema
        caption = " ".join(spec["title"]["subtitle"])
        assert "drawn" in caption or "rows" in caption, name
        json.dumps(spec, allow_nan=False)


def test_every_chart_has_tooltips_and_no_colour_of_one_page(made):
    for name, chart in made.items():
        spec = chart.to_dict()
        assert '"tooltip"' in json.dumps(spec), name
        assert spec["config"]["background"] == "transparent"
        body = {key: value for key, value in spec.items() if key != "config"}
        assert not {"white", "black", "#fff", "#ffffff", "#000", "#000000"} & set(texts(body)), name


def test_names_of_a_table_stay_text(made):
    for name, chart in made.items():
        for text in texts(chart.to_dict()):
            assert not set("\u202e\n\r") & set(text), name


def test_names_of_a_table_are_never_fields_or_expressions(made):
    def fields(part):
        for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
            if key in ("field", "expr", "calculate", "filter", "test", "as"):
                yield str(value)
            elif key not in ("values", "datasets"):
                yield from fields(value)

    for name, chart in made.items():
        assert not [f for f in fields(chart.to_dict()) if any(text in f for text in HOSTILE)], name


def test_no_global_setting_of_altair_is_changed(made):
    assert alt.data_transformers.active == "default"
    assert alt.renderers.active == "default"
    assert alt.theme.active == "default"


def test_many_rows_are_drawn_by_few_points():
    rng = np.random.default_rng(0)
    p = rng.random(60_000)
    chart = sx.roc(p, rng.random(60_000) < p).chart()
    spec = chart.to_dict()
    assert len(json.dumps(spec)) < 100_000
    assert "of 60,001 thresholds of 60,000 rows drawn" in " ".join(spec["title"]["subtitle"])


def test_a_kind_that_does_not_exist_names_those_that_do():
    X, y = load_breast_cancer(return_X_y=True)
    found = sx.evaluate(sx.NearestMean(), X, y)
    with pytest.raises(InputError, match="kind='rok' is not known; use one of 'confusion', .* Did you mean 'roc'?"):
        found.chart("rok")


def test_margins_and_boundaries_of_a_machine_are_straight():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    spec = charts.regions(sx.LinearSVC().fit(X, y), X, y, grid=12).to_dict()
    lines = [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert [layer["mark"].get("strokeDash") for layer in spec["layer"] if layer["mark"]["type"] == "line"] == [None, [5, 4]]
    model = sx.LinearSVC().fit(X, y)
    for rows, levels in zip(lines, ([0.0], [-1.0, 1.0])):
        scores = model.decision_function(np.array([[row["x"], row["y"]] for row in rows]))
        assert np.abs(scores[:, None] - levels).min(axis=1).max() < 1e-3  # six digits are kept


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda X, y, m: charts.regions(m, X, y, (0,)), "does not name two columns"),
        (lambda X, y, m: charts.regions(m, X, y, ("sepal", 1)), "names the column 'sepal', which is not in X"),
        (lambda X, y, m: charts.regions(m, X, y[:5]), "has no label for each of the 100 rows"),
        (lambda X, y, m: charts.regions(m, X, y, grid=1), "grid=1: between 2 and 2,000 points"),
        (lambda X, y, m: charts.regions(None, X, y), "is not a fitted classifier"),
        (lambda X, y, m: charts.projection(None, X, y), "neither a model nor a direction"),
        (lambda X, y, m: charts.projection(None, X, y, direction=[0, 0]), "direction must be 4 finite numbers"),
        (lambda X, y, m: charts.ellipses(m, X, y, truth=([[0, 0]], np.eye(2))), r"truth needs means \(2, 2\)"),
        (lambda X, y, m: charts.perceptron_path(m, X, y), "is no perceptron; fit Perceptron"),
        (lambda X, y, m: sx.explain(m, X, 0).chart(most=0), "most=0: at least one is drawn"),
        (lambda X, y, m: sx.explain(sx.GaussianNB().fit(X, y), X).chart(), "there are no coefficients; column_effects"),
        (lambda X, y, m: sx.column_effects(m, X)["x9"], "'x9' moves no score here. Columns: x"),
        (lambda X, y, m: sx.regularisation_path(X, y, Cs=[1.0]).chart(["a"]), "must be a list of 4 names"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, said):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    with pytest.raises((InputError, InputTypeError), match=said):
        call(X, y, sx.LinearDiscriminantAnalysis().fit(X, y))
