// Package judge answers the questions that guards ask about a conversation, by a
// language model.
//
// A judge reads what strangers wrote, and can be talked into things. What it says
// is therefore held to what a program can check: a yes quotes the words that it
// rests on, which stand in the conversation, said by whom the rule wants to hear.
// Whatever is unclear, cut off or fails is no answer, and the rule that asked
// doesn't hold.
package judge
