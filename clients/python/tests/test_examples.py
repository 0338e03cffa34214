"""The examples that need LangChain, or nothing."""

from __future__ import annotations

import example
import pytest


@pytest.mark.parametrize("name", ["without_a_framework", "with_langchain", "with_langgraph"])
def test_the_example_runs(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    example.run(name, capsys, monkeypatch)
