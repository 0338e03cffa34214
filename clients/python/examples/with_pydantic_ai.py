"""An agent of pydantic-ai. Name a model in place of the FunctionModel, and it is asked."""

import asyncio

import office
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from remit_client import AsyncRemit
from remit_client.pydantic_ai import definitions, protect

script = iter(office.SCRIPT)


def scripted(messages, info):
    """Answers what is written in the script."""
    step = next(script)
    return ModelResponse([TextPart(step) if isinstance(step, str) else ToolCallPart(*step)])


async def main():
    tools = FunctionToolset([office.read_inbox, office.send_email])
    async with AsyncRemit(office.URL, office.TOKEN) as remit:
        session = await remit.session(tools=await definitions(tools))
        await session.user(office.TASK)
        agent = Agent(FunctionModel(scripted), toolsets=[protect(session, tools)])
        result = await agent.run(office.TASK)
        await session.assistant(result.output)
    office.report([part.content for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)])


asyncio.run(main())
