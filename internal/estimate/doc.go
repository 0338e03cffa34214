// Package estimate says how likely each role and each floor of an argument is, and each effect and
// each trust of the result of a tool, judging by labelled tools: a second opinion for synthesis, whose rules are the first.
//
// It is a table of weights each, one a feature and class, fitted by logistic regression ([Fit])
// on labelled sets of internal/eval/testdata. A feature is something plain about a
// definition, such as that an argument's name ends in "currency"; what is estimated is
// the sum of the weights of the features that hold, so that [Table.Why] can name those that
// decided. The tables are data (roles.txt, floors.txt, effects.txt,
// outputs.txt), made by "remit-eval fit".
package estimate
