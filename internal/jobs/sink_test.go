package jobs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/certtest"
)

// received is a parsed mail.
type received struct {
	To, From, Subject string
	Text, HTML        string
	TLS               bool
	User              string // authenticated user
}

// sink is an SMTP server on the loopback interface that records mails.
type sink struct {
	addr    string
	options sinkOptions
	tls     *tls.Config
	arrived chan received // every mail, in order

	mu       sync.Mutex
	down     bool           // disconnect before the greeting
	onData   func() error   // called after a mail was read
	onRcpt   func() error   // called for a recipient
	hangUp   bool           // disconnect after accepting a mail
	trouble  []error        // mails that could not be parsed
	attempts []string       // received passwords, encrypted or not
	pool     *x509.CertPool // trusts the server's certificate
	open     map[net.Conn]bool
	closed   bool
}

// sinkOptions configure the server.
type sinkOptions struct{ startTLS, implicitTLS, auth bool }

func newSink(t *testing.T, o sinkOptions) *sink {
	t.Helper()
	s := &sink{options: o, arrived: make(chan received, 100), open: make(map[net.Conn]bool)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	if o.startTLS || o.implicitTLS {
		certificate, pool := certificate(t)
		s.tls = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		s.pool = pool
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.set(func(s *sink) {
				if s.down || s.closed {
					_ = conn.Close()
					return
				}
				s.open[conn] = true
				running.Go(func() { s.serve(conn) })
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.set(func(s *sink) {
			s.closed = true
			for conn := range s.open {
				_ = conn.Close()
			}
		})
		running.Wait()
		for _, err := range s.trouble {
			t.Errorf("a mail cannot be read: %v", err)
		}
	})
	return s
}

func (s *sink) set(change func(*sink)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// serve speaks SMTP (RFC 5321) with a client.
func (s *sink) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.set(func(s *sink) { delete(s.open, conn) })
	}()
	c := &conversation{sink: s}
	if s.options.implicitTLS {
		c.start(tls.Server(conn, s.tls), true)
	} else {
		c.start(conn, false)
	}
	if c.answer(220, "mail.hospital.example ESMTP") != nil {
		return
	}
	for {
		line, err := c.text.ReadLine()
		if err != nil {
			return
		}
		verb, argument, _ := strings.Cut(line, " ")
		if strings.EqualFold(verb, "STARTTLS") && s.options.startTLS && !c.encrypted {
			if c.answer(220, "go ahead") != nil {
				return
			}
			*c = conversation{sink: s}
			c.start(tls.Server(conn, s.tls), true)
			continue
		}
		if c.command(strings.ToUpper(verb), argument) != nil {
			return
		}
	}
}

// conversation is the state of a connection.
type conversation struct {
	sink      *sink
	text      *textproto.Conn
	encrypted bool
	user      string
	to        string
}

// smtpError is a negative reply.
type smtpError struct {
	code    int
	message string
}

func (r *smtpError) Error() string { return fmt.Sprintf("%d %s", r.code, r.message) }

var errHungUp = errors.New("the server hangs up")

func (c *conversation) start(conn net.Conn, encrypted bool) {
	c.text, c.encrypted = textproto.NewConn(conn), encrypted
}

func (c *conversation) answer(code int, message string) error {
	return c.text.PrintfLine("%d %s", code, message)
}

// result sends a positive reply, or that of err.
func (c *conversation) result(code int, message string, err error) error {
	if err == nil {
		return c.answer(code, message)
	}
	var no *smtpError
	if !errors.As(err, &no) {
		no = &smtpError{554, err.Error()}
	}
	return c.answer(no.code, no.message)
}

// command handles a command. An error ends the connection.
func (c *conversation) command(verb, argument string) error {
	switch verb {
	case "EHLO":
		lines := []string{"mail.hospital.example", "8BITMIME"}
		if c.sink.options.startTLS && !c.encrypted {
			lines = append(lines, "STARTTLS")
		}
		if c.sink.options.auth {
			// Also without TLS, to detect a client that sends its password unencrypted.
			lines = append(lines, "AUTH PLAIN")
		}
		for _, line := range lines {
			if err := c.text.PrintfLine("250-%s", line); err != nil {
				return err
			}
		}
		return c.answer(250, "SMTPUTF8")
	case "AUTH":
		return c.result(235, "welcome", c.authenticate(argument))
	case "MAIL", "NOOP", "RSET":
		return c.answer(250, "ok")
	case "RCPT":
		return c.result(250, "ok", c.recipient(argument))
	case "DATA":
		return c.data()
	case "QUIT":
		_ = c.answer(221, "bye")
		return errHungUp
	default:
		return c.answer(502, "not implemented")
	}
}

// authenticate reads AUTH PLAIN (RFC 4616), with the response in the same line or in the next.
func (c *conversation) authenticate(argument string) error {
	mechanism, response, inLine := strings.Cut(argument, " ")
	if !c.sink.options.auth || !strings.EqualFold(mechanism, "PLAIN") {
		return &smtpError{504, "no such mechanism"}
	}
	if !inLine {
		if err := c.answer(334, ""); err != nil {
			return err
		}
		var err error
		if response, err = c.text.ReadLine(); err != nil {
			return err
		}
	}
	b, err := base64.StdEncoding.DecodeString(response)
	fields := strings.Split(string(b), "\x00")
	if err != nil || len(fields) != 3 {
		return &smtpError{501, "malformed response"}
	}
	username, password := fields[1], fields[2]
	c.sink.set(func(s *sink) { s.attempts = append(s.attempts, password) })
	if username != "nadmor" || password != "p@ss/word:1" {
		return &smtpError{535, "authentication failed"}
	}
	c.user = username
	return nil
}

func (c *conversation) recipient(argument string) error {
	c.sink.mu.Lock()
	answer := c.sink.onRcpt
	c.sink.mu.Unlock()
	if answer != nil {
		return answer()
	}
	_, rest, _ := strings.Cut(argument, "<")
	c.to, _, _ = strings.Cut(rest, ">")
	return nil
}

func (c *conversation) data() error {
	if c.to == "" {
		return c.answer(503, "no recipient")
	}
	if err := c.answer(354, "go ahead"); err != nil {
		return err
	}
	mail, err := c.text.ReadDotBytes()
	if err != nil {
		return err // the client disconnected
	}
	err = c.take(mail)
	if replyErr := c.result(250, "taken", err); replyErr != nil {
		return replyErr
	}
	c.to = ""
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	if err == nil && c.sink.hangUp {
		return errHungUp
	}
	return nil
}

// take records a mail.
func (c *conversation) take(mail []byte) error {
	got, err := open(bytes.NewReader(mail))
	if err != nil {
		c.sink.set(func(s *sink) { s.trouble = append(s.trouble, err) })
		return err
	}
	if got.To != c.to {
		c.sink.set(func(s *sink) {
			s.trouble = append(s.trouble, errors.New("the envelope is for "+c.to+" and the mail for "+got.To))
		})
	}
	got.TLS, got.User = c.encrypted, c.user
	c.sink.mu.Lock()
	answer := c.sink.onData
	c.sink.mu.Unlock()
	c.sink.arrived <- got
	if answer != nil {
		return answer()
	}
	return nil
}

// open parses a mail as a mail program does.
func open(r io.Reader) (got received, err error) {
	msg, err := mail.ReadMessage(r)
	if err != nil {
		return got, err
	}
	to, err1 := msg.Header.AddressList("To")
	from, err2 := msg.Header.AddressList("From")
	subject, err3 := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	_, err4 := msg.Header.Date()
	kind, params, err5 := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return got, err
	}
	if kind != "multipart/alternative" || len(to) != 1 || len(from) != 1 || msg.Header.Get("Message-Id") == "" {
		return got, errors.New("the mail is " + kind + ", or not from one to one, or without an id")
	}
	got.To, got.From, got.Subject = to[0].Address, from[0].Name+" <"+from[0].Address+">", subject
	for parts := multipart.NewReader(msg.Body, params["boundary"]); ; {
		part, err := parts.NextPart() // decodes quoted-printable
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		var body io.Reader = part
		if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") {
			body = base64.NewDecoder(base64.StdEncoding, part)
		}
		b, err := io.ReadAll(body)
		if err != nil {
			return got, err
		}
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
		kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		switch {
		case err != nil || !strings.EqualFold(params["charset"], "UTF-8"):
			return got, errors.New("a part is " + part.Header.Get("Content-Type"))
		case kind == "text/plain":
			got.Text = string(b)
		case kind == "text/html":
			got.HTML = string(b)
		}
	}
}

// next waits for a mail.
func (s *sink) next(t *testing.T) received {
	t.Helper()
	select {
	case m := <-s.arrived:
		return m
	case <-t.Context().Done():
		t.Fatal("no mail came")
	case <-time.After(time.Minute):
		t.Fatal("no mail came within a minute")
	}
	return received{}
}

// all returns the mails received so far.
func (s *sink) all() []received {
	var list []received
	for {
		select {
		case m := <-s.arrived:
			list = append(list, m)
		default:
			return list
		}
	}
}

// certificate returns a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	cert, key := certtest.Issue(t, 1)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pair, pool
}

// mailer returns a Mailer for the sink.
func (s *sink) mailer(t *testing.T, scheme, userinfo, query string) *Mailer {
	t.Helper()
	m, err := NewMailer(scheme + "://" + userinfo + s.addr + "?from=nadmor@hospital.example" + query)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
