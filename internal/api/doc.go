// Package api serves Remit over HTTP: clients report what the model sees and get
// decisions. The description, openapi.yaml, is the source of the routes, scopes
// and request shapes; the tests check every answer against it.
//
// The API fails closed: a request that can't be authenticated, read, decided or
// written gets a problem (RFC 9457), and the call that it is about must not run.
package api
