package demo

import (
	"io"
	"testing"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// holdResults checks that there are results of every type, with valid files.
func holdResults(t *testing.T, db *store.DB, uploads files.Store) {
	t.Helper()
	ctx := hospital.WithActor(t.Context(), hospital.System)
	over, err := db.AppointmentsIn(ctx, hospital.AppointmentFilter{
		Statuses: []hospital.AppointmentStatus{hospital.Completed},
	})
	if err != nil {
		t.Fatal(err)
	}
	with, kinds := 0, map[string]int{}
	for _, a := range over {
		if a.ResultCount > 0 {
			with++
		}
	}
	if with < len(over)*3/4 || with == len(over) || len(over) < 20_000 {
		t.Errorf("%d of %d visits have a result", with, len(over))
	}
	err = db.EachResultFile(ctx, func(_ int64, f hospital.StoredFile) error {
		kinds[f.ContentType]++
		if fault, err := files.Check(ctx, uploads, f.Key, files.Stored{Size: f.Size, SHA256: f.SHA256}); err != nil ||
			fault != "" {
			t.Errorf("%s: %s %v", f.Name, fault, err)
		}
		file, err := uploads.Open(ctx, f.Key)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // only read
		doc, err := files.OpenDocument(file)
		if err != nil {
			return err
		}
		defer doc.Close()
		_, err = io.Copy(io.Discard, doc)
		return err
	})
	if err != nil || kinds["application/pdf"] == 0 || kinds["image/png"] == 0 {
		t.Errorf("files %v, %v", kinds, err)
	}
	if faults, err := db.VerifyResultCounts(ctx); err != nil || len(faults) > 0 {
		t.Errorf("results that do not add up: %v, %v", faults, err)
	}
	for _, list := range findings {
		for _, f := range list {
			fields := hospital.ResultFields{
				Type: hospital.ResultDiagnosis, Diagnosis: f.diagnosis, ICD10: f.codes, Advice: f.advice,
			}
			if err := fields.Validate(false); err != nil {
				t.Errorf("%s: %v", f.diagnosis, err)
			}
		}
	}
}
