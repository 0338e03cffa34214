package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/store"
)

// changedTime is how far back the page on tools looks for changed definitions.
const changedTime = 7 * 24 * time.Hour

// toolsPage is the contracts of the deployment, with what a person should look at.
type toolsPage struct {
	Contracts []*contract.File
	// Reviews are the entries that are marked for a review.
	Reviews []review
	// Changed are the tools whose servers have shown another definition than the reviewed one,
	// and those whose calls were stopped lately for that.
	Changed []changedTool
	// Mistakes are those of what is kept of definitions.
	Mistakes []string
}

// review is an entry of a contract that is marked for a review.
type review struct{ Server, Tool, Place, Why string }

// changedTool is a tool with a changed definition.
type changedTool struct {
	Server, Tool string
	// Known is set for a tool with a contract, and Kept where both definitions are there to be
	// compared. Back is set where the server shows the reviewed one again.
	Known, Kept, Back bool
	// Calls counts those that were stopped for it lately, and Session and Seq are the last one.
	Calls   int
	Session string
	Seq     int64
}

func (c *Console) tools(ctx context.Context, v *visit) (outcome, error) {
	stopped, err := c.o.Store.Stopped(ctx, v.whose(), c.o.Now().Add(-changedTime), store.MaxPage)
	if err != nil {
		return outcome{}, err
	}
	files := c.o.Desk.Files.List()
	page := toolsPage{Contracts: files, Reviews: reviewsIn(files), Changed: changedIn(stopped)}
	page.compare(c.o.Desk.Files)
	return outcome{page: "tools", frame: frame{Title: "Tools", View: "tools", Body: page}}, nil
}

// compare adds the tools whose definitions are kept and differ.
func (p *toolsPage) compare(files *revise.Files) {
	for _, f := range p.Contracts {
		kept, err := files.Definitions(f.Server)
		if err != nil {
			p.Mistakes = append(p.Mistakes, err.Error())
		}
		for i := range f.Tools {
			name := f.Tools[i].Name

			at := slices.IndexFunc(p.Changed, func(t changedTool) bool { return t.Server == f.Server && t.Tool == name })
			d := kept[name]
			if at < 0 && d.Changed() {
				at = len(p.Changed)
				p.Changed = append(p.Changed, changedTool{Server: f.Server, Tool: name})
			}
			if at >= 0 {
				t := &p.Changed[at]
				t.Known, t.Kept, t.Back = true, d.Changed(), d.Back
			}
		}
	}
}

// reviewsIn lists the entries that are marked, in the order of the files.
func reviewsIn(files []*contract.File) []review {
	var out []review
	for _, f := range files {
		for i := range f.Tools {
			t := &f.Tools[i]
			for place, mark := range revise.Marks(t) {
				out = append(out, review{f.Server, t.Name, place, *mark})
			}
		}
	}
	return out
}

// changedIn lists the tools of stopped calls whose definition has changed.
func changedIn(stopped []store.Record) []changedTool {
	var out []changedTool
	for _, r := range stopped {
		d := r.Decision
		if !slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Code == remit.ChangedTool }) {
			continue
		}
		at := slices.IndexFunc(out, func(t changedTool) bool { return t.Server == d.Server && t.Tool == d.Tool })
		if at < 0 {
			at = len(out)
			out = append(out, changedTool{Server: d.Server, Tool: d.Tool, Session: d.Session, Seq: r.Seq})
		}
		out[at].Calls++
	}
	slices.SortStableFunc(out, func(a, b changedTool) int { return cmp.Compare(a.Server+a.Tool, b.Server+b.Tool) })
	return out
}

// export serves a contract as the file that it is kept in.
func (c *Console) export(w http.ResponseWriter, v *visit) {
	name, isFile := strings.CutSuffix(v.PathValue("file"), ".yaml")
	files := c.o.Desk.Files.List()
	at := slices.IndexFunc(files, func(f *contract.File) bool { return f.Server == name })
	if !isFile || at < 0 {
		c.fail(w, v.Request, v, errNotFound)
		return
	}
	data, err := files[at].Marshal()
	if err != nil {
		c.fail(w, v.Request, v, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment")
	_, _ = w.Write(data) // the reader has gone, then
}
