package synth

import "strings"

// cue is a phrase in a description that is evidence for a concept.
type cue struct {
	concept concept
	weight  int
	// phrases are looked for as whole words in the folded description.
	phrases []string
}

// cues are phrases of descriptions, most specific first. They outweigh vague
// names ("to", "q", "value") and yield to names that mean one thing.
var cues = []cue{
	{cSql, 88, []string{"sql query", "sql statement", "sql to execute", "select query", "select statement", "the sql", "cypher query", "promql"}},
	{cSql, 70, []string{"sql"}},
	{cCode, 90, []string{"command to execute", "command to run", "commands to execute", "commands to run", "shell command", "code to execute", "code to run", "script to execute", "script to run", "javascript function", "javascript code", "python code", "to be executed", "cli arguments", "command line arguments", "terminal command"}},
	{cCode, 82, []string{"instructions for the agent", "prompt for the agent", "instructions to the agent", "task for the agent", "prompt for the assistant", "prompt to send to"}},
	{cManifest, 88, []string{"representation of the kubernetes resource", "yaml or json representation", "json or yaml data for the resource", "manifest"}},
	{cImage, 85, []string{"container image", "docker image", "chart reference", "package to install", "packages to install", "image to run"}},
	{cSecret, 92, []string{"password", "api key", "secret key", "access token", "private key", "passphrase", "security code", "cvv", "one time password", "one-time code"}},
	{cPath, 85, []string{"path to the", "path of the", "file path", "file paths", "filesystem path", "path on the", "local path", "path to a", "paths to", "full path", "absolute path", "directory path", "path where", "local file", "path to", "path relative to", "dateipfad", "pfad zur", "chemin du", "ruta del", "ruta de"}},
	{cLocator, 85, []string{"url to", "url of the", "url for", "the url", "uri of", "url where", "web address", "webhook url", "endpoint to", "a url", "urls to"}},
	{cHost, 80, []string{"hostname", "ip address", "host to connect", "server address", "host name"}},
	{cPerson, 85, []string{"email address of the recipient", "email addresses of the recipients", "carbon copy", "to be invited", "to whom", "destinataire", "empfanger", "empfangers", "empfaengers", "destinatario"}},
	{cPerson, 56, []string{"recipient", "recipients", "attendees", "participants", "to send to", "send it to", "to share the file with", "to share with", "share it with", "to invite", "to assign", "to grant"}},
	{cPerson, 72, []string{"email address", "email addresses", "phone number", "username of", "user id of", "user identifier"}},
	{cAccount, 88, []string{"iban", "account number", "bank account", "credit card", "payment method", "payment id", "wallet address", "account to debit", "account to charge", "account to transfer"}},
	{cPlace, 76, []string{"channel to post", "channel to send", "channel id", "id of the channel", "repository owner", "name of the repository", "database id", "calendar id", "project key", "space key", "account owner of the repository", "username or organization"}},
	{cAudience, 80, []string{"permission level", "access level", "visibility of", "who can see", "who may", "who can view", "permission to grant", "sharing permission", "access role", "level of sharing"}},
	{cLimit, 85, []string{"maximum number of", "max number of", "number of results", "number of items", "how many results", "results per page", "page number", "pagination", "next page", "number of lines", "number of records", "number of messages", "number of transactions", "number of entries", "maximum results", "to skip", "paging", "zero-based offset", "items to return", "to return at most", "limit the number", "number of rows", "how many items"}},
	{cLook, 72, []string{"sort by", "sort order", "order of results", "output format", "format of the output", "response format", "order by", "fields to return", "fields to include", "timeout", "in pixels", "language code", "locale", "granularity", "columns to return", "fields to expand"}},
	{cLook, 88, []string{"time to wait", "seconds to wait", "milliseconds to wait"}},
	{cLook, 64, []string{"to return", "to be returned"}},
	{cPattern, 80, []string{"glob pattern", "regular expression", "filter by", "filter results", "to filter", "filters results", "query language", "only return", "only include", "restrict results", "filter expression", "search syntax", "query syntax", "search operators", "to narrow", "limit results to", "substring filter", "pattern to match", "to limit the response to"}},
	{cPattern, 92, []string{"regex pattern", "regex patterns", "regular expressions"}},
	{cText, 96, []string{"human-readable element description", "human-readable description", "human readable description"}},
	{cPart, 88, []string{"value for the locator", "locator value", "value of the locator"}},
	{cText, 93, []string{"text to replace with", "replacement text", "to replace it with", "text to put in"}},
	{cOld, 90, []string{"text to search for - must match", "text to replace", "exact text of", "must match exactly", "text to be replaced", "string to replace", "to find and replace", "exact text on the page"}},
	{cText, 78, []string{"message text", "text of the message", "body of the", "content of the", "contents of the", "text to post", "text to send", "title of the", "description of the", "subject of the", "summary of the", "content to append", "text content", "comment text", "content to write", "text to type", "free text", "text to insert", "text to add", "contents to", "reply text", "note text", "body text", "caption for", "content to be rendered", "notes about", "emoji reaction"}},
	{cData, 60, []string{"json string of", "key-value", "key/value", "json object", "array of objects containing details", "values to set", "value to set", "payload", "base64-encoded", "base64 encoded", "data to write", "json array of", "value to store"}},
	{cQuery, 78, []string{"search query", "text to search", "query to search", "keywords to search", "string to search", "term to search", "to search for", "search term", "search keywords", "search text", "natural language query", "free-form text to search"}},
	{cName, 72, []string{"name of the new", "name for the new", "name for the", "name of the file to create"}},
	{cMoney, 82, []string{"amount of the transaction", "amount of money", "amount to", "price of", "amount in", "amount charged"}},
	{cWhen, 74, []string{"yyyy-mm-dd", "iso 8601", "iso format", "rfc3339", "rfc 3339", "start date", "end date", "date of", "time of the", "timestamp in", "unix timestamp", "date and time", "date for", "in hh:mm"}},
	{cOption, 70, []string{"whether to", "if true", "if set", "set to true", "when true", "force", "determines whether"}},
	{cDeed, 78, []string{"action to perform", "operation to perform", "operation to be performed", "action to take", "lifecycle action", "method to"}},
	{cKind, 66, []string{"type of", "status of", "state of", "category of", "kind of", "priority of", "one of:", "possible values"}},
	{cObject, 90, []string{"timestamp of the message", "timestamp of the parent message", "timestamp of the parent", "ts of the message"}},
	{cObject, 50, []string{"id of the", "ids of the", "identifier of the", "identifier for", "unique identifier", "id for the", "uuid of", "key of the", "number of the issue", "the id of", "reference id", "issue key", "numeric id", "number of the pull"}},
	{cPart, 84, []string{"element reference", "exact target element", "from the page snapshot", "css selector", "cell to", "top-left cell", "range of cells", "row number", "line number", "xpath", "selector for element", "index of the", "selector of the element", "element to", "element description", "a cell", "data range"}},
	{cGeo, 70, []string{"city name", "name of the city", "iata code", "airport code", "latitude", "longitude", "location of", "name of the location"}},
}

// phrase is the head of a description: its first noun phrase, cut into what
// is named and what it belongs to ("ID of the channel" is id, of channel).
type phrase struct {
	head []string
	of   []string
}

// leads are what descriptions start with before they come to the point.
var leads = []string{
	"(optional)", "optional.", "optional,", "optional:", "optional", "required.", "required:", "(required)", "the", "a", "an",
	"list of", "array of", "comma-separated list of", "comma-separated", "json string of", "json array of", "your", "new", "exact",
	"unique", "full", "specify the", "specifies the", "provide the", "set of", "string of", "one or more", "optional list of",
}

// headOf finds the first noun phrase of a description.
func headOf(description string) phrase {
	s := strings.TrimSpace(fold(description))
	for again := true; again; {
		again = false
		for _, l := range leads {
			if rest, ok := strings.CutPrefix(s, l); ok && (rest == "" || rest[0] == ' ') {
				s, again = strings.TrimSpace(rest), true
			}
		}
	}
	if i := strings.IndexAny(s, ".,;:(\n"); i >= 0 {
		s = s[:i]
	}
	var p phrase
	into := &p.head
	for _, w := range strings.Fields(s) {
		switch strings.Trim(w, "'\"`") {
		case "of", "des", "du", "del", "de", "der", "della", "do", "da", "for", "van":
			if into == &p.of {
				return p
			}
			into = &p.of
			continue
		case "the", "a", "an", "den", "dem", "die", "das", "le", "la", "el", "this", "each", "existing":
			continue
		case "to", "that", "which", "where", "in", "from", "with", "on", "by", "at", "when", "if", "whose", "as", "is", "will", "used", "containing", "and", "or", "zu", "zum", "zur", "pour", "para":
			return p
		}
		*into = append(*into, split(strings.Trim(w, "'\"`"))...)
		if len(*into) > 4 {
			return p
		}
	}
	return p
}

// contains tells whether a phrase stands in a text at word boundaries.
func contains(text, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		j := i + len(phrase)
		if (i == 0 || !wordByte(text[i-1])) && (j == len(text) || !wordByte(text[j])) {
			return true
		}
		from = i + 1
	}
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80
}
