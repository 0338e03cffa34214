//go:build !unix

package upstream

import "os/exec"

func ownGroup(*exec.Cmd) {}

func termGroup(c *exec.Cmd) error { return c.Process.Kill() }
func killGroup(c *exec.Cmd) error { return c.Process.Kill() }
