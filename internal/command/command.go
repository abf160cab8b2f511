// Package command implements the command line.
package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"nadmor/internal/auth"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Env is the environment of a command. Tests use it to run commands in-process.
type Env struct {
	Args           []string
	Environ        []string // KEY=value, as returned by os.Environ
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Version        string
	Now            func() time.Time
	Ready          func(addr string) // called with the address once serve listens
	Hasher         *auth.Hasher      // nil for the default cost
}

// Config holds the options of all commands.
type Config struct {
	Data        string `help:"Folder for the database, uploads and the key." default:"./data" env:"NADMOR_DATA" type:"path"`
	DatabaseURL string `help:"PostgreSQL database to use instead of SQLite in the data folder (postgres://…)." env:"NADMOR_DATABASE_URL"`
	FilesURL    string `help:"S3 bucket for uploaded files, instead of the data folder (s3://KEY:SECRET@host[:port]/bucket[/prefix][?region=…&tls=off])." env:"NADMOR_FILES_URL"`
	Secret      string `help:"Key of tokens, audit chain and one-time-code secrets. Generated and stored in the data folder if not set; several nodes need the same." env:"NADMOR_SECRET"`
	Log         string `help:"Log level: debug, info, warn or error." default:"info" enum:"debug,info,warn,error" env:"NADMOR_LOG"`
}

type cli struct {
	Config
	Serve         serveCmd         `cmd:"" default:"withargs" help:"Serve the app and the API (default)."`
	Health        healthCmd        `cmd:"" help:"Check the health of the server on this machine."`
	Migrate       migrateCmd       `cmd:"" help:"Migrate the database schema."`
	Demo          demoCmd          `cmd:"" help:"Fill an empty database with a sample hospital."`
	Import        importCmd        `cmd:"" help:"Import data from files."`
	Verify        verifyCmd        `cmd:"" help:"Verify the audit log, the stored counts and the files of results."`
	Backup        backupCmd        `cmd:"" help:"Back up the database and the uploaded files to an archive. The server may be running."`
	Restore       restoreCmd       `cmd:"" help:"Restore an archive into an empty database and file store."`
	Pdpa          pdpaCmd          `cmd:"" help:"Personal Data Protection Act: export, erasure, access log and breach report."`
	ResetPassword resetPasswordCmd `cmd:"" help:"Set a new password for an account and unlock it."`
	Openapi       openapiCmd       `cmd:"" help:"Print the OpenAPI document."`
	Version       kong.VersionFlag `help:"Print the version."`
}

// app holds the dependencies of a command.
type app struct {
	Env
	Config
	log *slog.Logger
}

// Run runs a command and returns its exit code.
func Run(ctx context.Context, env Env) int {
	var c cli
	exit, vars := -1, newEnvironment(env.Environ)
	parser, err := kong.New(&c,
		kong.Name("nadmor"), kong.Description("Nadmor (นัดหมอ): appointments and patients of a hospital."),
		kong.Writers(env.Stdout, env.Stderr), kong.Vars{"version": env.Version},
		kong.Exit(func(code int) { exit = code }), kong.UsageOnError(),
		kong.Resolvers(vars), kong.PostBuild(vars.claimVariables),
	)
	if err != nil {
		panic(err) // invalid struct tags
	}
	parsed, err := parser.Parse(env.Args)
	if exit >= 0 { // --help, --version
		return exit
	}
	if err != nil {
		parser.FatalIfErrorf(err)
		return max(exit, 1)
	}
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Hasher == nil {
		env.Hasher = auth.NewHasher()
	}
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Log)) // validated by the enum
	a := &app{
		Env: env, Config: c.Config, log: slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: level})),
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(a); err != nil {
		fmt.Fprintln(env.Stderr, "nadmor:", err)
		if hospital.IsStorageFull(err) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			fmt.Fprintln(env.Stderr,
				"The disk is full. No saved data is lost: free some space, then start again.")
		}
		return 1
	}
	return 0
}

// environment resolves flags from Env.Environ instead of the process environment, so that several commands
// can run in one process and tests are independent of the developer's shell.
type environment struct {
	vars  map[string]string
	names map[*kong.Flag][]string
}

func newEnvironment(environ []string) *environment {
	e := &environment{map[string]string{}, map[*kong.Flag][]string{}}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		e.vars[k] = v
	}
	return e
}

// claimVariables removes the variables of all flags from kong, which would read them from the process environment.
// The help still names them.
func (e *environment) claimVariables(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			flag.Help, e.names[flag] = kong.DefaultHelpValueFormatter(flag.Value), flag.Tag.Envs
			flag.Tag.Envs = nil
		}
		return next(nil)
	})
}

// Validate implements kong.Resolver.
func (e *environment) Validate(*kong.Application) error { return nil }

// Resolve returns the value of the flag's variable. An empty value counts as unset.
func (e *environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range e.names[flag] {
		if v := e.vars[name]; v != "" {
			return v, nil
		}
	}
	return nil, nil
}

// checkPassword applies the password rules to a password from the command line.
func checkPassword(password, from, username string) error {
	var c hospital.Checker
	c.Password(password, from, username)
	var e *hospital.Error
	if errors.As(c.Err(), &e) {
		return fmt.Errorf("%s: %s", from, e.Fields[0].Message.EN)
	}
	return nil
}

// secretFile is the name of the key file in the data folder.
const secretFile = "secret"

// secret returns the key of the installation. It creates and stores one at the first start.
func (a *app) secret() (string, error) {
	if err := a.makeFolder(); err != nil {
		return "", err
	}
	secret, err := a.loadSecret()
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := a.storeSecret(rand.Text() + rand.Text()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return a.loadSecret()
}

// makeFolder creates the data folder, unless nothing is stored in it.
func (a *app) makeFolder() error {
	if a.Secret != "" && a.DatabaseURL != "" {
		return nil
	}
	if err := os.MkdirAll(a.Data, 0o700); err != nil {
		return fmt.Errorf("create data folder: %w", err)
	}
	return nil
}

// storeSecret writes the key to the data folder. It returns fs.ErrExist if there is one already, so that two
// processes starting at once use the same key.
func (a *app) storeSecret(secret string) error {
	if err := a.makeFolder(); err != nil {
		return err
	}
	path := filepath.Join(a.Data, secretFile)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // a fixed name in the data folder
	if err == nil {
		_, err = f.WriteString(secret + "\n")
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			_ = os.Remove(path) // an incomplete key is useless; the next start creates one
		}
	}
	if err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	return nil
}

// loadSecret returns the key of the installation, or fs.ErrNotExist if there is none yet.
func (a *app) loadSecret() (string, error) {
	if a.Secret != "" {
		if len(a.Secret) < 16 {
			return "",
				errors.New("NADMOR_SECRET is too short: at least 16 characters, for example from `openssl rand -base64 32`")
		}
		return a.Secret, nil
	}
	path := filepath.Join(a.Data, secretFile)
	for range 50 { // another process may be between creating and writing it
		b, err := os.ReadFile(path) //nolint:gosec // a fixed name in the data folder
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		if secret := strings.TrimSpace(string(b)); strings.HasSuffix(string(b), "\n") && secret != "" {
			return secret, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "", fmt.Errorf("%s is empty: remove it, or put the key back that was in it", path)
}

// open opens the database and migrates its schema.
func (a *app) open(ctx context.Context) (*store.DB, error) {
	secret, err := a.secret()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, a.storeOptions(secret))
}

// openBoth opens the database and the file store. closeBoth closes both and joins errors to *error.
func (a *app) openBoth(ctx context.Context) (db *store.DB, uploads files.Store, closeBoth func(*error), err error) {
	if db, err = a.open(ctx); err != nil {
		return nil, nil, nil, err
	}
	if uploads, err = a.openFiles(ctx); err != nil {
		return nil, nil, nil, errors.Join(err, db.Close())
	}
	return db, uploads, func(err *error) { *err = errors.Join(*err, uploads.Close(), db.Close()) }, nil
}

func (a *app) storeOptions(secret string) store.Options {
	return store.Options{URL: a.DatabaseURL, DataDir: a.Data, AuditKey: auth.DeriveKey(secret, "audit"), Now: a.Now}
}

// openFiles opens the file store.
func (a *app) openFiles(ctx context.Context) (files.Store, error) {
	return files.Open(ctx, a.FilesURL, a.Data)
}

// commandLine returns the actor of audit entries: the system, on behalf of the operating system user.
func (a *app) commandLine() hospital.Actor {
	actor := hospital.System
	for _, name := range []string{"USER=", "SUDO_USER="} { // the last one wins
		for _, kv := range a.Environ {
			if user, ok := strings.CutPrefix(kv, name); ok && user != "" {
				actor.Name = "system (" + user + ")"
			}
		}
	}
	return actor
}
