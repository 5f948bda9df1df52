"""A formula as expressions of one row, in stages: what SQL, ONNX and Python are printed from."""
