// Package proxy is Remit's enforcement point for the APIs of language models: a
// proxy that speaks OpenAI's Chat Completions and Responses, Anthropic's Messages
// and Google's generateContent, in front of any upstream that speaks them.
//
// Every request carries the conversation. A [Proxy] reads the session out of it,
// passes the request on, and decides the calls in the answer before the agent
// sees them. A call that may not run goes back to the model with the reason,
// inside the proxy, up to a bound; what comes out is one answer.
//
// The four dialects have one normal form: turns that become a session's events,
// and what a model said: text, calls, and what tools of its provider brought.
// Bodies stay bytes (package strictjson). What isn't decided passes as it came;
// calls go on in the canonical form of what was checked.
//
// Whose words stand in a user's turn its role doesn't tell: agents put results and
// other agents' words there. The floor is the calls' until the model has spoken
// again, and echoes of what was passed on are known.
//
// A conversation is known by a hash over its turns and over whose it is. What a
// request claims that a model had said is believed only where this proxy passed
// it on, at that very place; everything else is external text.
package proxy
