"""Naive Bayes: columns independent within a class, so that what each says adds up."""
