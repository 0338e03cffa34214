"""An agent of LangChain's create_agent. Name a model in place of the scripted one, and it is asked."""

import office
from langchain.agents import create_agent
from langchain.messages import AIMessage, ToolMessage
from langchain.tools import tool
from langchain_core.language_models import GenericFakeChatModel

from remit_client import Remit
from remit_client.langchain import RemitMiddleware


class Scripted(GenericFakeChatModel):
    """Answers what is written in the script."""

    def bind_tools(self, tools, **kwargs):
        return self


def script():
    for number, step in enumerate(office.SCRIPT):
        yield AIMessage(step) if isinstance(step, str) else AIMessage("", tool_calls=[{"name": step[0], "args": step[1], "id": f"c{number}"}])


tools = [tool(office.read_inbox), tool(office.send_email)]
with Remit(office.URL, office.TOKEN) as remit:
    agent = create_agent(Scripted(messages=script()), tools, middleware=[RemitMiddleware(remit, tools=tools)])
    state = agent.invoke({"messages": [{"role": "user", "content": office.TASK}]})
office.report([message.content for message in state["messages"] if isinstance(message, ToolMessage)])
