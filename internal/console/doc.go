// Package console is the web console: pages on which people answer questions, read what
// agents did, and see where every argument came from.
//
// Everything on a page that an agent, a tool or a web page may have written is text: it is never
// markup, and invisible characters are shown as escapes. The pages are rendered here, work
// without a script, and load nothing from elsewhere. People sign in with a token and go on with a
// cookie; whatever they do is done in the name of the token's principal, within its scopes, as
// through the decision API.
package console
