package synth

import (
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// TestAnswersOfWrites asks that what a tool answers to a change is EXTERNAL, since
// it may hold the record with others' text in it, and that the ids in it are the
// service's own where nothing else decides what comes back.
func TestAnswersOfWrites(t *testing.T) {
	for _, c := range []struct {
		name, tool, description string
		args                    []string
		ids                     bool
	}{
		{"a state", "close_ticket", "Closes a ticket", []string{"ticket_id"}, true},
		{"an assignee", "assign_issue", "Assigns an issue", []string{"issue_key", "assignee"}, true},
		{"a mark", "mark_as_read", "Marks a message as read", []string{"message_id"}, true},
		{"a file with more text", "append_to_file", "Append to a file", []string{"file_id", "content"}, true},
		{"a file that is shared", "share_file", "Share a file", []string{"file_id", "email"}, true},
		{"an event with more people", "add_participants", "Add participants to an event", []string{"event_id", "participants"}, true},
		{"a deletion", "delete_file", "Delete a file", []string{"file_id"}, true},
		{"a text that comes back", "edit_note", "Edits a note and returns the content", []string{"note_id", "text"}, false},
		{"what ran", "run_script", "Run a script", []string{"script"}, false},
		{"a page", "browser_click", "Click on an element", []string{"ref: Element reference"}, false},
		{"a tool of which nothing is known", "frobnicate", "Frobnicates", []string{"widget"}, false},
	} {
		o := Contract(one(t, c.tool, c.description, c.args...)).Tools[0].Output
		if o.Trust != label.External || (len(o.Fields) > 0) != c.ids || o.Settled || len(o.Certify) > 0 {
			t.Errorf("%s: %+v, want EXTERNAL, with ids %t", c.name, o, c.ids)
		}
		for _, f := range o.Fields {
			if words := builtin().split(f.Pattern); last(words) != "id" {
				t.Errorf("%s: %s is trusted, and no id", c.name, f.Pattern)
			}
		}
	}
}

// TestAnswersOfWhatIsNew asks that what a tool answers that makes or sends something new
// is as good as what it was given, since nothing of others stood there before.
func TestAnswersOfWhatIsNew(t *testing.T) {
	for _, c := range []struct {
		tool, description string
		args              []string
	}{
		{"create_note", "Create a note", []string{"title", "text"}},
		{"send_email", "Send a mail", []string{"to", "body"}},
		{"generate_pie_chart", "Generate a pie chart", []string{"data", "title"}},
	} {
		o := Contract(one(t, c.tool, c.description, c.args...)).Tools[0].Output
		if o.Trust != label.ToolOutput || !o.Derived {
			t.Errorf("%s: %+v, want TOOL_OUTPUT, derived", c.tool, o)
		}
	}
}

// TestOwnRecords asks that a read is the service's own where its whole object is
// what only the service says, and not where a name merely ends in such a word.
func TestOwnRecords(t *testing.T) {
	for _, c := range []struct {
		name, tool string
		args       []string
		want       contract.Output
	}{
		{"a clock", "get_current_time", []string{"timezone"}, contract.Output{Trust: label.ToolOutput}},
		{"a balance", "get_account_balance", nil, contract.Output{Trust: label.ToolOutput}},
		{"a weather", "get_weather", []string{"city"}, contract.Output{Trust: label.ToolOutput}},
		{"a version of the server", "get_server_version", nil, contract.Output{Trust: label.ToolOutput}},
		{"a state of the machine", "get_printer_status", nil, contract.Output{Trust: label.ToolOutput}},
		{"what a service supports", "list_supported_languages", nil, contract.Output{Trust: label.ToolOutput}},
		{"a state that somebody set", "get_user_status", []string{"user_id"}, contract.Output{Trust: label.External}},
		{"a state of an agent", "get_agent_status", nil, contract.Output{Trust: label.External}},
		{"a calculation", "calculate_rent", []string{"months"}, contract.Output{Trust: label.ToolOutput, Derived: true}},
		{"a conversion", "convert_currency", []string{"amount", "currency"}, contract.Output{Trust: label.ToolOutput, Derived: true}},
		{"a document", "get_document_version", []string{"document_id", "version"}, contract.Output{Trust: label.External}},
		{"a version that is picked", "get_version", []string{"version_id"}, contract.Output{Trust: label.External}},
		{"tasks of a day", "get_my_day", nil, contract.Output{Trust: label.External}},
		{"mails", "get_email_update", nil, contract.Output{Trust: label.External}},
		{"mails by date", "get_emails_date", []string{"date"}, contract.Output{Trust: label.External}},
		{"cards", "get_board", []string{"board_id"}, contract.Output{Trust: label.External}},
		{"boards", "jira_get_agile_boards", []string{"project_key"}, contract.Output{Trust: label.External}},
		{"issues", "get_issues_sprint", []string{"sprint_id"}, contract.Output{Trust: label.External}},
		{"a file that is converted", "convert_document", []string{"document_id"}, contract.Output{Trust: label.External}},
		{"a page that is waited for", "wait_for_text", []string{"text"}, contract.Output{Trust: label.External}},
	} {
		o := Contract(one(t, c.tool, "", c.args...)).Tools[0].Output
		if o.Trust != c.want.Trust || o.Derived != c.want.Derived {
			t.Errorf("%s: %s derived %t, want %s derived %t", c.name, o.Trust, o.Derived, c.want.Trust, c.want.Derived)
		}
	}
}

// TestAnswersOfTheServiceItself asks that a change is answered with a status where tools like it do so
// and nothing speaks of others who write there, and that no likelihood trusts what a read returns.
func TestAnswersOfTheServiceItself(t *testing.T) {
	for _, c := range []struct {
		tool, description string
		args              []string
		want              label.Trust
	}{
		{"add_tag", "Add a tag to a device", []string{"device_id", "tag"}, label.ToolOutput},
		{"delete_folder", "Delete a folder", []string{"folder_id"}, label.ToolOutput},
		{"update_ticket", "Update a ticket", []string{"ticket_id", "status"}, label.External},
		{"delete_tag", "Delete a tag", []string{"tag_id"}, label.ToolOutput},
		{"list_mentions", "Gets the mentions.", nil, label.External},
		{"list_payees", "Gets the payees.", nil, label.External},
		{"list_comments", "List the comments of a thread", []string{"thread_id"}, label.External},
	} {
		o := Contract(one(t, c.tool, c.description, c.args...)).Tools[0].Output
		if o.Trust != c.want || o.Derived != (c.want == label.ToolOutput) {
			t.Errorf("%s: %s derived %t, want %s", c.tool, o.Trust, o.Derived, c.want)
		}
	}
}
