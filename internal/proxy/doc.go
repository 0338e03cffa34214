// Package proxy is Remit's enforcement point for the APIs of language models: a
// proxy that speaks OpenAI's Chat Completions and Responses, Anthropic's Messages
// and Google's generateContent, in front of any upstream that speaks them.
//
// Every request carries the conversation. A [Proxy] reads the session from it,
// passes the request on, and decides the calls in the answer before the agent
// sees them. A denied call goes back to the model with the reason, inside the
// proxy, up to a bound; the client gets one answer.
//
// The four dialects share one normal form: turns that become session events, and
// utterances of the model with text, calls, and results of the provider's own
// tools. Bodies stay bytes (package strictjson). Undecided parts pass unchanged;
// calls go on in the canonical form that was checked.
//
// The role of a user's turn doesn't tell whose words it holds: agents put results
// and other agents' words there. After calls, text counts as their result until
// the model has spoken again, and the proxy recognises echoes of what it passed
// on.
//
// A hash over its turns and its owner identifies a conversation. The proxy
// believes a turn attributed to the model only if it passed that turn on at that
// very place; any other is external text.
package proxy
