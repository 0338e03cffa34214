// Package estimate says how likely each role of an argument is by what the arguments of
// labelled tools were: the second opinion of synthesis, beside its rules.
//
// It is a table of weights, one a feature and role, fitted by logistic regression ([Fit])
// on labelled sets of internal/eval/testdata. A feature is something plain about a
// definition, such as that an argument's name ends in "currency"; what is estimated is
// the sum of the weights of the features that hold, so that [Table.Why] can name those that
// decided. The table is data (roles.txt), made by "remit-eval fit".
package estimate
