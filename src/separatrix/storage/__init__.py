"""What is kept on disk: files that appear whole or not at all, and arrays beside JSON in a checked container. Nothing read is ever run."""

from __future__ import annotations

from .atomic import atomic_file, atomic_path, path_text
from .container import Container, read_container, write_container
from .json_text import read_json, tagged_number, untagged_number, write_json

__all__ = [
    "Container",
    "atomic_file",
    "atomic_path",
    "path_text",
    "read_container",
    "read_json",
    "tagged_number",
    "untagged_number",
    "write_container",
    "write_json",
]
