package hospital

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// namesInFiles are files whose Thai texts are input formats or names. The sample data is excluded as well.
var namesInFiles = []string{"command/import_columns.go", "hospital/thai_text.go", "report/thai_break.go"}

// thaiTexts returns the Thai string literals of the server by position.
func thaiTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "storetest") || strings.HasPrefix(filepath.ToSlash(path), "../demo/") ||
			slices.Contains(namesInFiles, filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))) {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil &&
					strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Thai, r) }) {
					texts[files.Position(lit.Pos()).String()] = text
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 400 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	return texts
}

// Texts use the terms of docs/words.md, and none that it rules out.
func TestThaiTerms(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../../docs/words.md")
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{} // ruled-out term to replacement
	for line := range strings.Lines(string(table)) {
		if cells := strings.Split(line, "|"); len(cells) == 6 && !strings.HasPrefix(line, "|-") &&
			!strings.HasPrefix(line, "| Thai") {
			for word := range strings.SplitSeq(strings.TrimSpace(cells[4]), ", ") {
				if word != "" {
					wrong[word] = strings.TrimSpace(cells[1])
				}
			}
		}
	}
	if len(wrong) < 50 {
		t.Fatalf("the table rules out %d words only", len(wrong))
	}
	texts := thaiTexts(t)
	dossier, err := os.ReadFile("../report/dossier.html") // the only text outside the Go source
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(dossier), "\n") {
		texts[fmt.Sprintf("dossier.html:%d", i+1)] = line
	}
	for position, text := range texts {
		for word, right := range wrong {
			if strings.Contains(text, word) {
				t.Errorf("%s: %q is called %s\n%s", position, word, right, text)
			}
		}
	}
}

var (
	stop      = regexp.MustCompile(`(น|โทร|อปท|[^ .]+\.[^ .]+)\.$`) // abbreviations: น. พ.ย.
	repeated  = regexp.MustCompile(`[^ ]ๆ|ๆ[\x{0e01}-\x{0e5b}]`)
	formatted = regexp.MustCompile(`%[-+#0-9.\[\]]*[a-zA-Z]|\{\{[^}]*\}\}|\{[A-Za-z:]+\}|<[^>]*>|#[0-9a-f]{6}`)
	latinWord = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+./:_-]*`)
)

// latinOfStaff are the Latin words allowed in Thai texts.
var latinOfStaff = strings.Fields(`HN LINE Walk-in PDPA ICD-10 PDF PNG JPEG WebP MB P90 SHA-256 Rh A B AB O E11.9
	UTC IP zip DPO RFC
	Asia/Bangkok A–Z A Z https http id ids multipart/form-data M F U appointments before after pdf`)

// Thai texts follow the rules of docs/words.md: no full stop, single spaces between phrases, spaces around ๆ,
// no Latin words other than latinOfStaff.
func TestThaiSpelling(t *testing.T) {
	t.Parallel()
	for position, text := range thaiTexts(t) {
		if !isThai(formatted.ReplaceAllString(text, "")) || strings.Contains(text, "Nadmor") {
			continue // bilingual
		}
		plain := formatted.ReplaceAllString(text, "")
		var faults []string
		if strings.HasSuffix(text, ".") && !stop.MatchString(text) {
			faults = append(faults, "a full stop at the end")
		}
		if strings.Contains(text, "  ") {
			faults = append(faults, "two spaces")
		}
		if repeated.MatchString(text) {
			faults = append(faults, "ๆ without spaces")
		}
		for _, word := range latinWord.FindAllString(plain, -1) {
			if word = strings.TrimRight(word, ".:-/"); !slices.Contains(latinOfStaff, word) {
				faults = append(faults, fmt.Sprintf("the word %q", word))
			}
		}
		for _, fault := range faults {
			t.Errorf("%s: %s in\n%s", position, fault, text)
		}
	}
}
