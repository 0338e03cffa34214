package storetest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// nodeConfig names, in the environment of a process, the file by which it is a node of a
// [Cluster].
const nodeConfig = "REMIT_TEST_NODE"

// ServeNode is the main function of a node's process, and returns at once in any other. A
// package whose tests start a [Cluster] calls it in TestMain.
func ServeNode() {
	config := os.Getenv(nodeConfig)
	if config == "" {
		return
	}
	options, err := natsserver.ProcessConfigFile(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server, err := natsserver.NewServer(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server.ConfigureLogger()
	server.Start()
	server.WaitForShutdown()
	os.Exit(0)
}

// Cluster is NATS servers of a test's own, each a process, whose connections to each other
// go through relays that the test can cut.
type Cluster struct {
	dir   string
	nodes []*node
	cut   sync.Mutex
}

type node struct {
	name           string
	client, routes string
	relay          net.Listener
	process        *exec.Cmd
	ended          chan struct{}
	isolated       bool
	links          map[net.Conn]string // to this node, by who made them
}

// StartCluster starts so many servers, which end with the test. They write every message to
// the disk before they say so.
func StartCluster(tb testing.TB, servers int) *Cluster {
	tb.Helper()
	c := &Cluster{dir: tb.TempDir()}
	for i := range servers {
		relay, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		n := &node{name: fmt.Sprintf("node%d", i+1), client: freePort(tb), routes: freePort(tb), relay: relay, links: map[net.Conn]string{}}
		c.nodes = append(c.nodes, n)
		go c.accept(n)
		tb.Cleanup(func() { _ = relay.Close() }) // the test is over
	}
	for i := range c.nodes {
		c.Start(tb, i)
		tb.Cleanup(func() { c.Kill(tb, i) })
	}
	return c
}

// freePort returns an address that no process listens at now.
func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Start starts a node, again after [Cluster.Kill].
func (c *Cluster) Start(tb testing.TB, i int) {
	tb.Helper()
	n := c.nodes[i]
	var routes []string
	for _, other := range c.nodes {
		if other != n {
			routes = append(routes, fmt.Sprintf("%q", "nats://"+other.relay.Addr().String()))
		}
	}
	config := filepath.Join(c.dir, n.name+".conf")
	text := fmt.Sprintf(`server_name: %s
listen: %q
logfile: %q
jetstream { store_dir: %q, sync_interval: always }
cluster { name: remit, listen: %q, advertise: %q, compression: off, no_advertise: true, routes: [%s] }
`, n.name, n.client, filepath.Join(c.dir, n.name+".log"), filepath.Join(c.dir, n.name), n.routes, n.relay.Addr(), strings.Join(routes, ", "))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}

	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	n.process = exec.Command(self)
	n.process.Env = append(os.Environ(), nodeConfig+"="+config)
	var output bytes.Buffer
	n.process.Stdout, n.process.Stderr = &output, &output
	if err := n.process.Start(); err != nil {
		tb.Fatal(err)
	}
	ended := make(chan struct{})
	n.ended = ended
	go func(process *exec.Cmd) {
		_ = process.Wait() // it is killed
		close(ended)
	}(n.process)
}

// Kill ends a node at once, as a crash does.
func (c *Cluster) Kill(tb testing.TB, i int) {
	tb.Helper()
	n := c.nodes[i]
	select {
	case <-n.ended:
		return
	default:
	}
	if err := n.process.Process.Kill(); err != nil {
		tb.Error(err)
	}
	<-n.ended
}

// Isolate cuts a node off from the others; its clients still reach it. Heal undoes that.
func (c *Cluster) Isolate(i int) { c.isolate(i, true) }

// Heal connects a node with the others again.
func (c *Cluster) Heal(i int) { c.isolate(i, false) }

func (c *Cluster) isolate(i int, cut bool) {
	c.cut.Lock()
	defer c.cut.Unlock()
	c.nodes[i].isolated = cut
	if !cut {
		return
	}
	for _, n := range c.nodes {
		for link, from := range n.links {
			if n == c.nodes[i] || from == c.nodes[i].name {
				_ = link.Close() // the node makes another one, which is refused
			}
		}
	}
}

// Stream returns the address of a stream by one of the nodes.
func (c *Cluster) Stream(i int, name string) string {
	return fmt.Sprintf("nats://%s/%s?replicas=%d", c.nodes[i].client, name, len(c.nodes))
}

// Index returns which node has a name, or -1.
func (c *Cluster) Index(name string) int {
	for i, n := range c.nodes {
		if n.name == name {
			return i
		}
	}
	return -1
}

// Ready waits until a node takes clients.
func (c *Cluster) Ready(ctx context.Context, tb testing.TB, i int) {
	tb.Helper()
	for {
		conn, err := net.Dial("tcp", c.nodes[i].client)
		if err == nil {
			_ = conn.Close() // it was only a knock
			return
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(c.dir, c.nodes[i].name+".log"))
			tb.Fatalf("%s doesn't start: %v\n%s", c.nodes[i].name, err, log)
		case <-c.nodes[i].ended:
			log, _ := os.ReadFile(filepath.Join(c.dir, c.nodes[i].name+".log"))
			tb.Fatalf("%s ended: %v\n%s", c.nodes[i].name, err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// accept relays connections from other nodes to one.
func (c *Cluster) accept(to *node) {
	for {
		in, err := to.relay.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", to.routes)
		if err != nil {
			_ = in.Close() // the node isn't there
			continue
		}
		go c.relay(in, out, to, true)
		go c.relay(out, in, to, false)
	}
}

// serverName is by what a node says who it is.
var serverName = regexp.MustCompile(`"server_name":"(node[0-9]+)"`)

// relay passes on what comes in, until a node at either end is cut off. Who made the
// connection it learns from what is said.
func (c *Cluster) relay(in, out net.Conn, to *node, made bool) {
	defer in.Close()
	defer out.Close()
	if made {
		defer c.forget(to, in)
	}

	from, buffer := "", make([]byte, 64<<10)
	for {
		n, err := in.Read(buffer)
		if err != nil {
			return
		}
		if m := serverName.FindSubmatch(buffer[:n]); made && from == "" && m != nil {
			from = string(m[1])
		}
		if made && !c.passes(to, in, from) {
			return
		}
		if _, err := out.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// passes notes a connection and reports whether it may be.
func (c *Cluster) passes(to *node, link net.Conn, from string) bool {
	c.cut.Lock()
	defer c.cut.Unlock()
	to.links[link] = from
	if to.isolated {
		return false
	}
	i := c.Index(from)
	return i < 0 || !c.nodes[i].isolated
}

func (c *Cluster) forget(to *node, link net.Conn) {
	c.cut.Lock()
	defer c.cut.Unlock()
	delete(to.links, link)
}
