package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	r, err := parse("[paths]\n*.go\n[words]\ndeeds? = action\nby and by = (delete)\n")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"// A deed is done.":            `[{1 deed action}]`,
		"x\nvar lastDeed int":           `[{2 Deed action}]`,
		"deedOf()":                      `[{1 deed action}]`,
		"// It ends by\n\t// and by.":   `[{1 by // and by (delete)}]`,
		"indeed, a_deed and undeeded":   `[]`,
		"var deeds = []string{\"Deed\"": `[{1 deeds action} {1 Deed action}]`,
	} {
		if got := fmt.Sprint(find([]byte(text), r.words)); got != want {
			t.Errorf("%q gives %s, want %s", text, got, want)
		}
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30)
	text := "short\n// " + long + "\nx = '" + long + "'\n// " + strings.Repeat("ก", 117) + "\n// " +
		strings.Repeat("ก", 118)
	if got := fmt.Sprint(longLines([]byte(text))); got != "[2 5]" {
		t.Errorf("got %s", got)
	}
}

func TestWordListIsValid(t *testing.T) {
	t.Parallel()
	r, err := parse(list)
	if err != nil || len(r.paths) == 0 || len(r.lines) == 0 || len(r.words) == 0 {
		t.Errorf("%d and %d paths, %d words, %v", len(r.paths), len(r.lines), len(r.words), err)
	}
}
