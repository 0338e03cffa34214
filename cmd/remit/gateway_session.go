package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// session returns the anchor of a client over stdio.
func (c *gatewayCommand) session() string {
	if c.Session != "" {
		return c.Session
	}
	if c.Shared {
		if client, err := parent(); err == nil {
			sum := sha256.Sum256([]byte(client))
			return "client-" + hex.EncodeToString(sum[:16])
		}
	}
	return "run-" + strings.ToLower(rand.Text())
}

// errNoParent is returned where the process that started this one can't be told
// from others that had or will have its number.
var errNoParent = errors.New("the parent process is not known")

// parent names the process that started this one, as long as it lives: no other
// process has the same name, before or after it.
func parent() (string, error) {
	id := os.Getppid()
	if id <= 1 {
		return "", errNoParent
	}

	switch runtime.GOOS {
	case "windows":
		return "", errNoParent
	case "linux":
		boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if err != nil {
			return "", err
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
		if err != nil {
			return "", err
		}
		begun, err := startTime(string(stat))
		return fmt.Sprint(strings.TrimSpace(string(boot)), " ", id, " ", begun), err
	}

	begun, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(id)).Output()
	if err != nil || strings.TrimSpace(string(begun)) == "" {
		return "", errNoParent
	}
	return fmt.Sprint(id, " ", strings.TrimSpace(string(begun))), nil
}

// startTime returns when a process began, in ticks since the system did, from its /proc/PID/stat.
// The name of the program there may hold anything.
func startTime(stat string) (string, error) {
	const after = 19 // fields behind the name
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= after {
		return "", errNoParent
	}
	return fields[after], nil
}
