package auth

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestBox(t *testing.T) {
	t.Parallel()
	box := NewBox("the secret of the installation")
	sealed := box.Seal("GEZDGNBVGY3TQOJQ", "7")
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(i int) string {
		b := append([]byte(nil), raw...)
		b[(i+len(b))%len(b)] ^= 1
		return base64.RawStdEncoding.EncodeToString(b)
	}
	cases := map[string]struct {
		box           Box
		sealed, owner string
		want          string // "" for an error
	}{
		"what was sealed comes out": {box, sealed, "7", "GEZDGNBVGY3TQOJQ"},
		"the same secret opens it after a restart": {
			NewBox("the secret of the installation"), sealed, "7", "GEZDGNBVGY3TQOJQ",
		},
		"another owner cannot open it":           {box, sealed, "8", ""},
		"nobody cannot either":                   {box, sealed, "", ""},
		"another installation cannot":            {NewBox("another secret"), sealed, "7", ""},
		"one bit changed at the beginning shows": {box, flip(0), "7", ""},
		"one bit changed in the middle shows":    {box, flip(len(raw) / 2), "7", ""},
		"one bit changed at the end shows":       {box, flip(-1), "7", ""},
		"a byte cut off shows": {
			box, base64.RawStdEncoding.EncodeToString(raw[:len(raw)-1]), "7", "",
		},
		"too little to be sealed is refused":             {box, "AAAA", "7", ""},
		"nothing is refused":                             {box, "", "7", ""},
		"what was never sealed is refused":               {box, "GEZDGNBVGY3TQOJQ", "7", ""},
		"what is not even base 64 is refused":            {box, "ความลับ", "7", ""},
		"a secret of one owner given to another, either": {box, box.Seal("X", "8"), "7", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.box.Open(c.sealed, c.owner)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestSealedSecretHidesContent(t *testing.T) {
	t.Parallel()
	box := NewBox("the secret of the installation")
	a, b := box.Seal("GEZDGNBVGY3TQOJQ", "7"), box.Seal("GEZDGNBVGY3TQOJQ", "7")
	if a == b {
		t.Error("the same secret is sealed the same way twice: equal secrets show")
	}
	raw, err := base64.RawStdEncoding.DecodeString(a)
	if err != nil || strings.Contains(string(raw), "GEZDG") {
		t.Errorf("the secret can be read: %q, %v", raw, err)
	}
	if empty, err := box.Open(box.Seal("", "7"), "7"); empty != "" || err != nil {
		t.Errorf("nothing sealed comes out as %q, %v", empty, err)
	}
}
