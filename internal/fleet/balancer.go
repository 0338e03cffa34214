package fleet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"
)

const (
	// checkEvery is how often replicas are asked whether they are ready, and checkTime how
	// long they may take to answer.
	checkEvery = 200 * time.Millisecond
	checkTime  = 3 * time.Second
	// maxBody bounds the body of a request, which is kept so that another replica can get it.
	maxBody = 16 << 20
)

// errNobody is what a request ends with that no replica takes.
var errNobody = errors.New("no replica is ready")

// Balancer is a server that hands each request to the next one of the replicas that say that
// they are ready, or those with the same path to the same one. Where one can't be connected to, the next one is tried; what
// was sent to a replica is never sent to another one.
type Balancer struct {
	proxy     httputil.ReverseProxy
	transport *http.Transport
	byPath    bool

	mu       sync.Mutex
	replicas []*replica
	turn     int
}

type replica struct {
	url   *url.URL
	ready bool
}

func (r *replica) weight(path string) uint64 {
	sum := sha256.Sum256([]byte(r.url.Host + path))
	return binary.BigEndian.Uint64(sum[:])
}

// NewBalancer returns a balancer that asks its replicas whether they are ready until ctx ends.
// By path, requests with the same one stay with a replica while it is ready.
func NewBalancer(ctx context.Context, byPath bool) *Balancer {
	b := &Balancer{byPath: byPath, transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	b.proxy = httputil.ReverseProxy{
		Rewrite:   func(*httputil.ProxyRequest) {},
		Transport: b,
		// Streams are passed on as they come.
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			status := http.StatusBadGateway
			if errors.Is(err, errNobody) {
				status = http.StatusServiceUnavailable
			}
			http.Error(w, err.Error(), status)
		},
	}

	go func() {
		for ctx.Err() == nil {
			b.check(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(checkEvery):
			}
		}
		b.transport.CloseIdleConnections()
	}()
	return b
}

// Add has a replica that is ready take its part.
func (b *Balancer) Add(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = append(b.replicas, &replica{url: &url.URL{Scheme: u.Scheme, Host: u.Host}, ready: true})
	return nil
}

// Remove sends a replica nothing more.
func (b *Balancer) Remove(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = slices.DeleteFunc(b.replicas, func(r *replica) bool {
		u, err := url.Parse(address)
		return err == nil && u.Host == r.url.Host
	})
}

// check asks all replicas whether they are ready.
func (b *Balancer) check(ctx context.Context) {
	b.mu.Lock()
	all := slices.Clone(b.replicas)
	b.mu.Unlock()
	var asked sync.WaitGroup
	for _, r := range all {
		asked.Go(func() { b.mark(r, ready(ctx, r.url.String()) == nil) })
	}
	asked.Wait()
}

func (b *Balancer) mark(r *replica, ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.ready = ready
}

// ready returns an error unless the replica at an address says that it is ready.
func ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+"/readyz", nil)
	if err != nil {
		return err
	}

	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (b *Balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	b.proxy.ServeHTTP(w, r)
}

// RoundTrip implements [http.RoundTripper].
func (b *Balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	err := errNobody
	for _, to := range b.inTurn(r.URL.Path) {
		try := r.Clone(r.Context())
		try.URL.Scheme, try.URL.Host, try.Host = to.url.Scheme, to.url.Host, ""
		if try.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		var res *http.Response
		res, err = b.transport.RoundTrip(try)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			b.mark(to, false)
			continue
		}
		return res, err
	}
	return nil, err
}

// inTurn returns the replicas that are ready, the next one first.
func (b *Balancer) inTurn(path string) []*replica {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*replica
	for _, r := range b.replicas {
		if r.ready {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if b.byPath {
		// Each path has an order of its own, in which those that remain stay in place.
		slices.SortFunc(list, func(x, y *replica) int { return cmp.Compare(x.weight(path), y.weight(path)) })
		return list
	}
	b.turn = (b.turn + 1) % len(list)
	return append(list[b.turn:len(list):len(list)], list[:b.turn]...)
}
