"""Teach a perceptron to tell images of 'a' from images of 'b', and try it on fonts it has never seen.

The letters are drawn from the fonts that come with matplotlib (DejaVu, STIX, Computer Modern), in several sizes, shifted and
with noise; every pixel is an input. Run it with `python examples/letters.py`; `--save letters.png` also draws examples and
the weights that were learned.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.ft2font import FT2Font
from numpy.typing import NDArray

from separatrix import AveragedPerceptron, Perceptron, VotedPerceptron

SIDE = 24
SIZES = (17, 19, 21, 23)
SHIFT = 2
NOISE = 0.15
FAMILIES = ("DejaVuSans", "DejaVuSerif", "STIXGeneral", "cmb10", "cmmi10", "cmr10", "cmss10", "cmti10", "cmtt10")


def fonts() -> list[Path]:
    """Return the font files that have letters."""
    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    return [f for f in sorted(folder.glob("*.ttf")) if f.name.startswith(FAMILIES) and "Display" not in f.name]


def draw(font: Path, letter: str, size: int) -> NDArray[np.float64]:
    """Return a letter as a SIDE × SIDE image in the middle, ink being 1."""
    face = FT2Font(str(font))
    face.set_size(size, 72)
    face.set_text(letter)
    face.draw_glyphs_to_bitmap(antialiased=True)
    ink = np.asarray(face.get_image()) / 255.0
    image = np.zeros((SIDE, SIDE))
    top, left = (SIDE - ink.shape[0]) // 2, (SIDE - ink.shape[1]) // 2
    image[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    return image


def images(files: list[Path], copies: int, rng: np.random.Generator, letters: str = "ab") -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return rows of pixels and their letters: each font and size `copies` times, shifted at random and with noise."""
    rows, labels = [], []
    for file in files:
        for letter in letters:
            for size in SIZES:
                clean = draw(file, letter, size)
                for _ in range(copies):
                    moved = np.roll(clean, rng.integers(-SHIFT, SHIFT + 1, 2), axis=(0, 1))
                    rows.append((moved + NOISE * rng.standard_normal(clean.shape)).ravel())
                    labels.append(letter)
    return np.array(rows), np.array(labels)


def split(files: list[Path]) -> tuple[list[Path], list[Path]]:
    """Return the fonts to learn from, and every fourth one to try."""
    return [f for i, f in enumerate(files) if i % 4 != 3], files[3::4]


def as_text(row: NDArray[np.float64]) -> str:
    """Return an image as characters, two per pixel."""
    shades = np.array(list(" .:*#"))
    levels = np.clip((row.reshape(SIDE, SIDE) * len(shades)).astype(int), 0, len(shades) - 1)
    return "\n".join("".join(np.repeat(line, 2)).rstrip() for line in shades[levels]).strip("\n")


def save(path: str, X: NDArray[np.float64], y: NDArray[np.str_], weights: NDArray[np.float64]) -> None:
    """Draw some images and the weights into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.2), layout="constrained")
    axes = figure.subplots(1, 5)
    shown = [*X[y == "a"][::97][:2], *X[y == "b"][::97][:2]]
    for axis, image in zip(axes, shown):
        axis.imshow(image.reshape(SIDE, SIDE), cmap="gray_r")
    axes[4].imshow(np.reshape(weights, (SIDE, SIDE)), cmap="coolwarm")
    axes[4].set_title("weights: red for b", fontsize=8)
    for axis in axes:
        axis.set_axis_off()
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> None:
    """Train the perceptrons and print their errors."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--save", metavar="FILE", help="draw examples and weights into this file")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    seen, unseen = split(fonts())
    X, y = images(seen, 10, rng)
    tests = {"the same fonts, drawn anew": images(seen, 5, rng), "fonts never seen": images(unseen, 20, rng)}
    print(f"{len(X):,} images of {SIDE} × {SIDE} pixels from {len(seen)} fonts; one of them:\n\n{as_text(X[0])}\n")
    for model in (Perceptron(random_state=0), AveragedPerceptron(random_state=0), VotedPerceptron(random_state=0)):
        model.fit(X, y)
        print(f"{type(model).__name__}: {model.status_.message}")
        for name, (rows, labels) in tests.items():
            wrong = int((model.predict(rows) != labels).sum())
            print(f"    {wrong:4d} of {len(labels):,} wrong on {name}")
    if options.save:
        averaged = AveragedPerceptron(random_state=0).fit(X, y)
        save(options.save, X, y, averaged.coef_)
        print(f"drawn into {options.save}")


if __name__ == "__main__":
    main()
