"""What a model says about rows it has not seen, from the fit of all: leave-one-out, folds, permuted labels."""
