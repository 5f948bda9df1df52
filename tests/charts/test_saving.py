"""Charts as files; what is missing is said with what to type; colours that all can tell apart; axes of matplotlib."""

import builtins
import json
import re
import sys
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import separatrix as sx
from separatrix.charts.palette import CLASSES, DARK, LIGHT
from separatrix.charts.sampling import sampled, thinned
from separatrix.errors import InputError, InputTypeError, MissingExtraError
from separatrix.explaining import decision_regions

CURVE = sx.roc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
SEEN = {
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "all cones": np.eye(3).tolist(),
}
"""What colours look like, in linear RGB (Machado, Oliveira and Fernandes 2009)."""


def linear(colour):
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", SEEN)
def test_any_two_colours_of_classes_differ_for_every_vision(vision):
    seen = {colour: lab(np.array(SEEN[vision]) @ linear(colour)) for colour in CLASSES}
    assert min(np.linalg.norm(seen[a] - seen[b]) for a, b in combinations(CLASSES, 2)) > 12


@pytest.mark.parametrize("page", [LIGHT, DARK])
def test_colours_stand_out_from_the_page(page):
    def brightness(colour):
        return linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05

    for colour in CLASSES:
        assert max(brightness(colour), brightness(page)) / min(brightness(colour), brightness(page)) >= 3.0


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!doctype html>"), ("json", b"{")])
def test_the_ending_says_the_format(tmp_path, ending, start):
    CURVE.chart().save(tmp_path / f"roc.{ending}", theme="dark")
    assert (tmp_path / f"roc.{ending}").read_bytes().startswith(start)


def test_an_svg_in_the_colour_of_the_page_and_one_for_a_dark_page(tmp_path):
    CURVE.chart().save(tmp_path / "roc.svg", theme="auto")
    text = (tmp_path / "roc.svg").read_text(encoding="utf-8")
    assert "currentColor" in text and "#1e1e1e" not in text and not re.search(r' d="[^"]*\d\.\d{3}', text)
    CURVE.chart().save(tmp_path / "roc.svg", theme="dark")
    assert "#1e1e1e" in (tmp_path / "roc.svg").read_text(encoding="utf-8")


def test_an_unknown_ending_or_theme_leaves_the_old_file(tmp_path):
    (tmp_path / "roc.svgg").write_text("old")
    with pytest.raises(InputError, match="ends in '.svgg'; use one of .html, .svg, .png, .json. Did you mean '.svg'?"):
        CURVE.chart().save(tmp_path / "roc.svgg")
    with pytest.raises(InputError, match="theme='drak' is not known; use one of 'auto', 'light', 'dark'. Did you mean 'dark'?"):
        CURVE.chart().save(tmp_path / "roc.svg", theme="drak")
    with pytest.raises(InputError, match="scale=0 must lie between 0.1 and 20"):
        CURVE.chart().save(tmp_path / "roc.png", scale=0)
    assert (tmp_path / "roc.svgg").read_text() == "old"


@pytest.mark.parametrize(
    ("package", "call", "command"),
    [
        ("altair", lambda: CURVE.chart(), r"pip install 'separatrix\[charts\]'"),
        ("vl_convert", lambda: CURVE.chart().save("never.png"), r"pip install 'separatrix\[pictures\]'"),
        ("matplotlib", lambda: CURVE.plot(), "pip install matplotlib"),
    ],
)
def test_what_is_not_installed_is_said_with_what_to_type(monkeypatch, package, call, command):
    own = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] == package:
            raise ImportError(name)
        return own(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("separatrix.charts")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=command):
        call()


def test_six_charts_are_drawn_on_axes_of_matplotlib():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    (X, y), figure = load_iris(return_X_y=True), plt.figure()
    axes = figure.subplots(2, 3).ravel()
    found = sx.evaluate(sx.LinearDiscriminantAnalysis(), X[50:], y[50:])
    for ax, kind in zip(axes, ("roc", "precision_recall", "calibration", "confusion"), strict=False):
        assert found.plot(kind, ax) is ax and ax.get_xlabel()
    regions = decision_regions(sx.LinearDiscriminantAnalysis().fit(X, y), X, y, plane=(0, 2), grid=15)
    assert regions.plot(axes[4]) is axes[4] and len(axes[4].collections) >= 3
    assert sx.learning_curve(sx.NearestMean(), X, y).plot(axes[5]).get_ylabel() == "error"
    figure.canvas.draw()
    plt.close(figure)
    with pytest.raises(InputTypeError, match="ax='no' is no axes of matplotlib; leave it out"):
        found.plot("roc", "no")


def test_points_of_many_rows_are_chosen_once_and_for_all():
    assert len(sampled(100_000)) == 2_000 and np.array_equal(sampled(100_000), sampled(100_000))
    x = np.linspace(0, 1, 50_000)
    kept = thinned(x, np.sqrt(x))
    assert kept[0] == 0 and kept[-1] == len(x) - 1 and len(kept) <= 240
    assert np.abs(np.interp(x, x[kept], np.sqrt(x)[kept]) - np.sqrt(x)).max() < 0.01


def test_the_size_of_a_chart_does_not_grow_with_the_rows():
    sizes = []
    for n in (20_000, 100_000):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 2))
        y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
        spec = sx.charts.regions(sx.LinearDiscriminantAnalysis().fit(X, y), X, y, grid=20).to_dict()
        assert f"2,000 of {n:,} rows drawn, chosen at random (seed 0)." in " ".join(spec["title"]["subtitle"])
        sizes.append(len(json.dumps(spec)))
    assert sizes[1] < 1.1 * sizes[0]
