// Package carrier lists how agents, editors and frameworks put what the user did
// not write into the user's turn, for the enforcement points that read it.
package carrier

// Elements are the names of elements whose content is not the user's.
func Elements() []string {
	return []string{"system-reminder", "ide_selection", "ide_opened_file", "task-notification", "local-command-stdout",
		"document", "documents", "attachment", "attachments", "context", "file", "files"}
}

// References is the line after which Gemini CLI puts the files that the prompt
// refers to.
const References = "--- Content from referenced files ---"

// Openings are lines after which nothing in a turn is the user's: files that were
// referred to, a summary that a model wrote, what another task answered.
func Openings() []string {
	return []string{References, "Here is a summary of the conversation to date:", "This is the context you're working with:"}
}
