"""An agent of AutoGen. Give it another model client, and that is asked."""

import asyncio
import json

import office
from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelFamily, RequestUsage
from autogen_core.tools import FunctionTool, StaticWorkbench
from autogen_ext.models.replay import ReplayChatCompletionClient

from remit_client import AsyncRemit
from remit_client.autogen import definitions, protect


def scripted():
    """Answers what is written in the script."""
    answers = []
    for number, step in enumerate(office.SCRIPT):
        content = step if isinstance(step, str) else [FunctionCall(id=f"c{number}", name=step[0], arguments=json.dumps(step[1]))]
        reason = "stop" if isinstance(step, str) else "function_calls"
        answers.append(CreateResult(finish_reason=reason, content=content, usage=RequestUsage(prompt_tokens=0, completion_tokens=0), cached=False))
    info = {"vision": False, "function_calling": True, "json_output": False, "family": ModelFamily.UNKNOWN, "structured_output": False}
    return ReplayChatCompletionClient(answers, model_info=info)


async def main():
    tools = StaticWorkbench([FunctionTool(f, description=f.__doc__) for f in (office.read_inbox, office.send_email)])
    async with AsyncRemit(office.URL, office.TOKEN) as remit:
        session = await remit.session(tools=await definitions(tools))
        await session.user(office.TASK)
        agent = AssistantAgent("assistant", scripted(), workbench=protect(session, tools), max_tool_iterations=10)
        result = await agent.run(task=office.TASK)
        await session.assistant(result.messages[-1].content)
    office.report([one.content for message in result.messages if message.type == "ToolCallExecutionEvent" for one in message.content])


asyncio.run(main())
