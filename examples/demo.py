"""Compare every family of models on two small data sets, and print which to take and why.

Run it with `make demo`. Each model is judged by rows it has not seen, ten tenths in turn; whatever it has to choose (how far to shrink,
how hard to penalise) it chooses by the other rows alone.
"""

from __future__ import annotations

import time

from rich.console import Console
from sklearn.datasets import load_breast_cancer, load_iris

from separatrix import LinearDiscriminantAnalysis, compare, learning_curve, permutation_test

SETS = {
    "Breast cancer: is a tumour malignant? 30 measurements of cell nuclei": load_breast_cancer,
    "Iris: which of three species? 4 measurements of flowers": load_iris,
}
LEGEND = """error     share of rows put into the wrong class, every row judged by a model that has not seen it
worse by  how much more a model errs than the best one on the same rows; p says how easily chance would do that
"""


def main() -> None:
    """Print the boards and what they show."""
    console, start = Console(), time.perf_counter()
    console.print(LEGEND, style="dim", highlight=False)
    for about, load in SETS.items():
        X, y = load(return_X_y=True)
        console.print(f"[bold]{about}[/bold]", highlight=False)
        board = compare(X, y, random_state=0)
        console.print(board, highlight=False)
        console.print(f"({board.seconds:.1f} s)\n", style="dim", highlight=False)

    X, y = load_breast_cancer(return_X_y=True)
    lda = LinearDiscriminantAnalysis()
    console.print(
        "[bold]Is there anything to learn? Breast cancer, its labels shuffled 10,000 times, without a refit[/bold]", highlight=False
    )
    console.print(f"{permutation_test(lda, X, y, random_state=0)}\n", highlight=False)
    console.print("[bold]Would more rows help? Breast cancer, LDA[/bold]", highlight=False)
    console.print(str(learning_curve(lda, X, y, random_state=0)), highlight=False)
    console.print(
        f"\n{time.perf_counter() - start:.0f} s in all. The same in Python: board = separatrix.compare(X, y); board.model.predict(X)"
    )


if __name__ == "__main__":
    main()
