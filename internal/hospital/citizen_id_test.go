package hospital

import "testing"

func TestCitizenIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"1111111111119": true, "1000000000050": true, "1000000000131": true, "1101700230708": true,
		"0000000000001": true, // a first digit of 0, 6, 7 or 8 is a real registrant
		"6000000000000": true, "7000000000008": true, "8000000000006": true,
		"0000000000000": false, "1111111111110": false, "1234567890123": false,
		"": false, "111111111111": false, "11111111111190": false, "111111111111a": false, "1-1111-11111-11-9": false, "๑๑๑๑๑๑๑๑๑๑๑๑๙": false,
	} {
		if got := IsCitizenID(id); got != want {
			t.Errorf("IsCitizenID(%q) = %v", id, got)
		}
	}
}

func TestMaskedCitizenIDs(t *testing.T) {
	t.Parallel()
	masked := MaskCitizenID("1234567890121")
	if masked != "1-2345-xxxxx-12-1" {
		t.Errorf("masked %q", masked)
	}
	if !IsMaskedCitizenID(masked) || IsMaskedCitizenID("1234567890121") || IsMaskedCitizenID("1-2345-67890-12-1") || IsMaskedCitizenID("") {
		t.Error("masked and whole numbers are not told apart")
	}
	if MaskCitizenID("") != "" || MaskCitizenID("12345") != "" {
		t.Error("what is no ID card shows through the mask")
	}
}
