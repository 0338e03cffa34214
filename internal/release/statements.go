package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What a release says of itself: its parts, where it comes from, its digests.

const (
	home          = "https://github.com/remit-project/remit"
	checksumsFile = "checksums.txt"
)

// sbom writes the modules of the program as CycloneDX.
func (r *release) sbom(context.Context) error {
	main := "pkg:golang/github.com/remit-project/remit@" + r.source.version
	parts := []object{}
	var names []string
	for _, n := range r.notices {
		ref := "pkg:golang/" + n.module.Path + "@" + n.module.Version
		part := object{"type": "library", "bom-ref": ref, "purl": ref, "name": n.module.Path, "version": n.module.Version, "scope": "required"}

		// Go's sum of a module is a digest of its files' digests.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(n.module.Sum, "h1:")); err == nil && len(sum) > 0 {
			part["hashes"] = []object{{"alg": "SHA-256", "content": hex.EncodeToString(sum)}}
		}
		var licences []object
		for _, id := range n.ids {
			licences = append(licences, object{"license": object{"id": id}})
		}
		if licences != nil {
			part["licenses"] = licences
		}
		parts, names = append(parts, part), append(names, ref)
	}

	standard := "pkg:golang/std@" + strings.TrimPrefix(r.binaries[0].info.GoVersion, "go")
	parts = append(parts, object{"type": "library", "bom-ref": standard, "purl": standard, "name": "std", "version": r.binaries[0].info.GoVersion, "licenses": []object{{"license": object{"id": "BSD-3-Clause"}}}})
	return r.document(fmt.Sprintf("remit_%s_sbom.cdx.json", r.number()), object{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": object{
			"timestamp": r.source.date.Format("2006-01-02T15:04:05Z"),
			"component": object{"type": "application", "bom-ref": main, "purl": main, "name": "remit", "version": r.source.version, "licenses": []object{{"license": object{"id": "Apache-2.0"}}}},
		},
		"components":   parts,
		"dependencies": []object{{"ref": main, "dependsOn": append(names, standard)}},
	})
}

// provenance writes from what and how the artifacts were made, as an in-toto statement in
// SLSA's form. It is not signed here: docs/how-to/release.md says how it is.
func (r *release) provenance(context.Context) error {
	sums, err := digests(r.out)
	if err != nil {
		return err
	}
	var subjects []object
	for _, s := range sums {
		subjects = append(subjects, object{"name": s.name, "digest": object{"sha256": s.digest}})
	}
	var platforms []string
	for _, b := range r.binaries {
		platforms = append(platforms, b.system+"/"+b.arch)
	}

	commit := object{"uri": "git+" + home, "digest": object{"gitCommit": r.source.commit}}
	return r.document(fmt.Sprintf("remit_%s_provenance.intoto.json", r.number()), object{
		"_type": "https://in-toto.io/Statement/v1", "subject": subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": object{
			"buildDefinition": object{
				"buildType":            home + "/blob/main/docs/how-to/release.md",
				"externalParameters":   object{"source": commit, "platforms": platforms},
				"internalParameters":   object{"flags": flags},
				"resolvedDependencies": []object{commit, {"name": "go", "annotations": object{"version": r.binaries[0].info.GoVersion}}},
			},
			"runDetails": object{"builder": object{"id": home + "/tree/main/internal/release"}},
		},
	})
}

// checksums writes what sha256sum --check reads.
func (r *release) checksums(context.Context) error {
	sums, err := digests(r.out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, s := range sums {
		fmt.Fprintf(&b, "%s  %s\n", s.digest, s.name)
	}
	return r.write(checksumsFile, b.Bytes())
}

// sum is the SHA-256 of an artifact.
type sum struct{ name, digest string }

// digests returns the sums of a directory's files, by name, without the file of sums.
func digests(dir string) ([]sum, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []sum
	for _, f := range files {
		if f.Name() == checksumsFile || !f.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, sum{f.Name(), digest(data)})
	}
	return all, nil
}

func digest(data []byte) string {
	d := sha256.Sum256(data)
	return hex.EncodeToString(d[:])
}

// document writes an artifact that is a JSON document.
func (r *release) document(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return r.write(name, append(data, '\n'))
}
