package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user that the image runs as, by the number that images without a shell use.
const nobody = 65532

const (
	layerType  = "application/vnd.oci.image.layer.v1.tar+gzip"
	configType = "application/vnd.oci.image.config.v1+json"
	imageType  = "application/vnd.oci.image.manifest.v1+json"
	indexType  = "application/vnd.oci.image.index.v1+json"
)

// object is a JSON object of an image, in the words of OCI's specification.
type object = map[string]any

// image writes the container images for Linux as one OCI layout in a tar file. It is made
// from scratch: the program, certificates, and a user who isn't root.
func (r *release) image(context.Context) error {
	l := layout{blobs: map[string]bool{}}
	var images []object
	for _, b := range r.binaries {
		if b.system != "linux" {
			continue
		}
		image, err := r.platformImage(&l, b)
		if err != nil {
			return err
		}
		image["platform"] = object{"os": b.system, "architecture": b.arch}
		images = append(images, image)
	}
	if images == nil {
		return nil
	}

	index, err := l.document(indexType, object{"schemaVersion": 2, "mediaType": indexType, "manifests": images, "annotations": r.annotations()})
	if err != nil {
		return err
	}
	index["annotations"] = object{"org.opencontainers.image.ref.name": r.number()}
	if err := l.plain("index.json", object{"schemaVersion": 2, "mediaType": indexType, "manifests": []object{index}}); err != nil {
		return err
	}
	if err := l.plain("oci-layout", object{"imageLayoutVersion": "1.0.0"}); err != nil {
		return err
	}
	data, err := tarred(l.entries, r.source.date)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("remit_%s_image.tar", r.number()), data)
}

// platformImage adds the image of one platform, and returns its descriptor.
func (r *release) platformImage(l *layout, b binary) (object, error) {
	layer, err := tarred(r.root(b), r.source.date)
	if err != nil {
		return nil, err
	}
	compressed, err := gzipped(layer)
	if err != nil {
		return nil, err
	}

	created := r.source.date.Format("2006-01-02T15:04:05Z")
	config, err := l.document(configType, object{
		"created": created, "os": b.system, "architecture": b.arch,
		"config": object{
			"User": fmt.Sprintf("%d:%d", nobody, nobody), "WorkingDir": "/var/lib/remit",
			"Entrypoint": []string{"/usr/bin/remit"}, "Cmd": []string{"--help"},
			"Env":    []string{"PATH=/usr/bin", "HOME=/var/lib/remit", "REMIT_STORE=/var/lib/remit/remit.db", "REMIT_TOKENS=/var/lib/remit/tokens.yaml"},
			"Labels": r.annotations(),
		},
		"rootfs":  object{"type": "layers", "diff_ids": []string{"sha256:" + digest(layer)}},
		"history": []object{{"created": created, "created_by": "internal/release"}},
	})
	if err != nil {
		return nil, err
	}
	return l.document(imageType, object{"schemaVersion": 2, "mediaType": imageType, "config": config, "layers": []object{l.blob(layerType, compressed)}})
}

// root returns the file system of an image.
func (r *release) root(b binary) []entry {
	dir := func(name string, mode fs.FileMode, owner int) entry {
		return entry{name: name, mode: fs.ModeDir | mode, owner: owner}
	}
	return []entry{
		dir("etc", 0o755, 0), dir("etc/remit", 0o755, 0), dir("etc/ssl", 0o755, 0), dir("etc/ssl/certs", 0o755, 0),
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authorities()},
		{name: "etc/passwd", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:0:root:/:/\nremit:x:%d:%d:remit:/var/lib/remit:/\n", nobody, nobody)},
		{name: "etc/group", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:\nremit:x:%d:\n", nobody)},
		dir("tmp", fs.ModeSticky|0o777, 0),
		dir("usr", 0o755, 0), dir("usr/bin", 0o755, 0),
		{name: "usr/bin/remit", mode: 0o755, data: b.data},
		dir("usr/share", 0o755, 0), dir("usr/share/doc", 0o755, 0), dir("usr/share/doc/remit", 0o755, 0),
		{name: "usr/share/doc/remit/THIRD_PARTY_LICENSES.txt", mode: 0o644, data: r.notices.text()},
		dir("var", 0o755, 0), dir("var/lib", 0o755, 0), dir("var/lib/remit", 0o700, nobody),
	}
}

// authorities returns the certificates that Mozilla trusts, from a module of the Go team, so that
// they are the same on every machine. Those that are trusted with a condition are left out: a
// file of certificates can't say it.
func authorities() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return b.Bytes()
}

func (r *release) annotations() object {
	return object{
		"org.opencontainers.image.title": "remit", "org.opencontainers.image.version": r.number(),
		"org.opencontainers.image.revision": r.source.commit, "org.opencontainers.image.source": home,
		"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.created": r.source.date.Format("2006-01-02T15:04:05Z"),
	}
}

// layout is an OCI image layout: blobs by their digest, and what names them.
type layout struct {
	entries []entry
	blobs   map[string]bool
}

// blob adds a blob, once, and returns its descriptor.
func (l *layout) blob(kind string, data []byte) object {
	name := digest(data)
	if !l.blobs[name] {
		l.blobs[name] = true
		l.entries = append(l.entries, entry{name: "blobs/sha256/" + name, mode: 0o644, data: data})
	}
	return object{"mediaType": kind, "digest": "sha256:" + name, "size": len(data)}
}

func (l *layout) document(kind string, v object) (object, error) {
	data, err := json.Marshal(v)
	return l.blob(kind, data), err
}

func (l *layout) plain(name string, v object) error {
	data, err := json.Marshal(v)
	l.entries = append(l.entries, entry{name: name, mode: 0o644, data: data})
	return err
}
