// Package userturn finds what the user did not write in a user's turn. Agents,
// editors and frameworks put files, search results and reminders there.
package userturn

// Elements returns the names of XML elements whose content the user did not
// write.
func Elements() []string {
	return []string{"system-reminder", "ide_selection", "ide_opened_file", "task-notification", "local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr",
		"document", "documents", "attachment", "attachments", "context", "file", "files"}
}

// Documents returns those of [Elements] that hold documents wherever they are, in the
// deployment's own text too, where prompts with retrieved text have them.
func Documents() []string {
	return []string{"document", "documents", "attachment", "attachments", "file", "files"}
}

// references is the line after which Gemini CLI puts the files that the prompt
// refers to.
const references = "--- Content from referenced files ---"

// Openings returns lines after which the user wrote nothing in a turn: what
// follows are referenced files, a model's summary, or the answer of another task.
func Openings() []string {
	return []string{references, "Here is a summary of the conversation to date:", "This is the context you're working with:",
		"This session is being continued from a previous conversation"}
}
