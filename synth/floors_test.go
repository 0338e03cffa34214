package synth

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// floorCase is an argument of a tool and the floor that it needs. Others are the
// tool's arguments beside it.
type floorCase struct {
	name, tool, description, arg string
	others                       []string
	roles                        []label.Role
	floor                        label.Trust
}

func checkFloors(t *testing.T, cases []floorCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tool := Contract(one(t, c.tool, c.description, append([]string{c.arg}, c.others...)...)).Tools[0]
			name, _, _ := strings.Cut(c.arg, ": ")
			a := find(tool.Args, "/"+name)
			right := len(c.roles) == 0
			for _, r := range c.roles {
				right = right || a.Role == r
			}
			if !right || a.Floor != c.floor {
				t.Errorf("%s of %s (%s) is %s %s, want %v %s: %s", name, c.tool, tool.Effect, a.Role, a.Floor, c.roles, c.floor, a.Why)
			}
		})
	}
}

// TestIdentifiersOfLooks has ids of things that are called like a look: an order
// is no sort order, a position no place on a screen.
func TestIdentifiersOfLooks(t *testing.T) {
	object, look := []label.Role{label.Selector, label.Target}, []label.Role{label.Control}
	checkFloors(t, []floorCase{
		{"an order", "cancel_order", "Cancels an order", "order_id", nil, object, label.ToolOutput},
		{"an order in camel case", "refundOrder", "Refunds an order", "orderId", nil, object, label.ToolOutput},
		{"an order by its number", "cancel_order", "", "order_number", nil, object, label.ToolOutput},
		{"a position", "close_position", "Closes a trading position", "position_id", nil, object, label.ToolOutput},
		{"a view", "update_view", "Updates a view", "view_id", nil, object, label.ToolOutput},
		{"a step", "retry_step", "", "step_id", nil, object, label.User},
		{"a sort order", "list_orders", "Lists orders", "sort_key", nil, look, label.External},
		{"what is sorted by", "update_list", "", "order_by", nil, look, label.External},
		{"a colour", "create_label", "Create a label", "color_id", nil, look, label.External},
		{"a language", "create_page", "Create a page", "language_code", nil, look, label.External},
	})
}

// TestDecisions has verbs by which somebody's word lets something happen, or makes
// one thing of two: they are outward, and what they are about is the user's to say.
func TestDecisions(t *testing.T) {
	object := []label.Role{label.Selector, label.Target}
	checkFloors(t, []floorCase{
		{"an approval", "approve_payment_batch", "Approves a batch", "batch_id", nil, object, label.User},
		{"a return", "approve_return", "Approves a return", "return_id", nil, object, label.User},
		{"a pull request that is approved", "approve_pull_request", "", "pull_number", nil, object, label.User},
		{"an invitation", "accept_invitation", "", "invitation_id", nil, object, label.User},
		{"a confirmation", "confirm_order", "", "order_id", nil, object, label.User},
		{"a pull request that is merged", "merge_pull_request", "", "pullNumber", nil, object, label.User},
		{"a contact that remains", "merge_contacts", "Merges two contacts", "primary_id", nil, object, label.User},
		{"a contact that goes", "merge_contacts", "Merges two contacts", "secondary_id", nil, object, label.User},
		{"the source of a merge", "merge_branch", "Merges a branch", "source", []string{"target"}, object, label.User},
		{"the source branch of a merge", "merge_branch", "Merges a branch", "source_branch", []string{"target_branch"}, object, label.User},
		{"the target of a merge", "merge_branch", "Merges a branch", "target", []string{"source"}, object, label.User},
		{"a ticket that is updated", "update_ticket", "", "ticket_id", nil, object, label.ToolOutput},
		{"what was approved", "list_approved_returns", "", "return_id", nil, object, label.External},
	})
	for _, tool := range []string{"approve_request", "accept_terms", "confirm_booking", "merge_contacts", "merge_pull_request", "release_hold", "grant_access"} {
		if e := Contract(one(t, tool, "", "id")).Tools[0].Effect; !e.Outward() {
			t.Errorf("%s: %s, want an outward effect", tool, e)
		}
	}
	// The words of an argument don't turn one effect into another.
	for _, method := range []string{"Merge method", "Merge method to use"} {
		f := Contract(catalogue(t, map[string]any{
			"name": "merge_pull_request", "description": "Merge a pull request",
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{
				"pullNumber":   map[string]any{"type": "number"},
				"merge_method": map[string]any{"type": "string", "description": method, "enum": []string{"merge", "squash", "rebase"}},
			}},
		}))
		if tool := f.Tools[0]; tool.Effect != contract.Destructive || find(tool.Args, "/pullNumber").Floor != label.User {
			t.Errorf("%q: %s, %s", method, tool.Effect, find(tool.Args, "/pullNumber").Floor)
		}
	}
}

// TestAddressesInRecords has addresses that are kept: later mail and money go
// where they say.
func TestAddressesInRecords(t *testing.T) {
	target, text := []label.Role{label.Target}, []label.Role{label.Content}
	checkFloors(t, []floorCase{
		{"a contact's mail", "update_contact", "Updates a contact.", "email", []string{"contact_id", "notes"}, target, label.User},
		{"a customer's phone", "customerUpdate", "Update a customer", "phone: The customer's phone number", []string{"customer_id"}, target, label.User},
		{"a new user's mail", "create_user", "Creates a user", "email", []string{"name"}, target, label.User},
		{"a profile's recovery address", "update_profile", "", "recovery_email", nil, target, label.User},
		{"the owner of a lead", "update_lead", "", "owner_id", []string{"lead_id"}, target, label.User},
		{"a new customer's name", "create_customer", "Creates a customer", "name: Name of the customer", []string{"email"}, text, label.External},
		{"notes about a contact", "update_contact", "Updates a contact.", "notes", []string{"contact_id"}, text, label.External},
		{"a contact to be found", "get_contact", "Get a contact", "email", nil, nil, label.External},
	})
}

// TestFreeForm has members of which the schema says nothing. In what changes a
// record, or goes out, one of them may be an owner, an address or an account.
func TestFreeForm(t *testing.T) {
	free := map[string]any{"type": "object"}
	str := map[string]any{"type": "string"}
	for _, c := range []struct {
		name, tool, arg string
		node            map[string]any
		floor           label.Trust
	}{
		{"fields of a record", "update_record", "fields", free, label.User},
		{"properties of a contact", "update_contact", "properties", free, label.User},
		{"a list of changes", "update_records", "changes", map[string]any{"type": "array", "items": free}, label.User},
		{"an object or its text", "patch_page", "properties", map[string]any{"anyOf": []any{free, str}}, label.User},
		{"a body that is an object, for a member", "add-channel-member", "body", free, label.User},
		{"a body that is an object, for a mail", "send-mail", "body", free, label.User},
		{"JSON that holds an assignee", "update_issue", "fields", map[string]any{"type": "string", "description": "JSON string of fields to update, such as assignee"}, label.User},
		{"details of an account", "update_supplier", "bank_details", str, label.User},
		{"how somebody is paid", "update_vendor", "payment_info", str, label.User},
		{"text", "update_note", "body", str, label.External},
		{"values of a new row", "append_row", "values", free, label.External},
		{"metadata of what is sent", "send_file", "metadata", free, label.External},
	} {
		f := Contract(catalogue(t, map[string]any{
			"name": c.tool, "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"id": str, c.arg: c.node}},
		}))
		a := find(f.Tools[0].Args, "/"+c.arg)
		if a.Floor != c.floor {
			t.Errorf("%s: %s %s in a tool that %s, want %s", c.name, a.Role, a.Floor, f.Tools[0].Effect, c.floor)
		}
		if below := find(f.Tools[0].Args, "/"+c.arg+"/**"); below != nil && below.Floor != c.floor {
			t.Errorf("%s: below, the floor is %s, want %s", c.name, below.Floor, c.floor)
		}
	}
}

// TestResultsThatAreSent has reads, and makers of reports, that take what they have
// to somebody: they are outward, and to whom is the user's to say.
func TestResultsThatAreSent(t *testing.T) {
	target := []label.Role{label.Target}
	checkFloors(t, []floorCase{
		{"an export to an address", "export_report", "", "email", []string{"report"}, target, label.User},
		{"a statement that is mailed", "export_statement", "", "email_to: Email address that the statement is sent to", []string{"account_id"}, target, label.User},
		{"a download to a place", "download_file", "", "to", []string{"file_id"}, target, label.User},
		{"a download to a bucket", "download_report", "", "bucket", []string{"report_id"}, target, label.User},
		{"who is notified of a report", "get_report", "", "notify", []string{"report_id"}, nil, label.User},
		{"how a report is delivered", "generate_report", "", "delivery", []string{"report_id"}, nil, label.User},
		{"a user to be read", "get_user", "Get a user", "email", nil, nil, label.External},
		{"a filter of a search", "search_reports", "", "recipient", nil, nil, label.External},
		{"a report that is read", "get_report", "", "report_id", nil, nil, label.External},
	})
	for tool, outward := range map[string]bool{"export_report email": true, "download_file to": true, "get_report notify": true, "generate_report delivery": true,
		"export_report format": false, "get_user email": false, "search_reports recipient": false, "list_invoices customer_email": false} {
		name, arg, _ := strings.Cut(tool, " ")
		if e := Contract(one(t, name, "", "id", arg)).Tools[0].Effect; e.Outward() != outward {
			t.Errorf("%s: %s", tool, e)
		}
	}
}

// TestRedirections has settings that decide where mail or traffic goes.
func TestRedirections(t *testing.T) {
	target := []label.Role{label.Target}
	checkFloors(t, []floorCase{
		{"where a name leads", "create_dns_record", "Creates a DNS record", "value", []string{"zone", "name", "type"}, target, label.User},
		{"a name", "create_dns_record", "Creates a DNS record", "name", []string{"zone", "value", "type"}, target, label.User},
		{"records of a zone", "change_record", "", "records", []string{"hosted_zone_id", "name"}, target, label.User},
		{"an alias of a mailbox", "add_alias", "", "alias", []string{"mailbox"}, target, label.User},
		{"a forwarding address", "add_forwarding_address", "", "forwardingEmail", nil, target, label.User},
		{"an alias of a column", "add_alias", "", "alias", []string{"column"}, []label.Role{label.Content}, label.External},
		{"a value of a record", "append_record", "", "value", []string{"table"}, nil, label.External},
	})
	for _, tool := range []string{"create_dns_record", "add_forwarding_address", "set_redirect", "add_delegate"} {
		if e := Contract(one(t, tool, "", "value")).Tools[0].Effect; !e.Outward() {
			t.Errorf("%s: %s, want an outward effect", tool, e)
		}
	}
}

// TestActsOnPages has tools that work a page as a person does. A click or a key may
// send, buy or delete, so that all but looking and scrolling is outward.
func TestActsOnPages(t *testing.T) {
	for _, c := range []struct {
		tool    string
		args    []string
		outward bool
	}{
		{"browser_press_key", []string{"key"}, true},
		{"press_key", []string{"key"}, true},
		{"browser_click", []string{"ref: Exact target element reference from the page snapshot"}, true},
		{"click_at", []string{"x", "y"}, true},
		{"browser_type", []string{"ref: Exact target element reference from the page snapshot", "text"}, true},
		{"fill", []string{"selector: CSS selector for element to fill", "value"}, true},
		{"browser_select_option", []string{"ref", "values"}, true},
		{"browser_snapshot", nil, false},
		{"scroll_page", []string{"direction"}, false},
		{"fill_cells", []string{"range", "values"}, false},
		{"select_database", []string{"name"}, false},
	} {
		f := Contract(one(t, c.tool, "", c.args...))
		if e := f.Tools[0].Effect; e.Outward() != c.outward {
			t.Errorf("%s: %s (%s)", c.tool, e, f.Tools[0].Why)
		}
	}
	control, selector := []label.Role{label.Control}, []label.Role{label.Selector}
	checkFloors(t, []floorCase{
		{"a key", "browser_press_key", "Press a key on the keyboard", "key: Name of the key to press or a character", nil, control, label.User},
		{"a position", "click_at", "Click at a position", "x", []string{"y"}, selector, label.User},
		{"a position of a mouse", "browser_mouse_click_xy", "Click at a position", "y", []string{"x"}, selector, label.User},
		{"an element", "browser_click", "Click", "ref: Exact target element reference from the page snapshot", nil, selector, label.ToolOutput},
		{"words for whoever permits it", "browser_click", "Click", "element: Human-readable element description used to obtain permission to interact with the element", []string{"ref"}, []label.Role{label.Content}, label.External},
	})
}

// TestWeakVerbs has verbs that say little: alone, they make no read.
func TestWeakVerbs(t *testing.T) {
	for tool, want := range map[string]bool{
		"use_template": false, "perform_task": false, "access_vault": false, "load_audience": false, "log_event": false, "convert_lead": false,
		"git_log": true, "get_usage": true, "list_templates": true, "convert_currency": true,
	} {
		if e := Contract(one(t, tool, "", "lead_id")).Tools[0].Effect; tool == "convert_lead" && e == contract.Read {
			t.Errorf("%s: %s", tool, e)
		}
		if e := Contract(one(t, tool, "", "note")).Tools[0].Effect; tool != "convert_lead" && (e == contract.Read) != want {
			t.Errorf("%s: %s, want a read: %t", tool, e, want)
		}
	}
	command, target := []label.Role{label.Command}, []label.Role{label.Target}
	checkFloors(t, []floorCase{
		{"what is calculated", "calculate", "", "expression", nil, command, label.User},
		{"code for an analysis", "analyze_data", "", "pandas_query", []string{"file", "question"}, command, label.User},
		{"a question to an API", "query_api", "Queries the API", "query", []string{"variables"}, command, label.User},
		{"a task that is performed", "perform_task", "", "task", nil, command, label.User},
		{"options of a search", "search_code", "", "flags", []string{"pattern"}, command, label.User},
		{"a host that is resolved", "resolve", "", "name", nil, target, label.User},
		{"a host that is pinged", "ping", "", "target", nil, target, label.User},
		{"a site that is checked", "check_website", "", "site", nil, target, label.User},
		{"a certificate that is asked for", "get_ssl_certificate", "", "domain", nil, target, label.User},
		{"the record of a domain", "get_domain", "", "domain", nil, []label.Role{label.Selector}, label.External},
		{"text to be found", "search_code", "", "pattern", []string{"flags"}, []label.Role{label.Selector}, label.External},
		{"an event that is logged", "log_event", "", "event_name", nil, nil, label.External},
	})
}

// TestDescriptionsOfWhatRuns has arguments that say what a cluster or a pipeline does
// next, whatever they are called.
func TestDescriptionsOfWhatRuns(t *testing.T) {
	command := []label.Role{label.Command}
	checkFloors(t, []floorCase{
		{"a patch in one word", "kubectl_patch", "Update field(s) of a resource", "patchData", []string{"resourceType", "name"}, command, label.User},
		{"a patch", "patch_resource", "Patch a live resource with a JSON patch", "patch: The patch in JSON", []string{"name"}, command, label.User},
		{"a manifest", "kubectl_apply", "Apply a manifest", "manifest", nil, command, label.User},
		{"the configuration of a job", "set_job_config", "Replace the configuration of a job", "config_xml", []string{"job_name"}, command, label.User},
		{"the definition of a pipeline", "update_pipeline", "", "definition", []string{"pipeline_id"}, command, label.User},
	})
}

// TestWhatPeopleRead has writes that others read as soon as they are made.
func TestWhatPeopleRead(t *testing.T) {
	for tool, outward := range map[string]bool{
		"set_signature": true, "create_gist": true, "create_snippet": true, "add_issue_comment": true, "create_comment": true, "create_note": false, "list_comments": false,
	} {
		if e := Contract(one(t, tool, "", "text")).Tools[0].Effect; e.Outward() != outward {
			t.Errorf("%s: %s", tool, e)
		}
	}
}

// TestHintsDecideDoubt has a server that calls its tools destructive, all of them as
// many do. It is believed where the verb says little.
func TestHintsDecideDoubt(t *testing.T) {
	for tool, want := range map[string]contract.Effect{
		"apply_settings": contract.Destructive, "manage_list": contract.Destructive, "handle_entry": contract.Destructive,
		"create_note": contract.Write, "update_note": contract.Write, "search_notes": contract.Read,
	} {
		f := Contract(catalogue(t, map[string]any{
			"name": tool, "annotations": map[string]any{"destructiveHint": true},
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
		}))
		if got := f.Tools[0]; got.Effect != want {
			t.Errorf("%s: %s, want %s (%s)", tool, got.Effect, want, got.Why)
		}
	}
}

// TestTextOfADeletion tells what goes by its text from what is said about it.
func TestTextOfADeletion(t *testing.T) {
	checkFloors(t, []floorCase{
		{"facts that are deleted", "delete_observations", "Delete observations", "observations", nil, []label.Role{label.Selector}, label.ToolOutput},
		{"rows that are deleted", "delete_rows", "", "values", []string{"table"}, []label.Role{label.Selector}, label.ToolOutput},
		{"a line that is removed", "remove_line", "", "text", []string{"note_id"}, []label.Role{label.Selector}, label.ToolOutput},
		{"the reason of a deletion", "delete_note", "", "reason", []string{"note_id"}, []label.Role{label.Content}, label.External},
		{"the message of a deletion", "delete_branch", "", "message", []string{"branch"}, []label.Role{label.Content}, label.External},
	})
}

// TestWhatSettingsSay has arguments that decide what runs, when, and who may do what,
// under names that are text or data elsewhere.
func TestWhatSettingsSay(t *testing.T) {
	control, target, selector := []label.Role{label.Control}, []label.Role{label.Target}, []label.Role{label.Selector}
	checkFloors(t, []floorCase{
		{"a variable of an environment", "set_env_var", "", "value", []string{"key"}, nil, label.User},
		{"when a job runs", "create_cron_job", "Create a cron job", "schedule: Cron expression", []string{"command"}, control, label.User},
		{"what a token may do", "create_api_token", "", "scopes", []string{"name"}, control, label.User},
		{"for whom a token acts", "create_api_token", "", "admin_id: On whose behalf the token acts", nil, target, label.User},
		{"headers of a webhook", "create_webhook", "", "custom_headers: JSON headers", []string{"url"}, control, label.User},
		{"the job of a build", "build_job", "Trigger a build of a job", "job_name: Full name of the job", nil, target, label.User},
		{"the group that somebody joins", "assign_user_to_group", "", "group_id", []string{"user_id"}, target, label.User},
		{"the drive of a copy", "copy_to_team_drive", "", "drive_id", []string{"file_id"}, target, label.User},
		{"what is copied", "copy_to_team_drive", "", "file_id", []string{"drive_id"}, selector, label.ToolOutput},
		{"what a firewall lets through", "add_firewall_rule", "", "source: Source address range", []string{"port"}, target, label.User},
		{"where an export goes", "export_responses", "", "spreadsheet_id: Spreadsheet to export to", []string{"form_id"}, target, label.User},
		{"a merge request that is accepted", "accept_merge_request", "", "merge_request_iid", nil, selector, label.User},
		{"a revision", "sync_application", "", "revision", []string{"application"}, nil, label.ToolOutput},
	})
	for tool, want := range map[string]contract.Effect{
		"use_tool": contract.Execute, "build_job": contract.Execute, "schedule_campaign": contract.Egress, "close_position": contract.Egress, "resume_task": contract.Execute, "create_campaign": contract.Write,
	} {
		if got := Contract(one(t, tool, "", "name")).Tools[0]; got.Effect != want {
			t.Errorf("%s: %s, want %s (%s)", tool, got.Effect, want, got.Why)
		}
	}
	// Those who take part are found wherever they stand.
	attendee := map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"email": map[string]any{"type": "string"}}}}
	event := map[string]any{"type": "object", "properties": map[string]any{"title": map[string]any{"type": "string"}, "attendees": attendee}}
	f := Contract(catalogue(t, map[string]any{
		"name": "create_events", "description": "Create events",
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"events": map[string]any{"type": "array", "items": event}}},
	}))
	if got := f.Tools[0]; got.Effect != contract.Egress {
		t.Errorf("events with attendees: %s", got.Effect)
	}
}
