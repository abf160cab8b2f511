package main

import (
	"fmt"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	_, words, err := parse("[paths]\n*.go\n[words]\ndeeds? = action\nby and by = (delete)\n")
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
		if got := fmt.Sprint(find([]byte(text), words)); got != want {
			t.Errorf("%q gives %s, want %s", text, got, want)
		}
	}
}

func TestWordListIsValid(t *testing.T) {
	t.Parallel()
	paths, words, err := parse(list)
	if err != nil || len(paths) == 0 || len(words) == 0 {
		t.Errorf("%d paths, %d words, %v", len(paths), len(words), err)
	}
}
