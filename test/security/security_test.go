package main

import (
	"path/filepath"
	"testing"

	"nadmor/test/product"
)

// The short forms: a few thousand generated requests, and concurrent password guesses. Response times are
// compared in the long form only; the tests of package api count the hashes of unknown usernames.
func TestShortForms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	dir := t.TempDir()
	binary, err := product.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	say := func(line string) { t.Log(line) }
	for name, of := range map[string]func(base string) (attack, error){
		"requests": func(base string) (attack, error) {
			calls, err := readDocument(t.Context(), base)
			return &requests{base: base, calls: calls, total: 6000, clients: 4, seed: 2569, say: say}, err
		},
		"anonymous": func(base string) (attack, error) { return &anonymousClients{base: base, guesses: 60, say: say}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			if err := against(t.Context(), product.Storage{Dir: filepath.Join(dir, name)}, binary, of); err != nil {
				t.Error(err)
			}
		})
	}
}
