"""Read handwritten digits: which linear model does it best, and which digits does it mistake for each other?

Uses the 1,797 images of 8 × 8 pixels that come with scikit-learn. Run it with `python examples/digits.py`.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from separatrix import KFold, LinearDiscriminantAnalysis, LogisticRegression, MultinomialNB, NearestMean, OneVsOne, evaluate

MODELS = {
    "nearest mean": NearestMean(),
    "naive Bayes on ink": MultinomialNB(),
    "LDA, shrunk": LinearDiscriminantAnalysis(shrinkage=0.05),
    "softmax regression": LogisticRegression(C=0.01),
}


def main() -> None:
    """Print the held-out errors, the commonest confusions of the best model, and digits on which pairwise machines contradict."""
    X, y = load_digits(return_X_y=True)
    found = {name: evaluate(model, X, y, plan=KFold(10, random_state=0)) for name, model in MODELS.items()}
    print(f"{len(y):,} digits, 10-fold cross-validation:")
    for name, estimate in found.items():
        low, high = estimate.interval
        print(f"    {name:20} {estimate.error:6.2%} wrong ({low:.1%} to {high:.1%}), {estimate.method}, {estimate.seconds:.2f} s")

    best = min(found, key=lambda name: found[name].error)
    mistakes = found[best].confusion.copy()
    np.fill_diagonal(mistakes, 0)
    print(f"\nThe commonest mistakes of {best}:")
    for place in np.argsort(mistakes.ravel())[::-1][:5]:
        truth, said = divmod(int(place), 10)
        print(f"    {truth} read as {said}: {mistakes[truth, said]:g} times")

    half = np.arange(len(y)) % 2 == 0
    duels = OneVsOne(LinearDiscriminantAnalysis(shrinkage=0.05), rule="all_duels").fit(X[half], y[half])
    unclear = duels.ambiguous(X[~half])
    wrong = duels.predict(X[~half]) != y[~half]
    print(f"\n45 duels between two digits each: {unclear.sum()} of {(~half).sum()} digits win not all of theirs.")
    print(f"    Among those {wrong[unclear].mean():.0%} are read wrongly, among the others {wrong[~unclear].mean():.1%}.")


if __name__ == "__main__":
    main()
