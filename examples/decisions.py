"""From scores to decisions: patients with a suspicious lump, misses ten times as bad as false alarms.

Everything but one fit per model is read off held-out posteriors: thresholds, costs, rejection, calibration, other priors.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

from separatrix import (
    CalibratedClassifier,
    Decision,
    LeaveOneOut,
    LinearDiscriminantAnalysis,
    LinearSVC,
    evaluate,
    predictive_values,
    prior_shift,
    reliability,
    roc,
    saving,
)


def main() -> None:
    """Print each step."""
    data = load_breast_cancer()
    X, y = data.data / data.data.std(axis=0), np.where(data.target == 0, "malignant", "benign")
    model = LinearDiscriminantAnalysis()
    found = evaluate(model, X, y, plan=LeaveOneOut())  # by algebra: one fit
    print(f"One wrong in {1 / found.error:.0f}. {roc(found, y)}")

    print("\nWhat if a miss costs ten false alarms?")
    costs = [[0, 1], [10, 0]]  # rows: benign, malignant; columns: called benign, called malignant
    print(saving(Decision(costs), found, y))
    print(Decision.tune(found, y, costs=costs))

    print("\nFind 99 % of the malignant ones, with as few false alarms as can be:")
    tuned = Decision.tune(found, y, recall=0.99)
    print(tuned)
    fitted = model.fit(X, y).with_decision(tuned.decision)
    print(f"called malignant: {np.mean(fitted.predict(X) == 'malignant'):.1%} of the patients")

    print("\nLeave one in twenty to a second doctor:")
    print(Decision.tune(found, y, rejection_rate=0.05))

    print("\nWhat a positive answer means in a screening, where 1 in 200 is ill:")
    print(predictive_values(found, y, prevalence=0.005))

    print("\nDo the posteriors mean what they say? Those of discriminant analysis, and of a support vector machine, calibrated:")
    calibrated = evaluate(CalibratedClassifier(LinearSVC()), X, y, random_state=0)
    for name, estimate in {"discriminant analysis": found, "calibrated SVM": calibrated}.items():
        print(f"  {name}: {str(reliability(estimate, y)).splitlines()[-1]}")

    print("\nPatients of another hospital, without labels: are the malignant as common there?")
    rng = np.random.default_rng(0)
    other = np.concatenate([rng.choice(np.flatnonzero(y == "benign"), 270), rng.choice(np.flatnonzero(y == "malignant"), 30)])
    shift = prior_shift(model, X[other])
    print(shift)
    for name, at in {"old": model, "new": model.with_priors(shift.priors)}.items():
        print(f"mean posterior of 'malignant' with the {name} priors: {at.predict_proba(X[other])[:, 1].mean():.3f} (in truth 0.100)")


if __name__ == "__main__":
    main()
