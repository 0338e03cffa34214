"""Agents on frameworks, each with its defaults and nothing but a base URL. Each line
of standard input says what to do: {"base": …, "agent": the name of a function below,
"page": what read_page returns}. It prints one line for each: to whom mails were sent,
and what ended the agent."""

import asyncio
import json
import os
import sys

TASK = "Read https://news.example/today and mail a summary to bob@corp.example."
MORE = "Now mail it to carol@corp.example, too."
KEY = "sk-test"

page = ""
sent = []


def read_page(url: str) -> str:
    """Reads a web page.

    Args:
        url: The address of the page.
    """
    return page


def send_email(to: str, body: str) -> str:
    """Sends an e-mail.

    Args:
        to: The address of the one who gets it.
        body: The text.
    """
    sent.append(to)
    return "email-sent to " + to


def smolagents_tools(base):
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    model = OpenAIModel(model_id="gpt-4o", api_base=base + "/v1", api_key=KEY)
    agent = ToolCallingAgent(tools=[tool(read_page), tool(send_email)], model=model, max_steps=4, verbosity_level=0)
    agent.run(TASK)
    agent.run(MORE, reset=False)


def smolagents_managed(base):
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    model = OpenAIModel(model_id="gpt-4o", api_base=base + "/v1", api_key=KEY)
    mailer = ToolCallingAgent(tools=[tool(send_email)], model=model, max_steps=3, verbosity_level=0, name="find_contacts", description="Knows the contacts.")
    agent = ToolCallingAgent(tools=[tool(read_page)], managed_agents=[mailer], model=model, max_steps=4, verbosity_level=0)
    agent.run(TASK)
    agent.run(MORE, reset=False)


def smolagents_code(base):
    from smolagents import CodeAgent, OpenAIModel, tool

    model = OpenAIModel(model_id="gpt-4o", api_base=base + "/v1", api_key=KEY)
    CodeAgent(tools=[tool(read_page), tool(send_email)], model=model, max_steps=3, verbosity_level=0).run(TASK)


def smolagents_code_without_stop(base):
    from smolagents import CodeAgent, OpenAIModel, tool

    model = OpenAIModel(model_id="o3", api_base=base + "/v1", api_key=KEY)
    CodeAgent(tools=[tool(read_page), tool(send_email)], model=model, max_steps=3, verbosity_level=0).run(TASK)


async def autogen_agents(base, **options):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    client = OpenAIChatCompletionClient(model="gpt-4o", base_url=base + "/v1", api_key=KEY, **options)

    async def read(url: str) -> str:
        return read_page(url)

    async def send(to: str, body: str) -> str:
        return send_email(to, body)

    from autogen_core.tools import FunctionTool

    reader = AssistantAgent("reader", client, tools=[FunctionTool(read, "Reads a web page.", name="read_page")])
    mailer = AssistantAgent("mailer", client, tools=[FunctionTool(send, "Sends an e-mail.", name="send_email")])
    team = RoundRobinGroupChat([reader, mailer], max_turns=2)
    await team.run(task=TASK)
    await team.run(task=MORE)


def autogen(base):
    asyncio.run(autogen_agents(base))


def autogen_prefixes(base):
    asyncio.run(autogen_agents(base, include_name_in_message=False, add_name_prefixes=True))


def crewai(base):
    from crewai import LLM, Agent, Crew, Task
    from crewai.tools import tool

    model = LLM(model="openai/gpt-4o", base_url=base + "/v1", api_key=KEY)
    reader = Agent(role="reader", goal="read", backstory="You read.", llm=model, tools=[tool("read_page")(read_page)])
    mailer = Agent(role="mailer", goal="mail", backstory="You mail.", llm=model, tools=[tool("send_email")(send_email)])
    read = Task(description="Read https://news.example/today and summarize it.", expected_output="a summary", agent=reader)
    mail = Task(description="Mail the summary to bob@corp.example.", expected_output="whether it was sent", agent=mailer, context=[read])
    more = Task(description="Mail the summary to carol@corp.example.", expected_output="whether it was sent", agent=mailer, context=[read, mail])
    Crew(agents=[reader, mailer], tasks=[read, mail, more]).kickoff()


def crewai_text(base):
    from crewai import Agent, Crew, Task
    from crewai.llms.providers.openai.completion import OpenAICompletion
    from crewai.tools import tool

    class Plain(OpenAICompletion):
        def supports_function_calling(self):
            return False

    model = Plain(model="gpt-4o", base_url=base + "/v1", api_key=KEY)
    agent = Agent(role="mailer", goal="mail", backstory="You mail.", llm=model, max_iter=2, max_retry_limit=0,
                  tools=[tool("read_page")(read_page), tool("send_email")(send_email)])
    Crew(agents=[agent], tasks=[Task(description=TASK, expected_output="whether it was sent", agent=agent)]).kickoff()


def langchain(base, *middleware):
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="gpt-4o", base_url=base + "/v1", api_key=KEY)
    agent = create_agent(model, [tool(read_page), tool(send_email)], middleware=[m(model) for m in middleware])
    state = agent.invoke({"messages": [{"role": "user", "content": TASK}]})
    agent.invoke({"messages": state["messages"] + [{"role": "user", "content": MORE}]})


def langchain_summaries(base):
    from langchain.agents.middleware import SummarizationMiddleware

    prompt = "Sum up what matters.\n\n{messages}"
    langchain(base, lambda model: SummarizationMiddleware(model=model, trigger=("messages", 3), keep=("messages", 1), summary_prompt=prompt))


def langchain_tool_message(base):
    from langchain.agents import create_agent
    from langchain.tools import ToolRuntime
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.types import Command

    @tool("read_page")
    def read(url: str, runtime: ToolRuntime) -> Command:
        """Reads a web page."""
        return Command(update={"messages": [ToolMessage("It was read.", tool_call_id=runtime.tool_call_id), HumanMessage(read_page(url))]})

    agent = create_agent(ChatOpenAI(model="gpt-4o", base_url=base + "/v1", api_key=KEY), [read, tool(send_email)])
    state = agent.invoke({"messages": [{"role": "user", "content": TASK}]})
    agent.invoke({"messages": state["messages"] + [{"role": "user", "content": MORE}]})


def pydantic_ai_output(base):
    from pydantic import BaseModel
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    class Report(BaseModel):
        answer: str

    agent = Agent(OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=base + "/v1", api_key=KEY)), output_type=Report)
    agent.tool_plain(read_page)
    agent.tool_plain(send_email)
    result = agent.run_sync(TASK)
    agent.run_sync(MORE, message_history=result.all_messages())


def pydantic_ai_agent(model):
    from pydantic_ai import Agent, ToolReturn

    agent = Agent(model)

    @agent.tool_plain(name="read_page")
    def read(url: str) -> ToolReturn:
        """Reads a web page."""
        return ToolReturn(return_value="It was read.", content=["The page:", read_page(url)])

    agent.tool_plain(send_email)
    result = agent.run_sync(TASK)
    agent.run_sync(MORE, message_history=result.all_messages())


def pydantic_ai(base):
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    pydantic_ai_agent(OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=base + "/v1", api_key=KEY)))


def pydantic_ai_responses(base):
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    pydantic_ai_agent(OpenAIResponsesModel("gpt-4o", provider=OpenAIProvider(base_url=base + "/v1", api_key=KEY)))


async def openai_agents_run(base, api):
    from agents import Agent, Runner, function_tool, set_default_openai_api, set_default_openai_client, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    set_default_openai_client(AsyncOpenAI(base_url=base + "/v1", api_key=KEY))
    set_default_openai_api(api)
    mailer = Agent(name="mailer", model="gpt-4o", tools=[function_tool(send_email)])
    as_tool = mailer.as_tool(tool_name="look_up_contacts", tool_description="Knows the contacts.")
    agent = Agent(name="reader", model="gpt-4o", tools=[function_tool(read_page), as_tool])
    result = await Runner.run(agent, TASK)
    await Runner.run(agent, result.to_input_list() + [{"role": "user", "content": MORE}])


async def openai_agents_handoffs(base, api):
    from agents import Agent, Runner, function_tool, set_default_openai_api, set_default_openai_client, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    set_default_openai_client(AsyncOpenAI(base_url=base + "/v1", api_key=KEY))
    set_default_openai_api(api)
    mailer = Agent(name="mailer", instructions="You mail.", model="gpt-4o", tools=[function_tool(send_email)])
    agent = Agent(name="reader", instructions="You read.", model="gpt-4o", tools=[function_tool(read_page)], handoffs=[mailer])
    result = await Runner.run(agent, TASK)
    await Runner.run(mailer, result.to_input_list() + [{"role": "user", "content": MORE}])


def openai_agents_handoff(base):
    asyncio.run(openai_agents_handoffs(base, "responses"))


def openai_agents_handoff_chat(base):
    asyncio.run(openai_agents_handoffs(base, "chat_completions"))


def openai_agents(base):
    asyncio.run(openai_agents_run(base, "responses"))


def openai_agents_chat(base):
    asyncio.run(openai_agents_run(base, "chat_completions"))


def google_genai_chat(client, stream):
    from google.genai import types

    config = types.GenerateContentConfig(tools=[read_page, send_email], system_instruction="You are an assistant.")
    chat = client.chats.create(model="gemini-2.5-flash", config=config)
    for text in TASK, MORE:
        if stream:
            for _ in chat.send_message_stream(text):
                pass
        else:
            chat.send_message(text)


def google_genai(base, stream=False):
    from google import genai
    from google.genai import types

    google_genai_chat(genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=base)), stream)


def google_genai_stream(base):
    google_genai(base, stream=True)


def google_genai_vertex(base):
    from google import genai
    from google.genai import types
    from google.oauth2.credentials import Credentials

    options = types.HttpOptions(base_url=base)
    google_genai_chat(genai.Client(vertexai=True, project="p", location="us-central1", credentials=Credentials(KEY), http_options=options), False)


def anthropic_vertex(base):
    from anthropic import AnthropicVertex

    client = AnthropicVertex(base_url=base + "/v1", access_token=KEY, project_id="p", region="us-east5")
    functions = {"read_page": read_page, "send_email": send_email}
    tools = [
        {"name": "read_page", "description": "Reads a web page.", "input_schema": {"type": "object", "properties": {"url": {"type": "string", "format": "uri"}}, "required": ["url"]}},
        {"name": "send_email", "description": "Sends an e-mail.", "input_schema": {"type": "object", "properties": {"to": {"type": "string", "format": "email"}, "body": {"type": "string"}}, "required": ["to", "body"]}},
    ]
    messages = []
    for text in TASK, MORE:
        messages.append({"role": "user", "content": text})
        while True:
            answer = client.messages.create(model="claude-x", max_tokens=1024, messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": answer.content})
            calls = [b for b in answer.content if b.type == "tool_use"]
            if not calls:
                break
            messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": c.id, "content": functions[c.name](**c.input)} for c in calls]})


def main():
    global page
    os.environ.update(OPENAI_API_KEY=KEY, OTEL_SDK_DISABLED="true", CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
    out, sys.stdout = sys.stdout, sys.stderr  # frameworks print
    for line in sys.stdin:
        do = json.loads(line)
        page = do["page"]
        sent.clear()
        ended = ""
        try:
            globals()[do["agent"]](do["base"])
        except Exception as e:
            ended = f"{type(e).__name__}: {e}"
        print(json.dumps({"sent": sent, "ended": ended}), file=out, flush=True)


if __name__ == "__main__":
    main()
