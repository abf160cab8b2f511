// Command words checks that the words of words.txt are not used in code, comments and documentation, and that lines
// of languages whose linter does not check it have at most 120 characters.
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
	"unicode/utf8"

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

// rules are the contents of words.txt.
type rules struct {
	paths []string // of files whose words are checked, as git pathspecs
	lines []string // of files whose line lengths are checked
	words []word
}

// parse reads the word list.
func parse(text string) (r rules, err error) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = line
		case section == "[paths]":
			r.paths = append(r.paths, pathspec(line))
		case section == "[lines]":
			r.lines = append(r.lines, pathspec(line))
		default:
			terms, replacement, ok := strings.Cut(line, " = ")
			if !ok {
				return r, fmt.Errorf("words.txt: no replacement in %q", line)
			}
			for term := range strings.SplitSeq(terms, ", ") {
				pattern, err := compile(term)
				if err != nil {
					return r, fmt.Errorf("words.txt: %w", err)
				}
				r.words = append(r.words, word{pattern, replacement})
			}
		}
	}
	return r, nil
}

// pathspec returns a line of the list as a git pathspec.
func pathspec(line string) string {
	if name, excluded := strings.CutPrefix(line, "!"); excluded {
		return ":(exclude)" + name
	}
	return line
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

// maxLine is the maximum length of a line in characters.
const maxLine = 120

// longLiteral matches a text or pattern that is not broken into lines.
var longLiteral = regexp.MustCompile("[\"'`/].{60,}[\"'`/]")

// longLines returns the numbers of the lines that are too long.
func longLines(content []byte) (numbers []int) {
	number := 0
	for line := range bytes.Lines(content) {
		number++
		line = bytes.TrimRight(line, "\n")
		if utf8.RuneCount(line) > maxLine && !longLiteral.Match(line) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// check prints all findings in the files of the repository. It returns an error if there are any.
func check(ctx context.Context, root string) error {
	r, err := parse(list)
	if err != nil {
		return err
	}
	count := 0
	err = eachFile(ctx, root, r.paths, func(name string, content []byte) {
		for _, f := range find(content, r.words) {
			fmt.Printf("%s:%d: %q: write %s\n", name, f.line, f.text, f.replacement)
			count++
		}
	})
	if err != nil {
		return err
	}
	err = eachFile(ctx, root, r.lines, func(name string, content []byte) {
		for _, line := range longLines(content) {
			fmt.Printf("%s:%d: more than %d characters\n", name, line, maxLine)
			count++
		}
	})
	if err != nil {
		return err
	}
	if count > 0 {
		return fmt.Errorf("%d lines to change; see test/words/words.txt", count)
	}
	return nil
}

// eachFile calls fn for the files of the repository that match the pathspecs.
func eachFile(ctx context.Context, root string, paths []string, fn func(name string, content []byte)) error {
	git := exec.CommandContext(ctx, "git", append([]string{"ls-files", "-z", "--"}, paths...)...) //nolint:gosec // our own
	git.Dir = root
	names, err := git.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name)) //nolint:gosec // a file of the repository
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted but not committed
		}
		if err != nil {
			return err
		}
		fn(name, content)
	}
	return nil
}
