"""What the state of each estimator holds: the layout of model files, field by field.

A line is "name: type". "?name" may be absent, as every field must be that comes later, or files written before would no longer be read;
"type?" may be None. Types:

    f K p      finite floats of shape (K, p); f- may hold −inf (log probabilities), f~ any number
    i T        whole numbers; 0..S-1 behind the shape bounds them: "i T < S"
    b p        switches
    labels K   labels of any kind, all different; names p: texts
    number     a finite number; number~ any; count: a whole number ≥ 0; switch; text; one of a|b: one of these texts
    alerts, texts, form, pair, plain    alerts as dicts; {name: text}; how a number is printed; (low, high); lists of plain values
    Record q   a value with fields of its own (RECORDS), whose number of columns is q
    tuple Record    any number of them
    rows S p   floats of that shape, or SparseRows

K is the number of classes, p of columns, c of rows of coefficients (1 for two classes, else K); * is any number, and other letters are the
same number wherever they stand in one model or record; "p+1" is one more; ... is any shape.
"""

from __future__ import annotations

_FIT = "n_features_in_: count; ?feature_names_in_: names p"
_CLASSES = f"classes_: labels K; {_FIT}"
_LINEAR = "coef_: f c p; intercept_: f c"
_MISTAKES = f"{_CLASSES}; n_iter_: count; status_: PerceptronStatus p"
_ONLINE = f"{_MISTAKES}; progress_: Progress p; trace_: Trace p?"
_COUNTS = f"{_CLASSES}; class_count_: f K; class_log_prior_: f- K"
_SWITCHES = (
    f"{_COUNTS}; summary_: Counts p; feature_count_: f K p; feature_log_prob_: f- K p; coef_: f c p; intercept_: f- c; "
    "zero_coef_: f K p?; zero_intercept_: f K?; zero_offset_: f K p?"
)
_SELECTED = f"{_FIT}; support_: b p"
_FILTER = f"{_SELECTED}; scores_: f~ p; pvalues_: f~ p?; skipped_: texts"
_SEARCH = (
    f"{_SELECTED}; history_: History p; score_: number~; interval_: pair; n_features_: count; skipped_: texts; method_: text; "
    "interrupted_: switch; ?table_: switch"
)
_NAMED = "?feature_names: plain; ?recipe: text?"
_TABLE = "recipe_: text; alerts_: alerts; n_features_in_: count; feature_names_in_: names p?"

MODELS: dict[str, str] = {
    "LinearDiscriminantAnalysis": f"{_CLASSES}; {_LINEAR}; summary_: ClassMoments p?; covariance_: f~ p p?; basis_: f p *?; priors_: f K; "
    "means_: f K p; xbar_: f p; scalings_: f~ p r; explained_variance_ratio_: f~ *; log_det_: number~; rank_: count; shrinkage_: number",
    "GaussianNB": f"{_CLASSES}; summary_: ClassMoments p; class_count_: f K; class_prior_: f K; theta_: f K p; var_: f K p; "
    "epsilon_: number",
    "NearestMean": f"{_CLASSES}; {_LINEAR}; summary_: ClassMoments p; means_: f K p; scale_: f p",
    "LeastSquaresClassifier": f"{_CLASSES}; {_LINEAR}; summary_: ClassMoments p?; regression_coef_: f m p; regression_intercept_: f m; "
    "numbers_: f K?; limits_: f 2?",
    "FisherDiscriminant": f"{_CLASSES}; {_LINEAR}; summary_: ClassMoments p?; means_: f K p; xbar_: f p; scalings_: f~ p r; "
    "eigenvalues_: f~ *; explained_variance_ratio_: f~ *; threshold_: number?",
    "QuadraticDiscriminantAnalysis": f"{_CLASSES}; summary_: ClassMoments p?; priors_: f K; means_: f K p; covariance_: f~ K p p?; "
    "basis_: f K p *?; log_det_: f K; rank_: i K; shrinkage_: f K; spans_: tuple ClassSpan",
    "BernoulliNB": f"{_SWITCHES}; absent_log_prob_: f- K p",
    "MultinomialNB": _SWITCHES,
    "CategoricalNB": f"{_COUNTS}; summary_: CategoryCounts p; categories_: CategoryCounts p; n_categories_: i p; "
    "category_log_prob_: f K z; category_zeros_: f K z?",
    "MixedNB": f"{_COUNTS}; summary_: ColumnCounts p; kinds_: names p; epsilon_: number; theta_: f K g; var_: f K g; "
    "counted_: CountLikelihoods h; categorical_: CategoryLikelihoods s",
    "LogisticRegression": f"{_CLASSES}; {_LINEAR}; n_iter_: i 1; solution_: Solution p?; class_prior_: f K?; "
    "evidence_: FisherInformation p?; "
    "?averaging_: Averaged p",
    "LinearSVC": f"{_CLASSES}; {_LINEAR}; n_iter_: count; solution_: Solution p; margin_: f~ *; ?support_: i S; ?dual_coef_: f * S",
    "Perceptron": f"{_ONLINE}; {_LINEAR}",
    "AveragedPerceptron": f"{_ONLINE}; {_LINEAR}",
    "VotedPerceptron": f"{_ONLINE}; ballots_: Ballots p",
    "BatchPerceptron": f"{_MISTAKES}; {_LINEAR}",
    "OneVsRest": _CLASSES,
    "OneVsOne": _CLASSES,
    "CalibratedClassifier": "classes_: labels K; class_prior_: f K; calibration_: CalibrationMap *; floor_: number~?",
    "DecidedClassifier": "",
    "TableClassifier": f"{_TABLE}; ?scale_: f w; ?mean_: f w?",
    "TablePrep": _TABLE,
    "AnovaFilter": _FILTER,
    "CorrelationFilter": _FILTER,
    "MutualInformationFilter": _FILTER,
    "RareBinaryFilter": f"{_SELECTED}; on_: f~ p; dropped_: texts",
    "StepwiseDiscriminant": f"{_SELECTED}; history_: Table *; order_: i * < p; skipped_: texts",
    "StabilitySelection": f"{_SELECTED}; frequencies_: f p; n_subsamples_: count; expected_false_: number~; ?table_: switch",
    "ForwardSelection": _SEARCH,
    "BackwardSelection": _SEARCH,
    "Pipeline": "names: plain",
    "StandardScaler": "n_features_in_: count; feature_names_in_: names p?; mean_: f p?; var_: f p?; scale_: f p?; n_samples_seen_: number",
    "PolynomialFeatures": "n_features_in_: count; feature_names_in_: names p?",
    "Board": "title_: text; metric_: text; plan_: text; rows_: number; entries_: tuple SavedEntry; best_name_: text; picked_name_: text; "
    "said_: plain; alerts_: alerts; failures_: texts; seconds_: number; ended_: text",
    "Decision": "",
    "Recipe": "recipe_: text; alerts_: alerts",
}
"""Fitted attributes of every estimator that has a state."""

RECORDS: dict[str, str] = {
    "Averaged": "theta: f c p+1; mean: f c p+1; squares: f ...; total: number; steps: count",
    "Ballots": "start: f c p+1; unit: number; support: rows S p; index: i T < S; own: i T < K; rival: i T < K; step: f T; survived: f T+1",
    "CalibrationMap": "method: one of sigmoid|isotonic|beta|temperature; parameters: f * *; starts: i *",
    "CategoryCounts": f"classes: labels K; counts: f K; rows: i K; starts: i q+1; cells: f K z; levels: names z?; {_NAMED}",
    "CategoryLikelihoods": "counts: CategoryCounts q; logs: f K z; zeros: f K z?",
    "ClassMoments": f"classes: labels K; counts: f K; means: f K q; scatter: f ...; kind: one of full|pooled|diagonal; rows: i K; {_NAMED}",
    "ClassSpan": "codes: i m < K; centre: f p; unit: f p; basis: f p r; shifts: f m r; whitening: f ...; outside: f m; "
    "log_dets: f m; ranks: i m; "
    "alphas: f m; involved: b p",
    "Column": "name: text; values: plain; form: form",
    "ColumnCounts": "classes: labels K; counts: f K; layout: Layout p; moments: ColumnMoments g; totals: Counts h; "
    "categories: CategoryCounts s",
    "ColumnMoments": "counts: f K q; means: f K q; scatter: f K q",
    "CountLikelihoods": "kinds: names q; coef: f K q; offset: f K q; zero_coef: f K q?; zero_offset: f K q?; length: f K",
    "Counts": f"classes: labels K; counts: f K; rows: i K; totals: f K q; missing: f K q?; {_NAMED}",
    "Difference": "value: number~; interval: pair; p: number~; test: text",
    "FisherInformation": "gamma: f~ m t; centre: f p; information: f~ * *; log_likelihood: number~; null_log_likelihood: number~; "
    "counts: f K; "
    "fit_intercept: switch",
    "History": "metric: text; sign: number; moves: tuple Move",
    "Layout": "kinds: names q; text: b q",
    "Move": "step: count; action: text; name: text; members: plain; groups: plain; score: number~; interval: pair; error: number~; "
    "seconds: number; candidates: plain; test: plain",
    "PerceptronStatus": "converged: switch; message: text; n_mistakes: count; last_mistakes: count",
    "Progress": "weights: f c p+1; memory: f * p+1; clock: number; mistakes: count; epochs: count; rows: count; start_norm: number",
    "SavedEntry": "name: text; value: number~; interval: pair; standard_error: number~; difference: Difference *?; chosen: text; "
    "method: text; "
    "seconds: number; notes: plain; is_tie: switch; mark: text",
    "Solution": "coef: f m p; intercept: f m; status: one of converged|max_iter|stalled|separable; iterations: count; passes: count; "
    "objective: number~; gradient_norm: number~; gap: number~; solver: text; why: text; dependent: i *?",
    "SparseRows": "data: f n; indices: i n < p; indptr: i S+1; columns: count",
    "Table": "title: text; columns: tuple Column; note: text",
    "Trace": "start: f c p+1; unit: number; epoch: i T; row: i T; score: f~ T; own: i T < K; rival: i T < K; step: f T; clock: f T",
}
"""Fields of values that have fields of their own, in their order."""

INSIDE: dict[str, str] = {
    "Board": "model_",
    "CalibratedClassifier": "estimator_",
    "DecidedClassifier": "estimator_",
    "OneVsOne": "estimators_.",
    "OneVsRest": "estimators_.",
    "Pipeline": "steps.",
    "TableClassifier": "estimator_",
}
"""The fitted models that an estimator has inside; a dot at the end stands for several, by number."""

PARAMS: dict[str, frozenset[str]] = {
    "Board": frozenset(),
    "CalibratedClassifier": frozenset({"method", "n_jobs"}),
    "DecidedClassifier": frozenset({"decision", "trained_priors"}),
    "Decision": frozenset({"decision"}),
    "Pipeline": frozenset(),
    "PolynomialFeatures": frozenset({"degree", "interaction_only", "include_bias"}),
    "Recipe": frozenset(),
    "StandardScaler": frozenset({"with_mean", "with_std"}),
    "TableClassifier": frozenset({"standardise", "target", "prep", "sparse_output"}),
    "TablePrep": frozenset(
        "kinds shapes drop keep orders references units interactions many_levels most_levels most_words sparse_output".split()
    ),
}
"""Parameters of what is not made from its parameters alone; the classes of all others refuse what they do not know."""
