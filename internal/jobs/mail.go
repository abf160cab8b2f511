package jobs

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"nadmor/internal/hospital"
)

// Mailer sends mail through the hospital's SMTP server.
type Mailer struct {
	client *gomail.Client
	from   string
}

// NewMailer reads smtp://user:password@host:587?from=nadmor@hospital.go.th.
// smtp:// upgrades to TLS where the server can; smtps:// speaks TLS from the
// start; ?tls=required refuses to go on without it.
func NewMailer(address string) (*Mailer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: not an address") // the text may hold the password
	}
	opts := []gomail.Option{gomail.WithTimeout(20 * time.Second)}
	switch {
	case u.Scheme == "smtps":
		opts = append(opts, gomail.WithSSLPort(false))
	case u.Scheme != "smtp":
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: it must begin with smtp:// or smtps://")
	case u.Query().Get("tls") == "required":
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	if p := u.Port(); p != "" {
		port, err := strconv.Atoi(p)
		if err != nil {
			return nil, fmt.Errorf("read NADMOR_SMTP_URL: port %q", p)
		}
		opts = append(opts, gomail.WithPort(port))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		opts = append(opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	from := u.Query().Get("from")
	if from == "" {
		from = "nadmor@" + u.Hostname()
	}
	if _, err := mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("read NADMOR_SMTP_URL: from=%q is not an address", from)
	}
	client, err := gomail.NewClient(u.Hostname(), opts...)
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	return &Mailer{client, from}, nil
}

// message is one mail to one person.
type message struct {
	fromName, to, subject, text, html string
}

// Send hands the mail to the server.
func (m *Mailer) Send(ctx context.Context, msg message) error {
	out := gomail.NewMsg()
	if err := out.FromFormat(msg.fromName, m.from); err != nil {
		return fmt.Errorf("sender: %w", err)
	}
	if err := out.To(msg.to); err != nil {
		return fmt.Errorf("recipient: %w", err)
	}
	out.Subject(msg.subject)
	out.SetDate()
	out.SetMessageID()
	out.SetBodyString(gomail.TypeTextPlain, msg.text)
	out.AddAlternativeString(gomail.TypeTextHTML, msg.html)
	if err := m.client.DialAndSendWithContext(ctx, out); err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}

var linkHTML = template.Must(template.New("link").Parse(`<!doctype html><html lang="th"><body style="font:16px/1.6 sans-serif;color:#1c2528">
<p>เรียน คุณ{{.Name}}</p><p>{{.Why}}</p>
<p><a href="{{.Link}}" style="display:inline-block;background:#0f766e;color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none">ตั้งรหัสผ่าน</a></p>
<p>หรือคัดลอกที่อยู่นี้ไปเปิดในเบราว์เซอร์<br>{{.Link}}</p><p>{{.Until}}</p><p>{{.Ignore}}</p><p>{{.Hospital}}</p></body></html>`))

// linkMail is the mail with a link to choose a password.
func linkMail(invite bool, hospitalName string, u hospital.User, link string, expires time.Time) message {
	data := map[string]string{
		"Name": u.Name, "Link": link, "Hospital": hospitalName,
		"Why":    fmt.Sprintf("มีผู้ขอตั้งรหัสผ่านใหม่สำหรับบัญชี %s ในระบบนัดหมอ", u.Username),
		"Until":  "ลิงก์นี้ใช้ได้ครั้งเดียว ภายในวันที่ " + hospital.ThaiDateTime(expires),
		"Ignore": "หากคุณไม่ได้เป็นผู้ขอ ไม่ต้องดำเนินการใด ๆ รหัสผ่านเดิมยังใช้ได้ตามปกติ",
	}
	subject := "ตั้งรหัสผ่านใหม่ – " + hospitalName
	if invite {
		subject = "คำเชิญเข้าใช้ระบบนัดหมอ – " + hospitalName
		data["Why"] = fmt.Sprintf("ผู้ดูแลระบบได้สร้างบัญชี %s ให้คุณในระบบนัดหมอ กรุณาตั้งรหัสผ่านก่อนเข้าใช้ครั้งแรก", u.Username)
		data["Ignore"] = "หากคุณไม่รู้จักระบบนี้ ไม่ต้องดำเนินการใด ๆ"
	}
	var html bytes.Buffer
	if err := linkHTML.Execute(&html, data); err != nil {
		panic(err) // a template over a map of texts cannot fail
	}
	text := fmt.Sprintf("เรียน คุณ%s\n\n%s\n\n%s\n\n%s\n%s\n\n%s\n", data["Name"], data["Why"], link, data["Until"], data["Ignore"], hospitalName)
	return message{hospitalName, u.Email, subject, text, html.String()}
}
