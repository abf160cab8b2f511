// Command words checks that the words of words.txt are not used in code, comments and documentation.
//
//	go -C test run ./words
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"nadmor/test/product"
)

//go:embed words.txt
var list string

func main() {
	ctx := context.Background()
	root, err := product.Root(ctx)
	if err == nil {
		err = check(ctx, root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

// word is a term to avoid.
type word struct {
	pattern     *regexp.Regexp
	replacement string
}

// parse reads the word list.
func parse(text string) (paths []string, words []word, err error) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = line
		case section == "[paths]":
			if name, excluded := strings.CutPrefix(line, "!"); excluded {
				line = ":(exclude)" + name
			}
			paths = append(paths, line)
		default:
			terms, replacement, ok := strings.Cut(line, " = ")
			if !ok {
				return nil, nil, fmt.Errorf("words.txt: no replacement in %q", line)
			}
			for term := range strings.SplitSeq(terms, ", ") {
				pattern, err := compile(term)
				if err != nil {
					return nil, nil, fmt.Errorf("words.txt: %w", err)
				}
				words = append(words, word{pattern, replacement})
			}
		}
	}
	return paths, words, nil
}

// compile returns a pattern that matches a term as words, across the line breaks of a comment, or within an identifier
// such as lastDeed. The term is the first group that matches.
func compile(term string) (*regexp.Regexp, error) {
	term = strings.ReplaceAll(term, "(", "(?:")
	spaced := strings.ReplaceAll(term, " ", `(?:\s+(?:(?://|#|--|\*)\s*)?)`)
	pattern := `(?i:\b(` + spaced + `)\b)`
	if !strings.ContainsAny(term, " (") {
		capital := strings.ToUpper(term[:1]) + term[1:]
		pattern += `|[a-z0-9](` + capital + `)(?:[A-Z_0-9]|\b)|\b(` + term + `)[A-Z]`
	}
	return regexp.Compile(pattern)
}

// finding is a use of a word to avoid.
type finding struct {
	line        int
	text        string
	replacement string
}

// find returns the words to avoid that a file contains.
func find(content []byte, words []word) (found []finding) {
	for _, w := range words {
		for _, at := range w.pattern.FindAllSubmatchIndex(content, -1) {
			group := 2
			for at[group] < 0 {
				group += 2
			}
			text := strings.Join(strings.Fields(string(content[at[group]:at[group+1]])), " ")
			found = append(found, finding{1 + bytes.Count(content[:at[group]], []byte("\n")), text, w.replacement})
		}
	}
	return found
}

// check prints all findings in the files of the repository. It returns an error if there are any.
func check(ctx context.Context, root string) error {
	paths, words, err := parse(list)
	if err != nil {
		return err
	}
	git := exec.CommandContext(ctx, "git", append([]string{"ls-files", "-z", "--"}, paths...)...) //nolint:gosec // our own
	git.Dir = root
	names, err := git.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	count := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name)) //nolint:gosec // a file of the repository
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted but not committed
		}
		if err != nil {
			return err
		}
		for _, f := range find(content, words) {
			fmt.Printf("%s:%d: %q: write %s\n", name, f.line, f.text, f.replacement)
			count++
		}
	}
	if count > 0 {
		return fmt.Errorf("%d words to replace; see test/words/words.txt", count)
	}
	return nil
}
