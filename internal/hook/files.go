package hook

// hookTime is how long an agent waits for its hook, in seconds. It is well above
// [AnswerTime], so that the hook denies before the agent gives up on it.
const hookTime = 10

// form is how a file of hooks is laid out.
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

// files say where an agent reads its hooks from, and how they are written there.
type files struct {
	// user and project are the files, from the home directory and from the
	// project's.
	user, project string
	form          form
	// version tells that the file says which version of the form it has.
	version bool
	// command is what the command's member is called; "command" when empty.
	command string
	// pre are the events that can stop a call, and others those that are
	// installed beside them.
	pre, others []string
	// settings are those of every hook.
	settings []setting
	// matcher is what makes a hook run for every tool, where an agent needs that
	// said.
	matcher string
	// off is a member of the file that turns all hooks off.
	off string
	// gaps are what the agent can't be made to do.
	gaps []string
}
