// Package llm asks language models for structured answers: JSON that a schema
// describes, checked before anybody uses it.
//
// A [Client] speaks with any endpoint that is compatible with OpenAI's
// chat/completions, and with Anthropic's messages. It holds the rate, the number of
// requests at once and a budget, sends again what failed for a while, hands the
// mistakes of an answer back to the model, and records each exchange in a file that
// can be read, compared and replayed.
//
// What a model says is untrusted: an answer is bounded, read in the one strict way,
// and never more than data. What providers do differently, and what happens where an
// endpoint lacks something, is in docs/reference/models.md.
package llm
