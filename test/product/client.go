package product

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"time"
)

// Client is an API client. After SignIn its methods may be called concurrently.
type Client struct {
	Base  string
	Token string // access token
	HTTP  *http.Client
}

// NewClient returns a client with a timeout.
func NewClient(base string, timeout time.Duration) *Client {
	return &Client{
		Base: base,
		HTTP: &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}},
	}
}

// RejectedError is an error response in the envelope.
type RejectedError struct {
	Status int
	Code   string
	Text   string
}

func (r *RejectedError) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Text) }

// Header is an additional request header.
type Header struct{ Name, Value string }

// Call sends body as JSON unless it is nil, and decodes the data of the response into the last argument
// unless that is nil. It returns a *RejectedError for an error response, and another error if the response is
// not in the envelope.
func (c *Client) Call(ctx context.Context, method, path string, body, into any, headers ...Header) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
		headers = append(headers, Header{"Content-Type", "application/json"})
	}
	answer, err := c.Send(ctx, method, path, sent, headers...)
	if err != nil {
		return err
	}
	return readEnvelope(answer, into)
}

// Answer is a response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send sends a request with any body.
func (c *Client) Send(ctx context.Context, method, path string, body io.Reader, headers ...Header) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, body)
	if err != nil {
		return Answer{}, err
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for _, h := range headers {
		req.Header.Set(h.Name, h.Value)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close() // the read error is returned
	text, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header, text}, err
}

func readEnvelope(a Answer, into any) error {
	var envelope struct {
		Success *bool           `json:"success"`
		Data    json.RawMessage `json:"data"`
		Error   struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(a.Body, &envelope); err != nil || envelope.Success == nil {
		return fmt.Errorf("%d without an envelope: %.200s", a.Status, a.Body)
	}
	if *envelope.Success != (a.Status == http.StatusOK) {
		return fmt.Errorf("%d with success %t", a.Status, *envelope.Success)
	}
	if !*envelope.Success {
		return &RejectedError{a.Status, envelope.Error.Code, envelope.Error.Message}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(envelope.Data, into)
}

// SignIn sets the token.
func (c *Client) SignIn(ctx context.Context, username, password string) error {
	var answer struct{ AccessToken string }
	err := c.Call(ctx, http.MethodPost, "/admin/api/v1.0/auth/login",
		map[string]string{"username": username, "password": password}, &answer)
	c.Token = answer.AccessToken
	return err
}

// PDF is a small valid document.
const PDF = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n " +
	"\ntrailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n50\n%%EOF\n"

// Upload sends a form with text fields and a file.
func (c *Client) Upload(ctx context.Context, path string, texts map[string]string, name, kind string, content []byte,
	into any) error {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for key, text := range texts {
		if err := form.WriteField(key, text); err != nil {
			return err
		}
	}
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, name)}, "Content-Type": {kind},
	})
	if err != nil {
		return err
	}
	if _, err := part.Write(content); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	answer, err := c.Send(ctx, http.MethodPost, path, &b, Header{"Content-Type", form.FormDataContentType()})
	if err != nil {
		return err
	}
	return readEnvelope(answer, into)
}
