package hospital

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"log/slog"
	"slices"
	"strings"
	"testing"
)

func TestIDCards(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"1111111111119": true, "1000000000050": true, "1000000000131": true, "1101700230708": true,
		"0000000000001": true, // 0, 6, 7 and 8 are valid first digits
		"6000000000000": true, "7000000000008": true, "8000000000006": true,
		"0000000000000": false, "1111111111110": false, "1234567890123": false,
		"": false, "111111111111": false, "11111111111190": false, "111111111111a": false, "1-1111-11111-11-9": false,
		"๑๑๑๑๑๑๑๑๑๑๑๑๙": false,
	} {
		if got := IsIDCard(id); got != want {
			t.Errorf("IsIDCard(%q) = %v", id, got)
		}
	}
}

func TestMaskedIDCards(t *testing.T) {
	t.Parallel()
	for id, want := range map[IDCard]string{
		"1234567890121": "1-2345-xxxxx-12-1", "": "", "12345": "x-xxxx-xxxxx-xx-x",
		"12345678901212": "x-xxxx-xxxxx-xx-x",
	} {
		if got := id.Mask(); got != want {
			t.Errorf("%q is masked as %q", string(id), got)
		}
	}
}

// Encoding or printing a record writes the masked number.
func TestIDCardIsMaskedWhenFormatted(t *testing.T) {
	t.Parallel()
	p := Patient{PatientFields: PatientFields{IDCard: "1234567890121"}}
	var page, line bytes.Buffer
	if err := template.Must(template.New("").Parse(`{{.IDCard}} {{.}}`)).Execute(&page, p); err != nil {
		t.Fatal(err)
	}
	slog.New(slog.NewTextHandler(&line, nil)).Info("patient", "card", p.IDCard, "patient", p)
	asJSON, err := json.Marshal([]any{p, &p, p.IDCard})
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"json": string(asJSON), "template": page.String(), "slog": line.String(),
		"%v": fmt.Sprintf("%v %+v", p, p), "%s": fmt.Sprintf("%s %q", p.IDCard, p.IDCard),
		"Sprint": fmt.Sprint(p.IDCard),
	} {
		if strings.Contains(text, "1234567890121") || !strings.Contains(text, "1-2345-xxxxx-12-1") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

func TestCardDigits(t *testing.T) {
	t.Parallel()
	others := NewPermissionSet(slices.DeleteFunc(slices.Clone(AllPermissions),
		func(p Permission) bool { return p == PatientViewCID })...)
	for n := range 15 {
		digits := "11111111111119"[:n]
		if got, want := CardDigits(digits, others) != "", n == 13; got != want {
			t.Errorf("%d digits without PATIENT.VIEW_CID: %v", n, got)
		}
		if got, want := CardDigits(digits, NewPermissionSet(PatientViewCID)) != "", n >= 4 && n <= 13; got != want {
			t.Errorf("%d digits with PATIENT.VIEW_CID: %v", n, got)
		}
	}
}
