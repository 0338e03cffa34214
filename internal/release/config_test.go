package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/mcp/config"
)

// variables is an environment in which every secret is set.
func variables(string) (string, bool) { return "postgres://remit@db.example/remit-0123456789", true }

// TestPackagedGateway reads the gateway's configuration that packages bring.
func TestPackagedGateway(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "packaging/etc/gateway.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load("gateway.yaml", data, variables); err != nil {
		t.Error(err)
	}
}

// TestGoInstall holds go.mod to what go install with a version asks for: Go refuses a module
// with replacements, which would not count where it is installed.
func TestGoInstall(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == "replace" || word == "exclude" {
			t.Errorf("go install would refuse the module: %s", line)
		}
	}
}

// helm returns the program in REMIT_HELM, which make release-test sets, or the installed
// one: building it takes minutes, which the gate doesn't have.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	program := os.Getenv("REMIT_HELM")
	if program == "" {
		need(t, "helm")
		program = "helm"
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const chart = root + "/packaging/helm/remit"

// TestChart renders the chart with everything in it, and reads what comes out.
func TestChart(t *testing.T) {
	if out, err := helm(t, "lint", "--strict", chart, "--values", "testdata/helm/whole.yaml"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := helm(t, "template", "r", chart, "--values", "testdata/helm/whole.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	kinds := map[string]int{}
	for in := yaml.NewDecoder(bytes.NewReader([]byte(out))); ; {
		var o struct {
			Kind string
			Data map[string]string
			Spec struct {
				Template struct{ Spec podSpec }
			}
		}
		if err := in.Decode(&o); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds[o.Kind]++
		if o.Kind == "Deployment" {
			o.Spec.Template.Spec.check(t)
		}
		if o.Kind == "ConfigMap" {
			if _, err := config.Load("remit.yaml", []byte(o.Data["remit.yaml"]), variables); err != nil {
				t.Errorf("the gateway refuses the chart's configuration: %v", err)
			}
		}
	}
	for kind, n := range map[string]int{"Deployment": 3, "Service": 3, "PodDisruptionBudget": 3, "NetworkPolicy": 3, "ServiceMonitor": 3, "ConfigMap": 1, "ServiceAccount": 1} {
		if kinds[kind] != n {
			t.Errorf("%d of %s, not %d", kinds[kind], kind, n)
		}
	}
}

// podSpec is what a cluster's policies ask of pods.
type podSpec struct {
	SecurityContext struct {
		RunAsNonRoot bool `yaml:"runAsNonRoot"`
	} `yaml:"securityContext"`
	Containers []struct {
		LivenessProbe   map[string]any `yaml:"livenessProbe"`
		ReadinessProbe  map[string]any `yaml:"readinessProbe"`
		SecurityContext struct {
			AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
			ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
			Capabilities             struct{ Drop []string }
		} `yaml:"securityContext"`
	}
}

func (p podSpec) check(t *testing.T) {
	t.Helper()
	c := p.Containers[0]
	escalates := c.SecurityContext.AllowPrivilegeEscalation == nil || *c.SecurityContext.AllowPrivilegeEscalation
	if !p.SecurityContext.RunAsNonRoot || escalates || !c.SecurityContext.ReadOnlyRootFilesystem || len(c.SecurityContext.Capabilities.Drop) != 1 {
		t.Errorf("a pod is not held back: %+v", p)
	}
	if c.LivenessProbe == nil || c.ReadinessProbe == nil {
		t.Error("a container has no probes")
	}
}

// TestChartRefuses holds the chart to saying what is missing, before anything runs.
func TestChartRefuses(t *testing.T) {
	for _, c := range []struct{ set, says string }{
		{"secrets.tokens.name=tokens", "replicas share a store"},
		{"serve.replicas=1", "callers of remit serve need tokens"},
		{"serve.enabled=false,gateway.enabled=true,gateway.replicas=1", "clients of the gateway need a token"},
		{"serve.port=0,serve.replicas=1,secrets.tokens.name=tokens", "port"},
	} {
		out, err := helm(t, "template", "r", chart, "--set", c.set)
		if err == nil || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v\n%s", c.set, err, out)
		}
	}
}
