package main

// overview is the help of the program: one screen, by task.
const overview = `Remit decides the tool calls of an LLM agent: allow, ask a person, or deny.

Usage:
  remit COMMAND [flags]

Tasks:
  See how it works                      remit demo
  Try it on recordings of your agent    remit replay sessions.jsonl
  Protect the MCP servers of a client   remit init --client cursor --apply
  Protect a coding agent                remit hook install claude-code
  Protect any agent, at its model       remit proxy --upstream URL
  Prove that the protection works       remit doctor
  Answer questions, see every session   remit console
  Hold calls to a policy document       remit policy compile policy.md

Next:
  remit COMMAND --help    the flags of a command, with an example
  remit help all          every command, exit codes, and environment variables

Documentation: docs/README.md
`

// reference is the end of remit help all.
const reference = `
Exit codes:
  0    Done. For check, the call is allowed.
  1    Something could not be read, written or understood.
  2    The command line is wrong. For hook, the call is denied.
  3    A call was denied or held back (check, replay --exit-code), or something
       is not protected (doctor).
  4    Findings: mistakes in contracts or guards, failed examples, conflicts, or
       a changed audit log.

Environment:
  REMIT_STORE          The store of sessions, questions and the audit log.
  REMIT_TOKENS         The token file of remit serve.
  REMIT_MODEL          The model of remit policy compile.
  REMIT_PLANNER        The model that plans for the user's turns.
  OPENAI_API_KEY       The key for models with OpenAI's API.
  OPENAI_BASE_URL      Where such an API begins, if it isn't OpenAI's.
  ANTHROPIC_API_KEY    The key for models with Anthropic's API.
  ANTHROPIC_BASE_URL   Where such an API begins, if it isn't Anthropic's.
  OTEL_…               Export of spans and metrics, as OpenTelemetry has it.
  NO_COLOR             If set, output has no colour.
`
