// Package eval measures Remit on recorded and labelled data: AgentDojo's
// sessions under attack, InjecAgent's cases, roles of real tools' arguments and
// origins of values, beside other defenses on the same sessions and scenarios
// of its own; and what is compiled of policy documents, beside what people found
// in them. Rates come with Wilson 95 % intervals.
//
// Reviewed contracts of AgentDojo's suites are in reviewed/, with what their
// reviewer changed as a diff against synthesis. They hold facts about the tools
// and what they return, and nothing about a task.
package eval
