"""An agent without a framework: decide each call, run it if it is allowed, and record what it returned."""

import office

from remit_client import Remit

FUNCTIONS = {"read_inbox": office.read_inbox, "send_email": office.send_email}
TOOLS = [
    {"name": "read_inbox", "description": "Reads the inbox.", "inputSchema": {"type": "object"}},
    {
        "name": "send_email",
        "description": "Sends an e-mail.",
        "inputSchema": {"type": "object", "properties": {"to": {"type": "string", "format": "email"}, "body": {"type": "string"}}},
    },
]

seen = []
with Remit(office.URL, office.TOKEN) as remit:
    session = remit.session(tools=[{"server": "mail", "tools": TOOLS}])
    session.user(office.TASK)
    for number, (tool, arguments) in enumerate(office.SCRIPT[:-1]):
        decision = session.decide(tool, arguments, call=f"c{number}", server="mail")
        if decision.allowed:
            returned = FUNCTIONS[tool](**decision.arguments)
            session.result(decision.call, returned)
            seen.append(returned)
        else:
            seen.append(decision.explanation)
office.report(seen)
