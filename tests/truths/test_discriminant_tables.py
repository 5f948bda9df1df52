"""Fisher's iris as SAS (PROC CANDISC, PROC DISCRIM), R (heplots, candisc, manova) and SPSS print it, lengths in cm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix import LinearDiscriminantAnalysis
from separatrix.inference import Tables

IRIS = load_iris()


@pytest.fixture(scope="module")
def summary() -> Tables:
    X, y = load_iris(return_X_y=True, as_frame=True)
    species = IRIS.target_names[y]
    return LinearDiscriminantAnalysis().fit(X, species).summary(X, species)


def matrix(table: Any) -> Any:
    """The columns after the first, with the sign that makes the largest entry positive."""
    values = np.array(list(table.to_dict().values())[1:], dtype=float)
    return (values * np.sign(values[np.arange(len(values)), np.abs(values).argmax(axis=1)])[:, None]).T


def test_multivariate_statistics(summary: Tables) -> None:
    """PROC CANDISC: value, F, num df, den df."""
    table = summary["manova"]
    assert_allclose(table["value"], [0.02343863, 1.19189883, 32.47732024, 32.19192920], atol=5e-9)
    assert_allclose(table["F"], [199.15, 53.47, 582.20, 1166.96], atol=5e-3)
    assert table["num df"] == [8, 8, 8, 4]
    assert_allclose(table["den df"], [288, 290, 203.4, 145], atol=5e-2)
    assert table["F is"] == ["exact", "approximate", "approximate", "upper bound"]


def test_canonical_correlations(summary: Tables) -> None:
    table = summary["eigenvalues"]
    assert_allclose(table["canonical correlation"], [0.984821, 0.471197], atol=5e-7)
    assert_allclose(table["std. error"], [0.002468, 0.063734], atol=5e-7)
    assert_allclose(table["squared"], [0.969872, 0.222027], atol=5e-7)
    assert_allclose(table["eigenvalue"], [32.1919, 0.2854], atol=5e-5)
    assert_allclose(table["proportion"], [0.9912, 0.0088], atol=5e-5)


def test_dimensions(summary: Tables) -> None:
    """F by PROC CANDISC; χ² by SPSS: 546.115 on 8 and 36.530 on 3 degrees of freedom."""
    table = summary["dimensions"]
    assert_allclose(table["likelihood ratio"], [0.02343863, 0.77797337], atol=5e-9)
    assert_allclose(table["F"], [199.15, 13.79], atol=5e-3)
    assert (table["num df"], table["den df"], table["df"]) == ([8, 3], [288, 145], [8, 3])
    assert_allclose(table["Bartlett's chi-square"], [546.115, 36.530], atol=5e-4)


def test_columns_alone(summary: Tables) -> None:
    table = summary["columns"]
    assert_allclose(table["total std. dev."], [0.8281, 0.4359, 1.7653, 0.7622], atol=5e-5)
    assert_allclose(table["within std. dev."], [0.5148, 0.3397, 0.4303, 0.2047], atol=5e-5)
    assert_allclose(table["between std. dev."], [0.7951, 0.3368, 2.0907, 0.8967], atol=5e-5)
    assert_allclose(table["R²"], [0.6187, 0.4008, 0.9414, 0.9289], atol=5e-5)
    assert_allclose(table["F"], [119.26, 49.16, 1180.16, 960.01], atol=5e-3)


def test_distances_between_species(summary: Tables) -> None:
    """PROC CANDISC: squared distances, and F with 4 and 144 degrees of freedom."""
    table = summary["distances"]
    assert "4 and 144 degrees" in table.title
    assert_allclose(table["D²"], [89.86419, 179.38471, 17.20107], atol=5e-6)
    assert_allclose(table["F"], [550.18889, 1098.27375, 105.31265], atol=5e-6)
    assert max(table["Pr > F"]) < 1e-4


def test_coefficients(summary: Tables) -> None:
    raw = [[-0.8293776, 0.0241021], [-1.5344731, 2.1645212], [2.2012117, -0.9319212], [2.8104603, 2.8391879]]
    within = [[-0.4269548, 0.0124075], [-0.5212417, 0.7352613], [0.9472572, -0.4010378], [0.5751608, 0.5810399]]
    total = [[-0.6867795, 0.0199582], [-0.6688251, 0.9434418], [3.8857950, -1.6451189], [2.1422387, 2.1641359]]
    assert_allclose(matrix(summary["raw"]), raw, atol=5e-8)
    assert_allclose(matrix(summary["standardised_within"]), within, atol=5e-8)
    assert_allclose(matrix(summary["standardised_total"]), total, atol=5e-8)


def test_structure(summary: Tables) -> None:
    total = [[0.791888, 0.217593], [-0.530759, 0.757989], [0.984951, 0.046037], [0.972812, 0.222902]]
    between = [[0.991468, 0.130348], [-0.825658, 0.564171], [0.999750, 0.022358], [0.994044, 0.108977]]
    within = [[0.222596, 0.310812], [-0.119012, 0.863681], [0.706065, 0.167701], [0.633178, 0.737242]]
    for kind, expected in (("total", total), ("between", between), ("within", within)):
        assert_allclose(matrix(summary[f"structure_{kind}"]), expected, atol=5e-7)


def test_centroids(summary: Tables) -> None:
    found = np.abs(matrix(summary["centroids"]))
    assert_allclose(found, [[7.607600, 0.215133], [1.825049, 0.727900], [5.782550, 0.512767]], atol=5e-7)


def test_classification_functions(summary: Tables) -> None:
    """PROC DISCRIM prints constants −85.20986, −71.75400, −103.26971 for equal priors, without the shared log ⅓."""
    table = summary["functions"]
    found = np.array([table[name] for name in IRIS.target_names])
    assert_allclose(found[:, 0] + np.log(3), [-85.20986, -71.75400, -103.26971], atol=5e-6)
    setosa, versicolor, virginica = found[:, 1:]
    assert_allclose(setosa, [23.54417, 23.58787, -16.43064, -17.39841], atol=5e-6)
    assert_allclose(versicolor, [15.69821, 7.07251, 5.21145, 6.43423], atol=5e-6)
    assert_allclose(virginica, [12.44585, 3.68528, 12.76654, 21.07911], atol=5e-6)


def test_boxs_m(summary: Tables) -> None:
    """heplots::boxM: χ² = 140.94 on 20. SPSS: M = 146.663, F = 7.045 on 20 and 77566.751."""
    chi2, F = (summary["box"].row(name) for name in ("chi-square", "F"))
    assert_allclose([chi2["Box's M"], chi2["value"], chi2["num df"]], [146.6632, 140.94305, 20], atol=5e-5)
    assert_allclose([F["value"], F["num df"], F["den df"]], [7.045, 20, 77566.751], atol=5e-4)
    dets = summary["log_determinants"]["log determinant"]
    assert_allclose(dets, [-13.06736, -10.87433, -8.92706, -9.95854], atol=5e-6)
