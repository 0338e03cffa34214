package hook

// hookTime is how long, in seconds, an agent waits for its hook. It is well above
// [AnswerTime], so that the hook denies before the agent gives up.
const hookTime = 10

// form is the layout of a hooks file.
type form uint8

const (
	// groups: an event has groups with a matcher, and a group has hooks.
	groups form = iota
	// flat: an event has hooks.
	flat
)

// setting is a member of a hook's object.
type setting struct {
	name  string
	value any
}

// files describes an agent's hooks files.
type files struct {
	// user and project are the file's paths relative to the home directory and to
	// the project.
	user, project string
	form          form
	// version is true when the file declares the version of its form.
	version bool
	// command is the member that holds the command; "command" when empty.
	command string
	// pre are the events that can stop a call, and others the further events to
	// install.
	pre, others []string
	// settings are the settings of every hook.
	settings []setting
	// matcher makes a hook run for every tool, if the agent requires one.
	matcher string
	// off is the member that turns all hooks off.
	off string
	// gaps are what the agent can't be made to do.
	gaps []string
}
