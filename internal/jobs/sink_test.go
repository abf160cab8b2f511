package jobs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"nadmor/internal/certtest"
)

// received is a mail as it arrived, taken apart.
type received struct {
	To, From, Subject string
	Text, HTML        string
	TLS               bool
	User              string // who authenticated
}

// sink is a real SMTP server on the loopback interface that keeps what it gets.
type sink struct {
	addr    string
	arrived chan received // every mail, in order

	mu       sync.Mutex
	down     bool           // hang up before the greeting
	onData   func() error   // answer to a mail, after it was read
	onRcpt   func() error   // answer to a recipient
	hangUp   bool           // after having taken a mail
	trouble  []error        // mails that could not be read
	attempts []string       // passwords that came, encrypted or not
	pool     *x509.CertPool // who vouches for the server
}

// sinkOptions say how the server speaks.
type sinkOptions struct{ startTLS, implicitTLS, auth bool }

func newSink(t *testing.T, o sinkOptions) *sink {
	t.Helper()
	s := &sink{arrived: make(chan received, 100)}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &conversation{sink: s, conn: c, auth: o.auth}, nil }))
	server.Domain = "mail.hospital.example"
	server.AllowInsecureAuth = true // so that a client that would send it in the clear could
	server.ErrorLog = quiet{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	if o.startTLS || o.implicitTLS {
		certificate, pool := certificate(t)
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		s.pool = pool
	}
	listener = &moody{listener, s}
	if o.implicitTLS {
		listener = tls.NewListener(listener, server.TLSConfig)
		server.TLSConfig = nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
		s.mu.Lock()
		defer s.mu.Unlock()
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

// quiet drops what the server has to say of clients that hang up.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// moody hangs up on everybody while the server is down.
type moody struct {
	net.Listener
	sink *sink
}

func (m *moody) Accept() (net.Conn, error) {
	for {
		conn, err := m.Listener.Accept()
		if err != nil {
			return nil, err
		}
		m.sink.mu.Lock()
		down := m.sink.down
		m.sink.mu.Unlock()
		if !down {
			return conn, nil
		}
		_ = conn.Close()
	}
}

// conversation is one client's.
type conversation struct {
	sink  *sink
	conn  *smtp.Conn
	auth  bool
	user  string
	to    string
	taken bool
}

func (c *conversation) AuthMechanisms() []string {
	if !c.auth {
		return nil
	}
	return []string{sasl.Plain}
}

func (c *conversation) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		c.sink.set(func(s *sink) { s.attempts = append(s.attempts, password) })
		if username != "nadmor" || password != "p@ss/word:1" {
			return smtp.ErrAuthFailed
		}
		c.user = username
		return nil
	}), nil
}

func (c *conversation) Mail(string, *smtp.MailOptions) error { return nil }
func (c *conversation) Logout() error                        { return nil }

func (c *conversation) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.sink.mu.Lock()
	answer := c.sink.onRcpt
	c.sink.mu.Unlock()
	if answer != nil {
		return answer()
	}
	c.to = to
	return nil
}

func (c *conversation) Data(r io.Reader) error {
	got, err := open(r)
	if err != nil {
		c.sink.set(func(s *sink) { s.trouble = append(s.trouble, err) })
		return err
	}
	if got.To != c.to {
		c.sink.set(func(s *sink) {
			s.trouble = append(s.trouble, errors.New("the envelope is for "+c.to+" and the mail for "+got.To))
		})
	}
	_, got.TLS = c.conn.TLSConnectionState()
	got.User = c.user
	c.sink.mu.Lock()
	answer := c.sink.onData
	c.sink.mu.Unlock()
	c.sink.arrived <- got
	if answer != nil {
		return answer()
	}
	c.taken = true
	return nil
}

// Reset comes after a mail was answered.
func (c *conversation) Reset() {
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	if c.taken && c.sink.hangUp {
		_ = c.conn.Conn().Close()
	}
}

// open takes a mail apart as a mail program does.
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
		part, err := parts.NextPart() // undoes quoted-printable
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

// all returns what has arrived by now.
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

// certificate makes one for 127.0.0.1 that vouches for itself.
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

// mailer is one that sends to the sink.
func (s *sink) mailer(t *testing.T, scheme, userinfo, query string) *Mailer {
	t.Helper()
	m, err := NewMailer(scheme + "://" + userinfo + s.addr + "?from=nadmor@hospital.example" + query)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
