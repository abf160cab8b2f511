package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"nadmor/internal/archive"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type backupCmd struct {
	File       string `arg:"" help:"The archive to write; - for standard output."`
	WithoutKey bool   `help:"Do not include the key of the data folder. Store it elsewhere: it is required to restore."`
}

// Run writes an archive. It does not migrate the schema, so that a new version can make a backup before an
// upgrade.
func (c *backupCmd) Run(ctx context.Context, a *app) (err error) {
	secret, err := a.loadSecret()
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the key of this installation is missing: set NADMOR_SECRET, or use the data folder that " +
			"contains it")
	}
	if err != nil {
		return err
	}
	if a.DatabaseURL == "" {
		if _, err := os.Stat(filepath.Join(a.Data, store.SQLiteFile)); err != nil {
			return fmt.Errorf("there is nothing to back up: %w", err)
		}
	}
	o := a.storeOptions(secret)
	o.Migration = store.NoMigration
	db, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if fits, err := db.AuditKeyMatches(ctx); err != nil {
		return err
	} else if !fits {
		return errors.New("the key does not match this database: NADMOR_SECRET or the data folder may belong to " +
			"another installation")
	}
	uploads, err := a.openFiles(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uploads.Close()) }()

	// Recorded before the snapshot, so that the archive contains its own audit entry.
	if err := db.NoteBackup(ctx); err != nil {
		return err
	}
	start := a.Now()
	m := newMeter(a, "backup")
	var made archive.Manifest
	var header archive.Header
	size, err := a.writeAtomic(c.File, func(out io.Writer) (err error) {
		// A configured key is not included.
		header, made, err = archive.Write(ctx, out, archive.Source{
			DB: db, Files: uploads, Secret: secret, WithKey: a.Secret == "" && !c.WithoutKey, Product: a.Version,
		}, m.show)
		return err
	})
	m.end()
	if err != nil {
		return err
	}
	rows, bytes := made.Rows()
	fmt.Fprintf(a.Stderr, "%s: %d tables, %d rows (%s), %d files (%s); %s in %s\n",
		c.File, len(made.Tables), rows, inMB(bytes), made.Files, inMB(made.FileBytes), inMB(size),
		a.Now().Sub(start).Round(100*time.Millisecond))
	if header.Key == "" {
		fmt.Fprintln(a.Stderr,
			"The key is not included: store NADMOR_SECRET (or the file secret of the data folder) elsewhere. "+
				"Restoring needs it.")
	}
	if made.Lacking > 0 {
		return fmt.Errorf("the archive is written, but %d files were missing or damaged (the first: %v); nadmor "+
			"verify names all", made.Lacking, made.LackingFirst[0])
	}
	return nil
}

type restoreCmd struct {
	File     string `arg:"" help:"The archive to read; - for standard input."`
	Erased   string `help:"List of patients erased since the backup, who are erased again; see nadmor pdpa erased (default: erased.csv in the data folder, if it exists)." placeholder:"LIST"`
	OtherKey bool   `help:"Restore without the key of the archive. One-time codes must be set up again, and the earlier audit log cannot be verified."`
}

// Run restores an archive into an empty database and file store.
func (c *restoreCmd) Run(ctx context.Context, a *app) (err error) {
	in := a.Stdin
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		defer f.Close() //nolint:errcheck // only read
		in = f
	}
	start := a.Now()
	reader, err := archive.Open(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		return err
	}
	defer reader.Close()
	h := reader.Header
	fmt.Fprintf(a.Stderr, "made %s (Bangkok) by version %s on %s, migration %d\n",
		h.MadeAt.In(hospital.Bangkok).Format(time.DateTime), h.Product, h.Engine, h.Migration)
	secret, made, err := c.key(a, h)
	if err != nil {
		return err
	}
	defer func() {
		if made && !reader.InPlace() {
			_ = os.Remove(filepath.Join(a.Data, secretFile)) // written by this command
		}
	}()
	uploads, err := a.openFiles(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, uploads.Close()) }()
	m := newMeter(a, "restore")
	to := archive.Target{Store: a.storeOptions(secret), Files: uploads, Secret: secret}
	if c.OtherKey {
		to.Secret = ""
	}
	var faults error
	got, err := reader.Restore(ctx, to, m.show, func(db *store.DB) (err error) {
		m.end()
		if faults, err = archive.Verify(ctx, db, uploads, a.Stdout); err == nil {
			err = c.erase(ctx, a, db, uploads)
		}
		return err
	})
	m.end()
	if err != nil {
		return err
	}
	rows, _ := got.Rows()
	fmt.Fprintf(a.Stderr, "restored: %d tables, %d rows, %d files in %s. All users must sign in again.\n", len(got.Tables),
		rows, got.Files, a.Now().Sub(start).Round(100*time.Millisecond))
	if faults != nil {
		return fmt.Errorf("restored as it was saved, but it had faults then: %w", faults)
	}
	return nil
}

// erase erases the patients again who were erased after the archive was made.
func (c *restoreCmd) erase(ctx context.Context, a *app, db *store.DB, uploads files.Store) error {
	list := c.Erased
	if list == "" {
		list = filepath.Join(a.Data, erasedFile)
		if _, err := os.Stat(list); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(a.Stderr,
				"Patients erased after the backup are restored: nadmor pdpa anonymise --again LIST erases them again.")
			return nil
		}
	}
	return a.eraseAgain(hospital.WithActor(ctx, a.commandLine()), db, uploads, list, false)
}

// key returns the key of the archive: the configured one, the one in the data folder, or the one in the
// archive, which is then stored in the data folder and made is true.
func (c *restoreCmd) key(a *app, h archive.Header) (secret string, made bool, err error) {
	secret, err = a.loadSecret()
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.Key != "":
		err := a.storeSecret(h.Key)
		return h.Key, err == nil, err
	case errors.Is(err, fs.ErrNotExist) && c.OtherKey:
		secret, err = a.secret()
		return secret, err == nil, err
	case errors.Is(err, fs.ErrNotExist):
		return "", false,
			errors.New("the archive does not contain its key: set it as NADMOR_SECRET, or put the file secret into the " +
				"data folder (if it is lost: --other-key)")
	case err == nil && archive.KeyID(secret) != h.KeyID && !c.OtherKey:
		return "", false,
			errors.New("NADMOR_SECRET, or the key in the data folder, is not the key of the archive: one-time codes and " +
				"the audit log would be unusable (if that key is lost: --other-key)")
	}
	return secret, false, err
}
