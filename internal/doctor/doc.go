// Package doctor proves that tools are behind Remit. It starts each server as its
// client does, and calls tools in ways that only Remit answers: first a tool that no
// server has, then the server's tools with arguments that are not an object. Every
// such canary call must be denied. It also compares the contracts of a server with
// what the server offers now.
package doctor
