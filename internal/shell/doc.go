// Package shell reads a command line as a shell does: as simple commands with their words,
// redirections and assignments, and what joins them. It says what the text of a line decides, and
// what only the shell will know when it runs.
//
// With a table of reviewed programs it also says how far a line reaches: what stays inside a
// workspace, which addresses it fetches, or that it does more. Whatever isn't known to stay
// inside is taken to reach outside.
package shell
