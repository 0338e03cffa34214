"""Ask Remit before a tool call runs.

Only a :class:`Decision` whose ``allowed`` is true lets a call run, with its
``arguments``. Every exception is a refusal; all are a :class:`RemitError`.
"""

from .aio import AsyncRemit, AsyncSession
from .client import Remit, Session
from .models import Approval, AsyncLookUp, BadAnswer, BadRequest, Decision, Delegation, Finding, Lookup, LookUp, NoSession, Problem, ProposedCall, Reading, Reason, Refusal, RemitError, SessionInfo, ToolSet, TurnScope, Unprotected, Unreachable, Verdict, WrongClient

__all__ = [
    "Approval",
    "AsyncLookUp",
    "AsyncRemit",
    "AsyncSession",
    "BadAnswer",
    "BadRequest",
    "Decision",
    "Delegation",
    "Finding",
    "LookUp",
    "Lookup",
    "NoSession",
    "Problem",
    "ProposedCall",
    "Reading",
    "Reason",
    "Refusal",
    "Remit",
    "RemitError",
    "Session",
    "SessionInfo",
    "ToolSet",
    "TurnScope",
    "Unprotected",
    "Unreachable",
    "Verdict",
    "WrongClient",
]
