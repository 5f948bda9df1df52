"""Tables in files: which files and rows are read, how each format is read and written, and their rows as blocks."""
