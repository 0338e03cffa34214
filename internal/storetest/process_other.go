//go:build !linux

package storetest

import "syscall"

// immediate is the signal that ends PostgreSQL without a goodbye.
const immediate = syscall.SIGQUIT

// unprivileged and handOver change accounts on Linux only: elsewhere tests don't run as root.
func unprivileged() (*syscall.SysProcAttr, error) { return nil, nil }

func handOver(string) error { return nil }
