"""An agent of smolagents. Give it another model, and that is asked.

For a CodeAgent, begin the session with ``unseen_user=True``: what its code makes of what it
has read stands nowhere, and is external then. What the code does without these tools
(files, the network, other programs) nobody decides: run it in a sandbox.
"""

import office
from smolagents import ChatMessage, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from remit_client import Remit
from remit_client.smolagents import definitions, protect

script = enumerate(office.SCRIPT)


class Scripted(Model):
    """Answers what is written in the script."""

    def generate(self, messages, *args, **kwargs):
        number, step = next(script)
        name, arguments = ("final_answer", {"answer": step}) if isinstance(step, str) else step
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[ChatMessageToolCall(id=f"c{number}", type="function", function=function)])


tools = [tool(office.read_inbox), tool(office.send_email)]
with Remit(office.URL, office.TOKEN) as remit:
    session = remit.session(tools=definitions(tools))
    session.user(office.TASK)
    agent = ToolCallingAgent(tools=protect(session, tools), model=Scripted(), verbosity_level=0)
    session.assistant(agent.run(office.TASK))
office.report([step.observations for step in agent.memory.steps if getattr(step, "observations", None)][:-1])
