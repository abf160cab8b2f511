// Command sbom lists the modules linked into a binary as CycloneDX.
//
//	go -C test run ./sbom ../bin/nadmor > nadmor.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// component is a component of CycloneDX 1.6.
type component struct {
	Ref     string `json:"bom-ref"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	// Properties holds the checksum of go.sum, which is of the module's files and not one of CycloneDX's kinds.
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func module(kind, path, version, sum string) component {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	purl := "pkg:golang/" + strings.Join(parts, "/") + "@" + url.PathEscape(version)
	c := component{Ref: purl, Type: kind, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}

func write(w io.Writer, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	list := []component{module("library", "std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, module("library", m.Path, m.Version, m.Sum))
	}
	if len(list) < 2 {
		return fmt.Errorf("%s has no module information", binary)
	}
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": module("application", info.Main.Path, version, "")},
		"components": list,
	})
}
