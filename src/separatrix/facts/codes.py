"""The registry of alerts: a code for ever, a name, and a page of reasons for each."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UnknownNameError, did_you_mean
from ..notebook import Sentences


@dataclass(frozen=True, slots=True)
class Rule(Sentences):
    """The page behind a code.

    Attributes
    ----------
    code, name : such as "SPX011", "not better than the baseline"
    seen : what has to be seen for the alert to be raised
    why : why it matters
    do : what to type
    false_alarm : when there is nothing behind it
    """

    code: str
    name: str
    seen: str
    why: str
    do: str
    false_alarm: str

    def __str__(self) -> str:
        parts = (
            ("What is seen", self.seen),
            ("Why it matters", self.why),
            ("What to type", self.do),
            ("A false alarm when", self.false_alarm),
        )
        return "\n".join([f"{self.code} {self.name}", *(f"\n{title}\n    {text}" for title, text in parts)])

    def to_dict(self) -> dict[str, str]:
        """Return the parts by name, ready for JSON."""
        return {name: str(getattr(self, name)) for name in ("code", "name", "seen", "why", "do", "false_alarm")}


RULES = (
    Rule(
        "SPX001",
        "looks like an identifier",
        "A column of text or whole numbers with a value of its own in at least 99 % of the rows, that counts upwards or is called like an "
        "identifier (id, key, uuid). Numbers with decimals never count.",
        "What names a row says nothing about other rows. A model can learn rows by heart through it, and one level per row fills memory.",
        "It is left out. recipe.keep('id') takes it back.",
        "the numbers mean something, such as a date written as 20240131 or a postcode: recipe.with_kind('zip', 'category').",
    ),
    Rule(
        "SPX002",
        "constant column",
        "A column has one value in all rows that have any.",
        "It cannot tell rows apart, and would only share the intercept.",
        "It is left out. recipe.keep('site') takes it back.",
        "rows to come will have other values; the model has then nothing to learn about them from these rows.",
    ),
    Rule(
        "SPX003",
        "duplicate of another column",
        "A column equals an earlier one in every row, gaps included.",
        "Both share one effect, and a penalty counts it twice.",
        "The later one is left out. recipe.keep('copy') takes it back.",
        "two columns agree in these rows by chance: a switch that is rarely on, in few rows.",
    ),
    Rule(
        "SPX004",
        "near-duplicate columns",
        "Two columns of numbers have a correlation of at least .999, in ranks at least .99; or the levels of a category go with those of "
        "another column one to one in 99.9 % of the rows. Ten rows or more have to differ from the most common value.",
        "Their coefficients share one effect between them and cannot be read apart; a selection takes the one or the other by chance.",
        "frame.drop(columns=['fahrenheit']) keeps one of them.",
        "only predictions count: with a penalty both may stay.",
    ),
    Rule(
        "SPX005",
        "leaks the target",
        "One column alone puts 99 % of pairs of rows of two classes in the right order (of several classes: finds 99 % of each), on "
        "rows that its rule has not seen; chance does so once in a thousand tables at most, and the next best column gets five times as "
        "much wrong.",
        "Such a column is often written down after the target was known: a refund, a date of cancelling, a code of the outcome. A model "
        "with it looks perfect and fails in use.",
        "Ask when its values are known; then frame.drop(columns=['refund']).",
        "the column is the honest measurement by which the class is defined, known at the time of the prediction.",
    ),
    Rule(
        "SPX006",
        "duplicate rows across folds",
        "At least five rows and 1 % of those held out are equal in every column to a row trained on, identifiers aside; 95 % of them have "
        "their copy's label, and columns that were independent would leave a tenth of such pairs at most.",
        "A model that remembers its rows gets the copies right, so that the held-out error is too small.",
        "frame.drop_duplicates(); or keep copies together: plan=KFold(10, grouped=True), "
        "groups=frame.groupby(list(frame.columns), dropna=False).ngroup().",
        "few columns of few values describe many rows, which then agree without being copies.",
    ),
    Rule(
        "SPX007",
        "time order ignored",
        "The rows stand in the order of a column of dates, or held-out errors become more or less frequent along one, and the plan "
        "holds rows out at random.",
        "Rows are then judged by a model that has seen their future. What changes with time is hidden, and the model does worse when it "
        "is used.",
        "plan=TimeSplit('date') trains on the past and holds the next stretch out.",
        "the model will be used on rows of the same time, or the order of the rows is an accident.",
    ),
    Rule(
        "SPX008",
        "class too small for the plan",
        "A class has fewer rows than the plan has parts to hold out.",
        "Some parts hold none of it or leave none to train on, and its error rests on a handful of rows.",
        "plan=KFold(3) with fewer folds, or join the class with another one.",
        "the class is of no interest, and may as well be left out of the table.",
    ),
    Rule(
        "SPX009",
        "separation",
        "A linear score puts every row, or every row off a boundary, on the side of its class (a linear program proves it).",
        "The estimate of maximum likelihood does not exist: without a penalty coefficients grow without bound, and standard errors and "
        "p-values mean nothing.",
        "LogisticRegression(firth=True), or a finite C, such as LogisticRegression(C=1.0).",
        "only predictions of a penalised model count; with more columns than rows it is always so.",
    ),
    Rule(
        "SPX010",
        "collinear columns",
        "Columns determine each other: a combination of some is another one, exactly or with a variance inflation factor of 10 or more.",
        "Predictions do not suffer, but single coefficients are uncertain, may turn their sign, and cannot be read apart.",
        "frame.drop(columns=[…]) of one of them, a sum or ratio in their place, or a stronger penalty, such as C=0.1.",
        "no coefficient will be read.",
    ),
    Rule(
        "SPX011",
        "not better than the baseline",
        "The best model's held-out score differs from that of the majority class by no more than chance explains, at the 5 % level.",
        "There may be nothing to learn from these columns, or too few rows to see it.",
        "compare(…, metric='log_loss') or metric='auc', which see more where one class is rare; permutation_test(model, X, y).",
        "one class is so rare that no model names it, though its probabilities are of use: choose metric='log_loss'.",
    ),
    Rule(
        "SPX012",
        "overfit",
        "The error on the rows trained on is five points or more below the lower end of the held-out error's 95 % interval.",
        "The model has learned its own rows by heart: what it says about them says little about others.",
        "Judge by the held-out error; LogisticRegression(C=0.1), fewer columns (ForwardSelection), a simpler model, or more rows.",
        "the held-out error is good all the same, as of nearest neighbours, which know every row they keep.",
    ),
    Rule(
        "SPX013",
        "hyperparameter at the edge of its grid",
        "More than half of the folds chose the smallest or largest of three or more values, something can lie beyond, and with the last "
        "step the loss still fell by 1 % or more, and by more than chance explains over the folds.",
        "A better value may stand outside the list.",
        "compare(…, models=[(LogisticRegression(), {'C': [0.0001, 0.001, 0.01]})]) with a longer list.",
        "the loss is almost as small as it can be, so that a hundredth of it does not matter.",
    ),
    Rule(
        "SPX014",
        "missing values differ by class",
        "The share of gaps in a column differs between classes by two points or more, and by more than chance explains (χ² or Fisher's "
        "exact test, Holm over all columns at 1 %).",
        "A model learns the gap itself. If gaps come from how rows were collected, what it learns does not hold elsewhere; if they come "
        "after the target, they give it away.",
        "Ask why values are missing; then frame.drop(columns=['income']), or keep the column and its indicator of gaps.",
        "the gap is known at the time of the prediction and means the same then.",
    ),
    Rule(
        "SPX015",
        "category seen at predict only",
        "A column of categories has levels among the rows to be predicted that no training row has.",
        "The model has learned nothing about them: such a row is judged by its other columns alone.",
        "Correct what is misspelt; fit anew once there are rows of the new level.",
        "new levels come up all the time and are few, as new products do.",
    ),
    Rule(
        "SPX016",
        "drift between two tables",
        "A column has a population stability index of .1 or more against the first table (.25: a warning), and chance does not explain it "
        "(Kolmogorov and Smirnov for numbers, χ² for categories and gaps; Holm over all columns at 1 %). Dates are not compared.",
        "The model meets rows unlike those it was made from; its error and its probabilities may no longer hold.",
        "from separatrix.facts import drift; drift(training, new) lists the columns; fit anew with newer rows; "
        "prior_shift(model, X) where only the shares of classes have changed.",
        "the tables were never meant to be alike, such as one region or one season each.",
    ),
    Rule(
        "SPX017",
        "numbers written as text were parsed",
        "A column of text holds numbers: with thousands separators, a currency, a per cent sign, a decimal comma, or blanks for gaps.",
        "As categories each number would be a level of its own, and their order would be lost.",
        "They are numbers now; what does not parse is missing. recipe.with_kind('zip', 'category') takes the text as it is.",
        "the digits name things, such as postcodes or article numbers.",
    ),
    Rule(
        "SPX018",
        "column without any value dropped",
        "A column is missing in every row.",
        "Nothing can be learned from it, not even how to fill it.",
        "It is left out; check whether it was read rightly from its file.",
        "rows to come will have values; the model has to be fitted anew then.",
    ),
    Rule(
        "SPX019",
        "rows without a label dropped",
        "The target is missing in some rows.",
        "A classifier learns from labelled rows alone. If labels are missing for a reason, the rows left are not like all rows.",
        "They are left out and counted; look whether they differ: from separatrix.facts import drift; drift(labelled, unlabelled).",
        "the rows without a label are those to be predicted.",
    ),
    Rule(
        "SPX020",
        "infinite values taken as missing",
        "A column of numbers holds infinite values.",
        "They come from a division by zero or an overflow, and no linear score is defined for them.",
        "They are taken as missing; frame.replace([np.inf, -np.inf], …) gives them another value.",
        "infinity is meant, such as no limit: a category or a large number says so.",
    ),
    Rule(
        "SPX021",
        "target looks like a measurement",
        "The target is a number with very many values.",
        "Each value would be a class of a few rows: this is a problem of regression, not of classification.",
        "Cut it into classes, pd.cut(frame['price'], 3), or use a regressor, such as sklearn.linear_model.Ridge.",
        "the numbers are names of many classes, such as article numbers: turn them into text.",
    ),
    Rule(
        "SPX022",
        "numbers among words",
        "A column of text holds numbers in 80 % of its values or more, ten different ones at least, and several words in the others. (One "
        "word for all of them, such as unknown, is taken as a gap: SPX017.)",
        "It is taken as levels: each number is a level of its own, and their order is lost.",
        "recipe.with_kind('income', 'number') reads the numbers, and words become missing values.",
        "the digits name things, such as tickets or article numbers.",
    ),
    Rule(
        "SPX023",
        "first row taken for names",
        "The names of the columns look like values: those of columns of numbers are numbers between their smallest and largest value, and "
        "those of categories are levels of them.",
        "A file without a line of names loses its first row, and columns are called by its values.",
        "Write the names above the first row; for a frame: pd.read_csv(file, header=None, names=['age', 'income']).",
        "columns are named by numbers, such as years, that happen to lie among their values.",
    ),
    Rule(
        "SPX024",
        "points between thousands",
        "Numbers with fractions have three decimals and are below 1,000, seven of ten need the third one, and another column of the table "
        "is text with decimal commas.",
        "Where a comma is the decimal mark, a point stands between thousands: 54.321 is 54321, and 999 is smaller than 1.250.",
        "pd.read_csv(file, decimal=',', thousands='.') reads both; or write the file without points between thousands.",
        "the numbers were measured to three decimals and written with a point, unlike the rest of the table.",
    ),
    Rule(
        "SPX025",
        "dates that leave a doubt",
        "A column of text holds dates, and no day above 12 tells what is day and what month; or they are written in several ways.",
        "A guess could be wrong in every row. As levels or text they have no order, and dates to come are all new.",
        "pd.to_datetime(frame['signed'], dayfirst=True); or write them as 2024-12-31.",
        "the texts are no dates, such as numbers of invoices with a year.",
    ),
)
"""All rules, in the order of their codes."""

_BY_CODE = {rule.code: rule for rule in RULES}


def rule(code: str) -> Rule:
    """Return the page of reasons behind the code of an alert.

    Examples
    --------
    >>> print(rule("SPX002").name)
    constant column
    """
    if code not in _BY_CODE:
        raise UnknownNameError(f"{code!r} is not the code of an alert.{did_you_mean(code, _BY_CODE)} Codes are {', '.join(_BY_CODE)}.")
    return _BY_CODE[code]
