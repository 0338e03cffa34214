// Package pdf reads what pages of a PDF show as text: each glyph with its letters,
// its place and size, and whether a reader of the page can see it.
//
// It reads what is on the page and nothing else: no scripts, no forms, no
// pictures, nothing encrypted. Files are written by others, so all work is
// bounded: nesting, objects, unpacked bytes and steps of drawing. A file that is
// damaged is refused; guessing what it may have meant is for programs whose reader
// looks at the page.
package pdf
