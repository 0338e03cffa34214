// Package api serves Remit over HTTP: what the model sees in, decisions out. Its
// description, openapi.yaml, is the source of what it does: routes, scopes and
// the shapes of requests are read from there, and the tests hold every answer to
// it.
//
// Nothing is allowed by a failure: whatever can't be authenticated, read, decided
// or written is answered with a problem (RFC 9457), and a call that it is about
// must not run.
package api
