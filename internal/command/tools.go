package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"nadmor/internal/api"
	"nadmor/internal/auth"
	"nadmor/internal/demo"
	"nadmor/internal/web"
)

type migrateCmd struct{}

// Run migrates the schema.
func (migrateCmd) Run(ctx context.Context, a *app) error {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "The schema is up to date (%s).\n", db.Engine())
	return db.Close()
}

type demoCmd struct {
	Patients     int    `help:"Number of patients." default:"5000"`
	Appointments int    `help:"Number of appointments (default: those of a year). 50,000 or more make a large hospital with twenty clinics."`
	Seed         uint64 `help:"Seed; the same seed gives the same hospital." default:"2569"`
}

// Run fills an empty database with the sample hospital.
func (c *demoCmd) Run(ctx context.Context, a *app) (err error) {
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	empty, err := db.NeedsSetup(ctx)
	if err != nil {
		return err
	}
	if !empty {
		return errors.New("there is data already: the sample hospital needs an empty database")
	}
	if c.Patients < 100 || c.Appointments < 0 {
		return errors.New("a sample hospital has at least 100 patients, and no negative number of appointments")
	}
	secret, err := a.secret()
	if err != nil {
		return err
	}
	var shown *progress
	size := demo.Size{Patients: c.Patients, Appointments: c.Appointments, Seed: c.Seed}
	if err := demo.Fill(ctx, a.storeOptions(secret), uploads, a.Hasher, "", size, func(kind string, n, of int) {
		if shown == nil || shown.what != kind {
			shown = newProgress(a, kind)
		}
		shown.of = of
		if shown.show(n, float64(n)/float64(max(of, n, 1))); n == of {
			shown.end()
		}
	}); err != nil {
		return fmt.Errorf("the sample hospital is incomplete, start again with an empty database: %w", err)
	}
	fmt.Fprintf(a.Stdout, "The sample hospital is ready. Sign in as admin, password %s.\n", demo.Password)
	return nil
}

type resetPasswordCmd struct {
	Username string `arg:"" help:"Username of the account."`
	Password string `help:"The new password (default: random, printed)." env:"NADMOR_NEW_PASSWORD"`
	TOTP     bool   `name:"totp" help:"Disable one-time codes as well, for a user who has lost their phone."`
}

// Run sets a new password, which must be changed at the next sign-in.
func (c *resetPasswordCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	random := c.Password == ""
	if random {
		c.Password = auth.NewSecret()
	} else if err := checkPassword(c.Password, "the new password", c.Username); err != nil {
		return err
	}
	hash, err := a.Hasher.Hash(ctx, c.Password)
	if err != nil {
		return err
	}
	if err := db.SetPasswordByCommand(ctx, c.Username, hash, c.TOTP); err != nil {
		return fmt.Errorf("%s: %w", c.Username, err)
	}
	if random {
		fmt.Fprintf(a.Stdout, "New password of %s: %s\n", c.Username, c.Password)
	}
	fmt.Fprintln(a.Stdout, "Done. It must be changed at the next sign-in; open sessions were ended.")
	if c.TOTP {
		fmt.Fprintln(a.Stdout, "One-time codes are disabled; they can be set up again.")
	}
	return nil
}

type openapiCmd struct{}

// Run prints the OpenAPI document. It needs no database.
func (openapiCmd) Run(a *app) error {
	server, err := api.New(api.Options{Log: slog.New(slog.DiscardHandler), Version: a.Version, App: web.Handler()})
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(append(server.Document(), '\n'))
	return err
}
