package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

func lowered(t *testing.T, s *suite) {
	r := store.Resource{Server: "fs", Family: "file", ID: "/tmp/\xff\x00x"}
	if got, err := s.Labels(t.Context(), r, r); len(got) != 2 || got[0] != nil || got[1] != nil || err != nil {
		t.Fatalf("got %v, %v for what was never noted", got, err)
	}

	for _, c := range []struct{ put, want store.ResourceLabel }{
		{store.ResourceLabel{Trust: label.User, Origins: []string{"user"}}, store.ResourceLabel{Trust: label.User, Origins: []string{"user"}}},
		{store.ResourceLabel{Trust: label.External, Origins: []string{"web"}}, store.ResourceLabel{Trust: label.External, Origins: []string{"user", "web"}}},
		{store.ResourceLabel{Trust: label.Trusted, Origins: []string{"Web", "web"}}, store.ResourceLabel{Trust: label.External, Origins: []string{"Web", "user", "web"}}},
		{store.ResourceLabel{Trust: label.ToolOutput}, store.ResourceLabel{Trust: label.External, Origins: []string{"Web", "user", "web"}}},
	} {
		must(t, s.Lower(t.Context(), c.put, r))
		got, err := s.Labels(t.Context(), r)
		must(t, err)
		equal(t, "lowered", got, []*store.ResourceLabel{&c.want})
	}

	if got, err := s.Labels(t.Context(), store.Resource{Server: "fs", ID: "good"}, r); err != nil || got[0] != nil || got[1] == nil {
		t.Errorf("got %v, %v for one of two", got, err)
	}
	_, err := s.Labels(t.Context(), make([]store.Resource, store.MaxResources+1)...)
	is(t, err, store.ErrInvalid)

	for name, c := range map[string]struct {
		r store.Resource
		l store.ResourceLabel
	}{
		"no id":           {store.Resource{Server: "fs"}, store.ResourceLabel{}},
		"a long id":       {store.Resource{ID: strings.Repeat("x", store.MaxResource+1)}, store.ResourceLabel{}},
		"no origin":       {r, store.ResourceLabel{Origins: []string{""}}},
		"an odd origin":   {r, store.ResourceLabel{Origins: []string{"\xff"}}},
		"a zero in one":   {r, store.ResourceLabel{Origins: []string{"a\x00b"}}},
		"a long origin":   {r, store.ResourceLabel{Origins: []string{strings.Repeat("x", store.MaxResource+1)}}},
		"no trust at all": {r, store.ResourceLabel{Trust: 9}},
	} {
		if err := s.Lower(t.Context(), c.l, store.Resource{ID: "good"}, c.r); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrInvalid)
		}
	}
}

func apart(t *testing.T, s *suite) {
	var list []store.Resource
	for _, p := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", "x"}, {"A", "b", "c"}, {"", "", "abc"}, {"a", "b", "c "}, {"a", "b", "1:c"}} {
		list = append(list, store.Resource{Server: p[0], Family: p[1], ID: p[2]})
	}
	for i, r := range list {
		must(t, s.Lower(t.Context(), store.ResourceLabel{Trust: label.User, Origins: []string{fmt.Sprint(i)}}, r))
		got, err := s.Labels(t.Context(), r)
		must(t, err)
		equal(t, fmt.Sprint(r), got[0].Origins, []string{fmt.Sprint(i)})
	}
}

func origins(t *testing.T, s *suite) {
	r := store.Resource{Server: "fs", ID: "/x"}
	for i := range store.MaxOrigins + 10 {
		must(t, s.Lower(t.Context(), store.ResourceLabel{Trust: label.User, Origins: []string{fmt.Sprint(i)}}, r))
	}
	found, err := s.Labels(t.Context(), r)
	must(t, err)
	l := found[0]
	if len(l.Origins) != store.MaxOrigins+1 || !slices.Contains(l.Origins, store.MoreOrigins) {
		t.Errorf("%d origins: %v", len(l.Origins), l.Origins)
	}
}

func lowerRace(t *testing.T, s *suite) {
	r := store.Resource{Server: "fs", ID: "/x"}
	n := together(t, s, 16, func(st store.Store, i int) error {
		list := []store.Resource{r, {Server: "fs", ID: "/y"}, {Server: "fs", ID: "/z"}}
		if i%2 == 0 {
			slices.Reverse(list)
		}
		return st.Lower(t.Context(), store.ResourceLabel{Trust: label.Trust(i % 4), Origins: []string{fmt.Sprintf("%02d", i)}}, list...)
	})
	found, err := s.Labels(t.Context(), r)
	must(t, err)
	l := found[0]
	if n != 16 || l.Trust != label.External || len(l.Origins) != 16 {
		t.Errorf("%d went through: %v", n, l)
	}
}
