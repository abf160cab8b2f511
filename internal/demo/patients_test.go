package demo

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// Records are loaded without being cleaned, and null lists break the app.
func TestSamplePatientsAreValid(t *testing.T) {
	t.Parallel()
	now := storetest.NewClock().Now()
	for p := range Patients(500, 1, now) {
		if err := p.Validate(hospital.MomentOf(now).Date); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if p.Allergies == nil || p.Conditions == nil || !cmp.Equal(p, p.Clean()) {
			t.Fatalf("%+v", p)
		}
	}
}

// Prename, name, ID card and address match age and place.
func TestSamplePatientsAreRealistic(t *testing.T) {
	t.Parallel()
	now := storetest.NewClock().Now()
	today := hospital.MomentOf(now).Date
	cards, old, young, chronic := map[string]bool{}, 0, 0, 0
	for p := range Patients(DefaultSize.Patients, DefaultSize.Seed, now) {
		age, err := hospital.AgeOn(p.BirthDate, today)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(today); err != nil {
			t.Errorf("%s: %v", p.FullName(), err)
		}
		want := map[hospital.Sex][]string{hospital.Male: {"นาย"}, hospital.Female: {"นาง", "นางสาว"}}[p.Sex]
		if age.Years < 15 {
			want = map[hospital.Sex][]string{hospital.Male: {"เด็กชาย"}, hospital.Female: {"เด็กหญิง"}}[p.Sex]
		}
		if !slices.Contains(want, p.Prename) || p.Prename == "นาง" && age.Years < 20 {
			t.Errorf("%s is %d years old and %s", p.FullName(), age.Years, p.Sex)
		}
		names := namedIn(yearOf(p.BirthDate))
		if list := map[hospital.Sex][]string{
			hospital.Male: names.men, hospital.Female: names.women,
		}[p.Sex]; p.Nationality == "ไทย" && !slices.Contains(list, p.FirstName) {
			t.Errorf("%s, born %s, has the name of another generation", p.FullName(), p.BirthDate)
		}
		if p.IDCard != "" && cards[string(p.IDCard)] {
			t.Errorf("two have the card %s", p.IDCard)
		}
		cards[string(p.IDCard)] = true
		if age.Years >= 60 {
			old++
		}
		if age.Years < 15 {
			young++
		}
		if slices.Contains(p.Conditions, "เบาหวาน") {
			chronic++
		}
	}
	for what, share := range map[string]int{"are old": old, "are children": young, "have diabetes": chronic} {
		if share < DefaultSize.Patients/12 || share > DefaultSize.Patients/2 {
			t.Errorf("%d %s", share, what)
		}
	}
}

func yearOf(date string) (year int) {
	t, _ := time.Parse(time.DateOnly, date)
	return t.Year()
}

// Every address is in the address data of the app, with its postal code.
func TestSampleAddressesExist(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("../../web/src/data/addresses.json")
	if err != nil {
		t.Fatal(err)
	}
	var provinces [][2]json.RawMessage
	if err := json.Unmarshal(body, &provinces); err != nil {
		t.Fatal(err)
	}
	read := func(raw json.RawMessage, into any) {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	known := map[hospital.Address]bool{}
	for _, p := range provinces {
		var a hospital.Address
		var districts [][2]json.RawMessage
		read(p[0], &a.Province)
		read(p[1], &districts)
		for _, d := range districts {
			var groups [][2]string
			read(d[0], &a.District)
			read(d[1], &groups)
			for _, g := range groups {
				a.PostalCode, _, _ = strings.Cut(g[0], ",")
				for name := range strings.SplitSeq(g[1], "|") {
					a.Subdistrict = name
					known[a] = true
				}
			}
		}
	}
	for _, home := range homes {
		if !known[home] {
			t.Errorf("there is no %+v", home)
		}
	}
}
