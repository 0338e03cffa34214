package survey

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/jsonc"
	"github.com/remit-project/remit/internal/pattern"
)

// Way is how the calls of a project reach Remit.
type Way string

// The ways of projects.
const (
	// ByProxy is another base URL for the API of a model.
	ByProxy Way = "proxy"
	// ByPython and ByTypeScript are the adapters of a client.
	ByPython     Way = "python"
	ByTypeScript Way = "typescript"
	// ByLibrary is the Go library.
	ByLibrary Way = "library"
)

// Library is a package by which a program calls models or tools.
type Library struct {
	// Name is the name in the file of the project.
	Name string
	// Ways are how its calls reach Remit, the shortest first.
	Ways []Way
}

// Project is a project whose dependencies call models.
type Project struct {
	// File declares the dependencies.
	File      string
	Libraries []Library
}

// python, javascript and golang are the packages that are known, by the names under which
// they are declared.
var (
	python = map[string][]Way{
		"openai": {ByProxy}, "anthropic": {ByProxy}, "google-genai": {ByProxy},
		"langchain": {ByPython, ByProxy}, "langgraph": {ByPython, ByProxy}, "openai-agents": {ByPython, ByProxy},
		"pydantic-ai": {ByPython, ByProxy}, "pydantic-ai-slim": {ByPython, ByProxy}, "crewai": {ByPython, ByProxy},
		"smolagents": {ByPython, ByProxy}, "autogen-agentchat": {ByPython, ByProxy}, "mcp": {ByPython},
	}
	javascript = map[string][]Way{
		"openai": {ByProxy}, "@anthropic-ai/sdk": {ByProxy}, "@google/genai": {ByProxy},
		"ai": {ByTypeScript, ByProxy}, "langchain": {ByTypeScript, ByProxy}, "@langchain/core": {ByTypeScript, ByProxy},
		"@langchain/langgraph": {ByTypeScript, ByProxy}, "@openai/agents": {ByTypeScript, ByProxy}, "@modelcontextprotocol/sdk": {ByTypeScript},
	}
	golang = map[string][]Way{
		"github.com/openai/openai-go": {ByProxy, ByLibrary}, "github.com/anthropics/anthropic-sdk-go": {ByProxy, ByLibrary},
		"google.golang.org/genai": {ByProxy, ByLibrary}, "github.com/modelcontextprotocol/go-sdk": {ByLibrary}, "github.com/tmc/langchaingo": {ByProxy, ByLibrary},
	}
)

// projects returns the projects in a directory.
func projects(dir string) []*Project {
	var out []*Project
	for _, f := range []struct {
		name  string
		names func(data []byte) []string
		known map[string][]Way
	}{
		{"pyproject.toml", pythonNames, python}, {"requirements.txt", pythonNames, python},
		{"package.json", packageNames, javascript}, {"go.mod", moduleNames, golang},
	} {
		name := filepath.Join(dir, f.name)
		data, err := inputs.Read(name)
		if err != nil {
			continue // no project of this kind, or none that could be built
		}

		p := &Project{File: name}
		for _, n := range f.names(data) {
			ways, ok := f.known[n]
			if ok && !slices.ContainsFunc(p.Libraries, func(l Library) bool { return l.Name == n }) {
				p.Libraries = append(p.Libraries, Library{n, ways})
			}
		}
		if len(p.Libraries) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// requirement begins a line of requirements.txt, a text in a list of dependencies, and a
// line of a table of them.
var requirement = pattern.OnUse(`(?m)(?:^|["'])[ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)`)

// pythonNames returns what could be names of packages, as the index of packages writes
// them. The files are not parsed: a name too many matters nothing, as only known ones count.
func pythonNames(data []byte) []string {
	var out []string
	for _, found := range requirement().FindAllSubmatch(data, -1) {
		out = append(out, separators().ReplaceAllString(strings.ToLower(string(found[1])), "-"))
	}
	return out
}

// separators are alike in names of Python's packages.
var separators = pattern.OnUse(`[-_.]+`)

// packageNames returns the dependencies of a package.json.
func packageNames(data []byte) []string {
	top, err := jsonc.Parse("package.json", data)
	if err != nil {
		return nil
	}
	var out []string
	for _, group := range []string{"dependencies", "devDependencies", "peerDependencies"} {
		for name := range top.Get(group).Members() {
			out = append(out, name)
		}
	}
	return out
}

// moduleNames returns what a go.mod requires, without major versions.
func moduleNames(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		for _, word := range strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")) {
			out = append(out, major().ReplaceAllString(word, ""))
			break
		}
	}
	return out
}

var major = pattern.OnUse(`/v[0-9]+$`)
