package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
)

func TestNewMailerErrors(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"no scheme":                         "mail.hospital.example:25",
		"another scheme":                    "https://user:s3cret@mail.hospital.example",
		"no server":                         "smtp://",
		"no server but a user":              "smtp://user:s3cret@",
		"no slashes":                        "smtp:user:s3cret@mail.hospital.example",
		"a port that is no number":          "smtp://user:s3cret@mail.hospital.example:mail",
		"a port beyond all ports":           "smtp://user:s3cret@mail.hospital.example:99999",
		"port zero":                         "smtp://user:s3cret@mail.hospital.example:0",
		"a password with a hash":            "smtp://user:s3cret#1@mail.hospital.example",
		"a password with a slash":           "smtp://user:s3cret/1@mail.hospital.example",
		"a password with a percent":         "smtp://user:s3cret%zz@mail.hospital.example",
		"a control character":               "smtp://user:s3cret@mail.hospital.example\n",
		"a sender that is no address":       "smtp://user:s3cret@mail.hospital.example?from=nadmor",
		"a sender with a header behind it":  "smtp://user:s3cret@mail.hospital.example?from=a@b.co%0d%0aBcc:c@d.co",
		"a sender with a name":              "smtp://user:s3cret@mail.hospital.example?from=Nadmor+%3Ca@b.co%3E",
		"a space in the name of the server": "smtp://user:s3cret@mail hospital",
		"an unknown option":                 "smtp://user:s3cret@mail.hospital.example?form=a@hospital.go.th",
		"an option in capitals":             "smtp://user:s3cret@mail.hospital.example?TLS=required",
		"an unknown value":                  "smtp://user:s3cret@mail.hospital.example?tls=requierd",
		"an option without a value":         "smtp://user:s3cret@mail.hospital.example?tls",
		"an option twice":                   "smtp://user:s3cret@mail.hospital.example?from=a@b.co&from=b@b.co",
		"a semicolon between options":       "smtp://user:s3cret@mail.hospital.example?tls=required;from=a@hospital.go.th",
		"options behind a hash":             "smtp://user:s3cret@mail.hospital.example#tls=required",
		"options behind a slash":            "smtp://user:s3cret@mail.hospital.example/tls=required",
		"a password with a question mark":   "smtp://user:1?s3cret@mail.hospital.example",
		"one with an ampersand, too":        "smtp://user:1?s3cret&2@mail.hospital.example?tls=required",
		"one with an equals sign":           "smtp://user:1?s3cret=2@mail.hospital.example",
		"a user who is an address":          "smtp://user@hospital.example:1?s3cret&2=3@mail.hospital.example",
		"a number and a hash":               "smtp://user:1#s3cret@mail.hospital.example",
		"a number and a slash":              "smtp://user:1/s3cret@mail.hospital.example",
		"nothing":                           "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := NewMailer(address)
			if err == nil {
				t.Fatalf("%q is accepted: %+v", address, m)
			}
			// The error is logged and printed.
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the password is shown: %v", err)
			}
			if !strings.Contains(err.Error(), "NADMOR_SMTP_URL") {
				t.Errorf("nobody learns what to correct: %v", err)
			}
		})
	}
}

func TestNewMailerUnknownOption(t *testing.T) {
	t.Parallel()
	for query, named := range map[string]string{
		"form=a@hospital.go.th": `"form"`, "tls=required&timeout=5": `"timeout"`, "tls=off": "tls",
		"tls=required&tls=required": "tls",
	} {
		if _, err := NewMailer("smtp://user:s3cret@mail.hospital.example?" + query); err == nil ||
			!strings.Contains(err.Error(), named) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestNewMailerURL(t *testing.T) {
	t.Parallel()
	for address, from := range map[string]string{
		"smtp://mail.hospital.example":                                             "nadmor@mail.hospital.example",
		"smtp://mail.hospital.example:587?from=no-reply@hospital.go.th":            "no-reply@hospital.go.th",
		"smtps://nadmor:p%40ss%2Fword%3A1@mail.hospital.example:465":               "nadmor@mail.hospital.example",
		"smtp://nadmor:x@mail.hospital.example?tls=required&from=a@hospital.go.th": "a@hospital.go.th",
		"smtp://mail.hospital.example/":                                            "nadmor@mail.hospital.example",
		"smtps://mail.hospital.example?tls=required":                               "nadmor@mail.hospital.example",
		"smtp://127.0.0.1:2525":                                                    "nadmor@127.0.0.1",
	} {
		m, err := NewMailer(address)
		if err != nil {
			t.Errorf("%s is refused: %v", address, err)
		} else if m.from != from {
			t.Errorf("%s sends from %s, want %s", address, m.from, from)
		}
	}
}

func TestMailTLS(t *testing.T) {
	t.Parallel()
	const account = "nadmor:p%40ss%2Fword%3A1@"
	cases := map[string]struct {
		server                  sinkOptions
		scheme, userinfo, query string
		trusted                 bool
		sent, encrypted         bool
		user                    string
	}{
		"a plain server gets it plainly": {server: sinkOptions{}, scheme: "smtp", sent: true},
		"a server that can encrypt gets it encrypted": {
			server: sinkOptions{startTLS: true}, scheme: "smtp", trusted: true, sent: true, encrypted: true,
		},
		"a server that nobody vouches for gets nothing": {server: sinkOptions{startTLS: true}, scheme: "smtp"},
		"where TLS is required a server that can gets it": {
			server: sinkOptions{startTLS: true}, scheme: "smtp", query: "&tls=required", trusted: true, sent: true,
			encrypted: true,
		},
		"where TLS is required one that cannot gets nothing": {
			server: sinkOptions{}, scheme: "smtp", query: "&tls=required",
		},
		"smtps is TLS from the first byte": {
			server: sinkOptions{implicitTLS: true}, scheme: "smtps", trusted: true, sent: true, encrypted: true,
		},
		"smtps to a server that nobody vouches for sends nothing": {server: sinkOptions{implicitTLS: true}, scheme: "smtps"},
		"smtps to a plain server sends nothing": {
			server: sinkOptions{auth: true}, scheme: "smtps", userinfo: account, trusted: true,
		},
		"name and password go over TLS": {
			server: sinkOptions{implicitTLS: true, auth: true}, scheme: "smtps", userinfo: account, trusted: true, sent: true,
			encrypted: true, user: "nadmor",
		},
		"and over a connection that was upgraded": {
			server: sinkOptions{startTLS: true, auth: true}, scheme: "smtp", userinfo: account, trusted: true, sent: true,
			encrypted: true, user: "nadmor",
		},
		"and never in the clear, even to a server that accepts it": {
			server: sinkOptions{auth: true}, scheme: "smtp", userinfo: account,
		},
		"a wrong password sends nothing": {
			server: sinkOptions{implicitTLS: true, auth: true}, scheme: "smtps", userinfo: "nadmor:wrong@", trusted: true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSink(t, c.server)
			m := s.mailer(t, c.scheme, c.userinfo, c.query)
			if c.trusted {
				m.tls.RootCAs = s.pool
			}
			err := m.Send(t.Context(), message{"โรงพยาบาล", "somchai@hospital.example", "เรื่อง", "ข้อความ", "<p>ข้อความ</p>"})
			got := s.all()
			if (err == nil) != c.sent || len(got) != map[bool]int{true: 1}[c.sent] {
				t.Fatalf("Send answers %v, and %d mails arrived", err, len(got))
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.attempts) > 0 && !c.server.startTLS && !c.server.implicitTLS {
				t.Errorf("the password was sent in the clear: %q", s.attempts)
			}
			if err != nil && (strings.Contains(err.Error(), "p@ss") || strings.Contains(err.Error(), "wrong")) {
				t.Errorf("the password is shown: %v", err)
			}
			if c.sent && (got[0].TLS != c.encrypted || got[0].User != c.user) {
				t.Errorf("encrypted: %v, signed in as %q", got[0].TLS, got[0].User)
			}
		})
	}
}

// The hospital's name is used as the sender, whatever characters it has.
func TestMailSender(t *testing.T) {
	t.Parallel()
	s := newSink(t, sinkOptions{})
	m := s.mailer(t, "smtp", "", "")
	for _, name := range []string{
		"โรงพยาบาลศรีนคร", `โรงพยาบาล "ใจดี"`, `C:\hospital`, "O'Brien, Smith & Sons <clinic>", "Plain",
		strings.Repeat("โรงพยาบาลชื่อยาว", 8),
		"Evil\r\nBcc: all@hospital.example",
	} {
		if err := m.Send(t.Context(), message{
			name, "somchai@hospital.example", "เรื่อง – " + name, "ข้อความ", "<p>ข้อความ</p>",
		}); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		got := s.next(t)
		if d := cmp.Diff(name+" <nadmor@hospital.example>", got.From); d != "" {
			t.Errorf("the sender (-want +got):\n%s", d)
		}
		if d := cmp.Diff("เรื่อง – "+name, got.Subject); d != "" {
			t.Errorf("the subject (-want +got):\n%s", d)
		}
	}
}

// Names are shown unchanged and escaped.
func TestMailEscapesHTML(t *testing.T) {
	t.Parallel()
	u := hospital.User{Name: `<script>alert("x")</script>&`, Username: `<img/src=x>`, Email: "x@hospital.example"}
	for name, invite := range map[string]bool{"a new password": false, "an invitation": true} {
		m := linkMail(invite, `<b>โรงพยาบาล</b>`, u, `https://nadmor.example/?a=1&b="><script>#token=T`, time.Unix(0, 0))
		for _, bad := range []string{"<script", "<img", "<b>", `b=">`} {
			if strings.Contains(m.html, bad) {
				t.Errorf("%s: the HTML part holds %s:\n%s", name, bad, m.html)
			}
		}
		for _, good := range []string{
			"&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&amp;", "&lt;img/src=x&gt;", "&lt;b&gt;โรงพยาบาล&lt;/b&gt;",
		} {
			if !strings.Contains(m.html, good) {
				t.Errorf("%s: the HTML part lacks %s:\n%s", name, good, m.html)
			}
		}
		// The text part contains it unchanged.
		if !strings.Contains(m.text, u.Name) || !strings.Contains(m.text, u.Username) {
			t.Errorf("%s: the text part is\n%s", name, m.text)
		}
	}
}
