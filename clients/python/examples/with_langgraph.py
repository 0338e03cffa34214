"""A graph of LangGraph with a ToolNode, made by hand."""

import office
from langchain.messages import AIMessage, ToolMessage
from langchain.tools import tool
from langgraph.graph import END, START, StateGraph

from remit_client import Remit
from remit_client.langgraph import RemitNodes, RemitState

script = enumerate(office.SCRIPT)


def model(state):
    """Answers what is written in the script, where a model would be asked."""
    number, step = next(script)
    return {"messages": [AIMessage(step) if isinstance(step, str) else AIMessage("", tool_calls=[{"name": step[0], "args": step[1], "id": f"c{number}"}])]}


with Remit(office.URL, office.TOKEN) as remit:
    nodes = RemitNodes(remit, tools=[tool(office.read_inbox), tool(office.send_email)])
    builder = StateGraph(RemitState)
    builder.add_node("begin", nodes.begin)
    builder.add_node("model", model)
    builder.add_node("tools", nodes.tool_node())
    builder.add_node("read", nodes.read)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "model")
    builder.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    builder.add_edge("tools", "read")
    builder.add_edge("read", "model")
    state = builder.compile().invoke({"messages": [{"role": "user", "content": office.TASK}]})
office.report([message.content for message in state["messages"] if isinstance(message, ToolMessage)])
