"""Trains the word model of the gate. Needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from junod.extract.ngrams import NgramModel, terms
from junod.records import Passage

_INVERSE_RIDGE = 15.0
"""Best of 1, 4 and 15 by author-held-out folds."""


def train_ngrams(passages: Sequence[Passage], labels: Sequence[bool], weights: Sequence[float]) -> NgramModel:
    """Fit the word model; deterministic.

    Args:
        passages: at least some of each kind.
        labels: whether each holds something to keep.
        weights: how much each counts.
    """
    vectorizer = TfidfVectorizer(analyzer=terms, min_df=2, sublinear_tf=True)
    inputs = vectorizer.fit_transform(passages)
    model = LogisticRegression(C=_INVERSE_RIDGE, solver="liblinear", max_iter=200, random_state=0)
    model.fit(inputs, labels, sample_weight=weights)
    columns = zip(vectorizer.get_feature_names_out(), vectorizer.idf_, model.coef_[0], strict=True)
    found = {str(term): (round(float(idf), 3), round(float(weight), 3)) for term, idf, weight in columns}
    return NgramModel(round(float(model.intercept_[0]), 4), found)
