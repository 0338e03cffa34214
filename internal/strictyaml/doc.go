// Package strictyaml reads the YAML files that people write for Remit in the one
// way that leaves no doubt about what was meant. Every mistake has its place in
// the file and says what to write instead, and all of them are reported at once,
// in the order of the file.
//
// What YAML allows beyond mappings, lists and text is refused: keys that appear twice, aliases,
// merge keys, more than one document. A reader could see one thing there, and the program follow
// another. The type that YAML would give to a plain text does not matter: "off" and "1.10" are
// texts.
package strictyaml
