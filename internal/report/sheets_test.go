package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func TestRowsContinueOnNextSheet(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	err := writeWorkbook(&b, Table{Name: "ผู้ป่วย", Columns: []Column{{"ลำดับ", 8}}}, 3, func(add Add) error {
		for _, text := range []string{"หนึ่ง", "สอง", "สาม", "สี่", "ห้า"} {
			if err := add(text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	got := map[string][][]string{}
	for _, sheet := range f.GetSheetList() {
		if got[sheet], err = f.GetRows(sheet); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][][]string{
		"ผู้ป่วย":   {{"ลำดับ"}, {"หนึ่ง"}, {"สอง"}},
		"ผู้ป่วย 2": {{"ลำดับ"}, {"สาม"}, {"สี่"}},
		"ผู้ป่วย 3": {{"ลำดับ"}, {"ห้า"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
