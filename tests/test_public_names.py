"""The public names are frozen; importing the package stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import separatrix
from separatrix import models
from separatrix.models.base import Classifier
from tests.tables import COUNT_MODELS, LOSS_MODELS, MISTAKE_MODELS, MODELS, SUMMARIES

NAMES = """
AnovaFilter AveragedPerceptron BackwardSelection BatchPerceptron BernoulliNB Board Bootstrap CalibratedClassifier CategoricalNB
ClassMoments CorrelationFilter DecidedClassifier Decision Estimate FisherDiscriminant ForwardSelection GaussianNB HashFold Holdout
Hyperplane KFold LeastSquaresClassifier LeaveOneOut LinearDiscriminantAnalysis LinearSVC LogisticRegression MixedNB Moments MultinomialNB
MutualInformationFilter NearestMean OneVsOne OneVsRest Perceptron QuadraticDiscriminantAnalysis RandomSubsampling RareBinaryFilter Recipe
ShrinkagePath StabilitySelection StepwiseDiscriminant TableClassifier TablePrep TimeSplit VotedPerceptron abilities_of charts
choose_covariance column_effects compare contributions cost_curve evaluate explain facts is_separable learning_curve load logic
net_benefit open_table permutation_test precision_recall predictive_values prior_shift probe regularisation_path reliability risk_coverage
roc save saving separation shrinkage_path streamed to_onnx to_python to_sql worked
""".split()


def test_public_names_are_frozen() -> None:
    assert separatrix.__all__ == NAMES
    assert all(getattr(separatrix, name).__name__.endswith(name) for name in NAMES)
    assert set(NAMES) <= set(dir(separatrix))


def test_tables_hold_every_public_classifier_and_summary() -> None:
    public = {name for name in models.__all__ if isinstance(getattr(models, name), type) and issubclass(getattr(models, name), Classifier)}
    assert {type(model).__name__ for model in [*MODELS, *COUNT_MODELS, *LOSS_MODELS, *MISTAKE_MODELS]} == public
    assert public | {"OneVsOne", "OneVsRest"} <= set(NAMES)
    assert {name for name in NAMES if name.endswith("Moments")} <= {summary.name for summary in SUMMARIES}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'LDA'. It has AnovaFilter, AveragedPerceptron"):
        _ = separatrix.LDA
    with pytest.raises(AttributeError, match="no attribute 'LogisticRegresion'. Did you mean 'LogisticRegression'?"):
        _ = separatrix.LogisticRegresion
    with pytest.raises(AttributeError, match="no attribute 'evalute'. Did you mean 'evaluate'?"):
        _ = separatrix.evalute


def test_small_fits_do_not_import_numba() -> None:
    code = (
        "import sys, separatrix as s; from sklearn.datasets import load_iris; X, y = load_iris(return_X_y=True);"
        "models = [s.LinearDiscriminantAnalysis(), s.LinearSVC(), s.LinearSVC(loss='hinge'), s.LogisticRegression(), s.GaussianNB(),"
        "s.MultinomialNB(), s.QuadraticDiscriminantAnalysis()];"
        "[m.fit(X, y).predict(X) for m in models]; sys.exit('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
