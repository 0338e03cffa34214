// Package access decides who may call a server of Remit over HTTP, and as whom.
//
// A server checks three things in turn: by what host name and from which web page
// it is called ([Hosts]), the TLS of the connection ([TLSConfig]), and what
// identifies the caller: a bearer token from a file ([TokenFile]), an access token
// of an OAuth issuer ([ResourceServer]), or a client certificate
// ([ClientCertificates]).
package access
