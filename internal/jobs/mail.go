package jobs

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"nadmor/internal/hospital"
)

// Mailer sends mail through the hospital's SMTP server.
type Mailer struct {
	host    string
	from    string
	secure  bool // implicit TLS
	tls     *tls.Config
	options []gomail.Option
	grace   time.Duration
}

const (
	// sendTimeout is the timeout for connecting, and again for sending the mail. It must not be short, because a
	// mail that was accepted without an answer is sent again.
	sendTimeout = 45 * time.Second
	// sendGrace is how long sending may continue when the node stops. Most mails are sent by then, and one that
	// was accepted without an answer would be sent again.
	sendGrace = 4 * time.Second
)

// NewMailer parses an address such as smtp://user:password@host:587?from=nadmor@hospital.go.th. smtp://
// upgrades to TLS if the server supports it, smtps:// uses implicit TLS, and ?tls=required requires TLS.
// Other options are errors. A password is never sent unencrypted.
func NewMailer(address string) (*Mailer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: not an address") // err may contain the password
	}
	options, err := mailOptions(u)
	if err != nil {
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: %w", err)
	}
	m := &Mailer{host: u.Hostname(), secure: u.Scheme == "smtps", from: options.Get("from"), grace: sendGrace}
	m.tls = &tls.Config{ServerName: m.host, MinVersion: tls.VersionTLS12}
	port, policy := 25, gomail.TLSOpportunistic
	switch {
	case m.secure:
		port = 465
	case u.Scheme != "smtp":
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: it must begin with smtp:// or smtps://")
	case options.Has("tls"):
		policy = gomail.TLSMandatory
	}
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil {
			return nil, fmt.Errorf("read NADMOR_SMTP_URL: port %q", p)
		}
	}
	if m.from == "" {
		m.from = "nadmor@" + m.host
	}
	if a, err := mail.ParseAddress(m.from); err != nil || a.Address != m.from {
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: from=%q is not an address", m.from)
	}
	m.options = []gomail.Option{
		gomail.WithTimeout(sendTimeout), gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(m.tls), gomail.WithPort(port),
	}
	if u.User != nil {
		password, _ := u.User.Password()
		m.options = append(m.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	if _, err := gomail.NewClient(m.host, m.options...); err != nil {
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: %w", err)
	}
	return m, nil
}

// plainWord matches option names that are safe to repeat in an error.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,30}$`)

// mailOptions parses the options. Unknown ones are errors, because a misspelled tls=required would send mail
// unencrypted. An error names the option unless it may be a part of the password, which is cut at ?, # or /.
func mailOptions(u *url.URL) (url.Values, error) {
	cut := errors.New("there is something behind the server's name that is neither from=… nor tls=required (special " +
		"characters in user name and password are percent-encoded)")
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return nil, cut
	}
	_, hasPassword := u.User.Password()
	for _, name := range slices.Sorted(maps.Keys(options)) {
		value := options.Get(name)
		switch {
		case name == "from" || name == "tls":
		case !plainWord.MatchString(name), !hasPassword && strings.Contains(u.RawQuery, "@"):
			return nil, cut
		default:
			return nil, fmt.Errorf("unknown option %q; the options are from=… and tls=required", name)
		}
		if len(options[name]) > 1 {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		if name == "tls" && value != "required" {
			return nil,
				errors.New("tls can only be required; without it mail is encrypted where the server can, and smtps:// encrypts " +
					"from the start")
		}
	}
	return options, nil
}

// message is a mail to one recipient.
type message struct {
	fromName, to, subject, text, html string
}

// Send sends a mail. It stops soon after ctx ends.
func (m *Mailer) Send(ctx context.Context, msg message) error {
	out := gomail.NewMsg()
	out.SetAddrHeaderFromMailAddress(gomail.HeaderFrom, &mail.Address{Name: msg.fromName, Address: m.from})
	if err := out.To(msg.to); err != nil {
		return fmt.Errorf("recipient: %w: %w", errNever, without(err, msg.to))
	}
	out.Subject(msg.subject)
	out.SetDate()
	out.SetMessageID()
	out.SetBodyString(gomail.TypeTextPlain, msg.text)
	out.AddAlternativeString(gomail.TypeTextHTML, msg.html)
	client, err := gomail.NewClient(m.host,
		append(slices.Clone(m.options), gomail.WithDialContextFunc(m.dialUntil(ctx)))...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, out)
	// The server accepted the mail and closed the connection without an answer. Sending it again would duplicate
	// it.
	if err == nil || out.IsDelivered() {
		return nil
	}
	if sendErr, ok := errors.AsType[*gomail.SendError](err); ok && sendErr.ErrorCode() >= 500 {
		return fmt.Errorf("send mail: %w: %w", errNever, without(err, msg.to))
	}
	return fmt.Errorf("send mail: %w", without(err, msg.to))
}

// without removes a recipient's address from an error, which libraries and servers repeat, because errors are
// logged.
func without(err error, address string) error {
	if address == "" {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), address, "…"))
}

// dialUntil returns a dialer whose connections are closed soon after ctx ends. The library uses its context
// only for connecting, and a hanging server must not delay a stop.
func (m *Mailer) dialUntil(ctx context.Context) gomail.DialContextFunc {
	return func(connecting context.Context, network, address string) (conn net.Conn, err error) {
		dialer := new(net.Dialer)
		if m.secure {
			conn, err = (&tls.Dialer{NetDialer: dialer, Config: m.tls}).DialContext(connecting, network, address)
		} else {
			conn, err = dialer.DialContext(connecting, network, address)
		}
		if err == nil {
			context.AfterFunc(ctx, func() { time.AfterFunc(m.grace, func() { _ = conn.Close() }) })
		}
		return conn, err
	}
}

var linkHTML = template.Must(template.New("link").Parse(`<!doctype html>
<html lang="th"><body style="font:16px/1.6 sans-serif;color:#1c2528">
<p>เรียน คุณ{{.Name}}</p><p>{{.Why}}</p>
<p><a href="{{.Link}}" style="display:inline-block;background:#0f766e;color:#fff;padding:10px 18px;
border-radius:6px;text-decoration:none">ตั้งรหัสผ่าน</a></p>
<p>หรือคัดลอกที่อยู่นี้ไปเปิดในเบราว์เซอร์<br>{{.Link}}</p>
<p>{{.Until}}</p><p>{{.Ignore}}</p><p>{{.Hospital}}</p></body></html>`))

// linkMail returns the mail with a link to set a password.
func linkMail(invite bool, hospitalName string, u hospital.User, link string, expires time.Time) message {
	data := map[string]string{
		"Name": u.Name, "Link": link, "Hospital": hospitalName,
		"Why":    fmt.Sprintf("มีผู้ขอตั้งรหัสผ่านใหม่สำหรับบัญชี %s ในระบบนัดหมอ", u.Username),
		"Until":  "ลิงก์นี้ใช้ได้ครั้งเดียว จนถึงวันที่ " + hospital.ThaiDateTime(expires),
		"Ignore": "หากท่านไม่ได้เป็นผู้ขอ ไม่ต้องทำสิ่งใด รหัสผ่านเดิมยังใช้ได้ตามปกติ",
	}
	subject := "ตั้งรหัสผ่านใหม่ – " + hospitalName
	if invite {
		subject = "คำเชิญเข้าใช้ระบบนัดหมอ – " + hospitalName
		data["Why"] = fmt.Sprintf("ผู้ดูแลระบบได้เปิดบัญชี %s ให้ท่านในระบบนัดหมอ กรุณาตั้งรหัสผ่านก่อนเข้าใช้ครั้งแรก",
			u.Username)
		data["Ignore"] = "หากท่านไม่รู้จักระบบนี้ ไม่ต้องทำสิ่งใด"
	}
	var html bytes.Buffer
	if err := linkHTML.Execute(&html, data); err != nil {
		panic(err) // a template over a map of strings cannot fail
	}
	text := fmt.Sprintf("เรียน คุณ%s\n\n%s\n\n%s\n\n%s\n%s\n\n%s\n", data["Name"], data["Why"], link, data["Until"],
		data["Ignore"], hospitalName)
	return message{hospitalName, u.Email, subject, text, html.String()}
}
