// Package synth makes contracts from tool schemas: a role, a floor and a
// reason for every argument, an effect and an output spec for every tool.
//
// What it knows is data: the words in table/words.txt, the rules in table/rules.txt,
// each with its format at its head. Both are read, and checked, by table.go and read.go;
// rule.go matches them, in three steps.
//
//  1. What the tool does. Its verb is found in its name, with the description as
//     arbiter (verb.go), and words.txt says the verb's effect and manner. The rules
//     under "effect" then make the effect stricter by the verb's object, the
//     arguments and the description.
//  2. What an argument is about. Its name, description, format and values are
//     evidence for concepts, with weights from words.txt (evidence.go). The rules
//     under "evidence" add what the tool and the container say, those under "when
//     unfit" take away what the JSON type can't hold. The heaviest evidence wins.
//  3. What it is to security. Of the rules under "role CONCEPT" the first that fits
//     decides role, floor and form. Where a second reading is nearly as heavy and
//     bears authority, it is taken, and a person has to look at it (argument.go).
//
// Last, the role is weighed against an estimate from labelled tools of other servers
// (estimate.go), which has to outweigh the evidence; what may well be stricter than it says
// gets the better floor, or a mark.
//
// For example, "to" in send_email(to, body): "send" is egress and sends; "to" in a
// tool that sends is evidence for a person; a person in a tool that doesn't read is a
// target with the floor USER.
//
// Everything in a catalogue comes from a party that the user hasn't vouched for.
// Annotations therefore make a contract stricter at most, what is ambiguous is
// read in the stricter way and marked for review, and text that speaks to the
// model instead of describing the tool is reported.
package synth
