"""An agent of CrewAI. Leave the model out, and it is the one of the environment."""

import json
import os

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

import office
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

from remit_client import Remit
from remit_client.crewai import definitions, protect

script = enumerate(office.SCRIPT)
seen = []


class Scripted(BaseLLM):
    """Answers what is written in the script."""

    def supports_function_calling(self):
        return True

    def call(self, messages, *args, **kwargs):
        seen[:] = [message["content"] for message in messages if message["role"] == "tool"]
        number, step = next(script)
        if isinstance(step, str):
            return step
        return [{"id": f"c{number}", "type": "function", "function": {"name": step[0], "arguments": json.dumps(step[1])}}]


tools = [tool("read_inbox")(office.read_inbox), tool("send_email")(office.send_email)]
with Remit(office.URL, office.TOKEN) as remit:
    session = remit.session(tools=definitions(tools))
    session.user(office.TASK)
    agent = Agent(role="assistant", goal="help", backstory="You help.", llm=Scripted(model="scripted"), tools=protect(session, tools))
    task = Task(description=office.TASK, expected_output="whether they were sent", agent=agent)
    session.assistant(str(Crew(agents=[agent], tasks=[task]).kickoff()))
office.report(seen)
