// Package llm asks language models for structured answers: JSON that a schema
// describes, checked before they are used.
//
// A [Client] speaks with any endpoint that is compatible with OpenAI's
// chat/completions, and with Anthropic's messages. It holds the rate, the number of
// requests at once and a budget, retries temporary failures, returns the mistakes of an
// answer to the model, and records each exchange in a file that can be read, compared
// and replayed.
//
// Answers are untrusted: they are bounded, read strictly, and never more than data.
// docs/reference/models.md says how providers differ, and how the client treats an endpoint that
// lacks something.
package llm
