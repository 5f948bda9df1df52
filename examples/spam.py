"""Sort messages into ham and spam by the words in them, first with weights set by hand, then with weights learned.

The messages are put together from phrases, so that nothing has to be downloaded. Run it with `python examples/spam.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from separatrix import AveragedPerceptron, Hyperplane, Perceptron

SPAM = [
    "free money", "you have won a prize", "claim your free gift", "cheap loans today", "act now", "limited offer", "cash bonus",
    "click here to win", "no risk at all", "lowest price ever", "meet singles in your town", "your account was selected",
]  # fmt: skip
HAM = [
    "see you at lunch", "the meeting is at noon", "your report was good", "can you send the notes", "thank you for your help",
    "the train is late today", "happy birthday", "let us meet in town", "the price of the flat", "my account of the trip",
    "i won the chess game", "are you free on friday",
]  # fmt: skip
BOTH = ["hello", "dear friend", "please answer", "best wishes", "today", "now", "have a good day", "this is for you"]


def messages(n: int, rng: np.random.Generator) -> tuple[list[str], NDArray[np.str_]]:
    """Return n messages and their labels; one phrase in eight is of the other kind."""
    labels = np.where(rng.random(n) < 0.4, "spam", "ham")
    texts = []
    for label in labels:
        own, other = (SPAM, HAM) if label == "spam" else (HAM, SPAM)
        kinds = [own if rng.random() < 7 / 8 else other for _ in range(int(rng.integers(2, 5)))]
        texts.append(" ".join(str(rng.choice(kind)) for kind in [*kinds, BOTH]))
    return texts, labels


def by_hand() -> Hyperplane:
    """Return the discriminant with weight 4 on "free", 2 on "money" and bias −3."""
    return Hyperplane(w=[4, 2], w0=-3)


def main() -> None:
    """Print what the weights by hand say, what perceptrons learn, and how often they are wrong."""
    plane = by_hand()
    print(f"By hand: spam where {plane.equation(['free', 'money']).removesuffix(' = 0')} > 0")
    for text in ("free money", "money", "see you at lunch"):
        counts = [text.split().count(word) for word in ("free", "money")]
        score = float(plane.score(counts))
        print(f"    {text!r} scores {score:+g}: {'spam' if score > 0 else 'ham'}")

    rng = np.random.default_rng(0)
    (texts, y), (new_texts, new_y) = messages(4000, rng), messages(2000, rng)
    words = CountVectorizer(token_pattern=r"\b\w+\b").fit(texts)
    X, new = words.transform(texts), words.transform(new_texts)
    print(f"\nLearned from {X.shape[0]:,} messages with {X.shape[1]} words, tried on {new.shape[0]:,} others:")
    for model in (Perceptron(tol=1e-3, random_state=0), AveragedPerceptron(tol=1e-3, random_state=0)):
        model.fit(X, y)
        wrong = int((model.predict(new) != new_y).sum())
        print(f"    {type(model).__name__}: {wrong} wrong, {wrong / len(new_y):.1%}; {model.status_.message}")
    names = words.get_feature_names_out()
    order = np.argsort(model.coef_[0])
    print(f"    words for spam: {', '.join(names[order[::-1][:8]])}\n    words for ham: {', '.join(names[order[:8]])}")


if __name__ == "__main__":
    main()
