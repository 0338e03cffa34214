// Package judge answers the questions that guards ask about a conversation, by a
// language model.
//
// A judge reads what attackers may have written, and can be persuaded. Its answers are
// therefore held to what a program can check: a yes quotes the words that it rests on,
// and those appear in the conversation, said by the speaker that the rule names. An
// answer that is unclear or cut off is an error, and the rule that asked doesn't hold.
package judge
