"""Ask Remit before a tool call runs.

Only a :class:`Decision` whose ``allowed`` is true lets a call run, with its
``arguments``. Every exception is a refusal.
"""

from .aio import AsyncRemit, AsyncSession
from .client import Remit, Session
from .models import Approval, Decision, Finding, Problem, Reason, SessionInfo, ToolSet, Verdict

__all__ = [
    "Approval",
    "AsyncRemit",
    "AsyncSession",
    "Decision",
    "Finding",
    "Problem",
    "Reason",
    "Remit",
    "Session",
    "SessionInfo",
    "ToolSet",
    "Verdict",
]
