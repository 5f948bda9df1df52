"""How much memory there is: what a container allows, not what its host has."""

from __future__ import annotations

from pathlib import Path

import pytest

from separatrix.thresholds import group_limits, physical_memory

GROUPS: dict[str, tuple[str, dict[str, str], list[int]]] = {
    "second version": ("0::/\n", {"memory.max": "4096\n"}, [4096]),
    "no limit": ("0::/\n", {"memory.max": "max\n"}, []),
    "a slice": ("0::/user/work\n", {"user/memory.max": "8192", "user/work/memory.max": "max"}, [8192]),
    "first version": ("9:cpu:/\n4:memory:/docker/a1\n", {"memory/memory.limit_in_bytes": "2048"}, [2048]),
    "path of the host": ("0::/../pod:7\n", {"memory.max": "1024"}, [1024]),
    "no groups": ("", {"memory.max": "1"}, []),
    "no lines": ("nonsense\n", {"memory.max": "1"}, []),
}


@pytest.mark.parametrize("case", GROUPS)
def test_limits_of_control_groups_are_found(case: str, tmp_path: Path) -> None:
    groups, files, limits = GROUPS[case]
    (tmp_path / "groups").write_text(groups)
    for name, said in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(said)
    assert group_limits(str(tmp_path / "groups"), str(tmp_path)) == limits


def test_a_machine_without_groups_has_its_own_memory(tmp_path: Path) -> None:
    assert group_limits(str(tmp_path / "none"), str(tmp_path)) == []
    assert 0 < physical_memory() <= 2**62
