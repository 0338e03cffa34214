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

// member is a member of an object that is written.
type member struct {
	name  string
	value any
}

// files say where an agent reads its hooks from, and how they are written there.
type files struct {
	// user and project are the files, from the home directory and from the
	// project's.
	user, project string
	form          form
	// version tells that the file begins with a version.
	version bool
	// command is what the command's member is called; "command" when empty.
	command string
	// pre is an event before a tool, by which the hook is proven; others are
	// those that are installed beside it.
	pre    string
	others []string
	// entry are the settings of every hook.
	entry []member
	// matcher is that of every group; only are those of single events.
	matcher string
	only    map[string]string
	// gaps are what the agent can't be made to do.
	gaps []string
}
