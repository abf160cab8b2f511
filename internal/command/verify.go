package command

import (
	"context"
	"errors"

	"nadmor/internal/archive"
)

type verifyCmd struct{}

// Run verifies the database and the files. It fails if there is a fault.
func (verifyCmd) Run(ctx context.Context, a *app) (err error) {
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	faults, err := archive.Verify(ctx, db, uploads, a.Stdout)
	return errors.Join(err, faults)
}
