"""An agent of the OpenAI Agents SDK. Leave the model out, and it is OpenAI's."""

import asyncio
import json

import office
from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from remit_client import AsyncRemit
from remit_client.openai_agents import definitions, protect


class Scripted(Model):
    """Answers what is written in the script."""

    def __init__(self):
        self.script = enumerate(office.SCRIPT)

    async def get_response(self, *args, **kwargs):
        number, step = next(self.script)
        if isinstance(step, str):
            text = ResponseOutputText(type="output_text", text=step, annotations=[])
            item = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        else:
            item = ResponseFunctionToolCall(type="function_call", call_id=f"c{number}", name=step[0], arguments=json.dumps(step[1]))
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def main():
    set_tracing_disabled(True)
    agent = Agent(name="assistant", model=Scripted(), tools=[function_tool(office.read_inbox), function_tool(office.send_email)])
    async with AsyncRemit(office.URL, office.TOKEN) as remit:
        session = await remit.session(tools=definitions(agent))
        await session.user(office.TASK)
        result = await Runner.run(protect(session, agent), office.TASK)
        await session.assistant(result.final_output)
    office.report([item.output for item in result.new_items if item.type == "tool_call_output_item"])


asyncio.run(main())
