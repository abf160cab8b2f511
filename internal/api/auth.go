package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type credentials struct {
	Username string `json:"username" maxLength:"254" doc:"Username or email address"`
	Password string `json:"password" maxLength:"200"`
	OTP      string `json:"otp,omitempty" maxLength:"10" doc:"One-time code, when the account uses them"`
}

type loginInput struct {
	UserAgent string `header:"User-Agent" hidden:"true"`
	body[credentials]
}

type signedInUser struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Role     string `json:"role" doc:"Code of the role"`
}

type loginResult struct {
	AccessToken        string       `json:"accessToken"`
	SmqAccessToken     string       `json:"smqAccessToken" doc:"For the customers calls"`
	ExpiresAt          time.Time    `json:"expiresAt"`
	MustChangePassword bool         `json:"mustChangePassword"`
	User               signedInUser `json:"user"`
}

// login checks name, password and one-time code. An unknown name, a wrong
// password and a wrong code are answered alike and take as long; what state the
// account is in is told only to who has its password.
func (s *Server) login(ctx context.Context, in *loginInput) (out loginResult, err error) {
	addr := hospital.ActorFrom(ctx).Addr
	c, err := s.DB.BeginLogin(ctx, in.Body.Username, addr)
	if err != nil {
		return out, err
	}
	period, err := s.prove(ctx, c, in.Body)
	if hospital.CodeOf(err) == hospital.OTPRequired {
		return out, errors.Join(err, s.DB.ForgiveAttempt(ctx, in.Body.Username, addr))
	}
	if code := hospital.CodeOf(err); err != nil {
		if code == hospital.Internal {
			return out, err
		}
		return out, errors.Join(err, s.DB.FailLogin(ctx, c, string(code)))
	}
	session, err := s.DB.StartSession(ctx, c, in.Body.Username, browserName(in.UserAgent), period)
	if err != nil {
		return out, err
	}
	claims := auth.Claims{UserID: c.UserID, Name: c.Name, Role: c.Role, SessionID: session.ID, IssuedAt: session.CreatedAt, ExpiresAt: session.ExpiresAt}
	access, err1 := s.Tokens.Sign(claims, auth.AudienceAdmin)
	customer, err2 := s.Tokens.Sign(claims, auth.AudienceCustomer)
	return loginResult{access, customer, session.ExpiresAt, c.MustChange, signedInUser{c.UserID, c.Name, c.Username, c.Role}}, errors.Join(err1, err2)
}

// prove returns the period of the one-time code that was used, 0 for none.
func (s *Server) prove(ctx context.Context, c store.Credentials, in credentials) (period int64, err error) {
	ok, err := s.Hasher.Verify(ctx, c.PasswordHash, in.Password)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, hospital.Refuse(hospital.InvalidCredentials)
	}
	switch c.Status {
	case hospital.UserPending:
		return 0, hospital.Refuse(hospital.AccountPending)
	case hospital.UserSuspended:
		return 0, hospital.Refuse(hospital.AccountSuspended)
	case hospital.UserActive:
	}
	if !c.TOTPEnabled {
		return 0, nil
	}
	if in.OTP == "" {
		return 0, hospital.Refuse(hospital.OTPRequired)
	}
	return s.checkOTP(c, in.OTP)
}

func (s *Server) checkOTP(c store.Credentials, code string) (period int64, err error) {
	secret, err := s.Box.Open(c.TOTPSecret, fmt.Sprint(c.UserID))
	if err != nil {
		return 0, err
	}
	period, ok := auth.CheckTOTP(secret, code, s.DB.Now(), c.TOTPUsed)
	if !ok {
		return 0, hospital.Refuse(hospital.InvalidCredentials).Because("รหัสยืนยัน 6 หลักไม่ถูกต้องหรือหมดเวลาแล้ว กรุณากรอกรหัสที่แอปแสดงอยู่", "The code is not correct or has expired. Enter the one the app shows now.")
	}
	return period, nil
}

// browserName is what a browser says it is, as a session keeps it: not endless,
// and text, whatever was sent and wherever it is cut.
func browserName(userAgent string) string {
	return strings.ToValidUTF8(userAgent[:min(len(userAgent), 200)], "")
}

func (s *Server) logout(ctx context.Context, _ *struct{}) (null, error) {
	return nothing(s.DB.Logout(ctx))
}

func (s *Server) ownPermissions(ctx context.Context, _ *struct{}) ([]hospital.Permission, error) {
	return hospital.ActorFrom(ctx).Permissions.List(), nil
}

// me is the signed-in person.
type me struct {
	hospital.User
	Permissions []hospital.Permission `json:"permissions"`
	Services    []hospital.ServiceRef `json:"services" doc:"The services the caller works for"`
	SessionID   string                `json:"sessionId"`
	// CardReaderURL is where the caller's browser asks for the card in the
	// reader on the same machine.
	CardReaderURL string `json:"cardReaderUrl" doc:"Address of the card reader on the caller's machine; empty for none"`
}

func (s *Server) me(ctx context.Context, _ *struct{}) (me, error) {
	a := hospital.ActorFrom(ctx)
	user, err := s.DB.User(ctx, a.UserID)
	if err != nil {
		return me{}, err
	}
	services, err := s.DB.ListServices(ctx, true)
	own := []hospital.ServiceRef{}
	for _, service := range services {
		if slices.Contains(user.ServiceIDs, service.ID) {
			own = append(own, service.Ref())
		}
	}
	return me{user, a.Permissions.List(), own, a.SessionID, s.CardReaderURL}, err
}

// confirmPassword checks the password of the person who is signed in. Guesses
// are counted: a browser left open is not a way to learn its owner's password.
func (s *Server) confirmPassword(ctx context.Context, password, field string) (store.Credentials, error) {
	c, err := s.DB.OwnCredentials(ctx)
	if err != nil {
		return c, err
	}
	if err := s.DB.GuardPassword(ctx); err != nil {
		return c, err
	}
	ok, err := s.Hasher.Verify(ctx, c.PasswordHash, password)
	if err != nil {
		return c, err
	}
	if !ok {
		return c, hospital.Refuse(hospital.ValidationFailed).On(field, "รหัสผ่านปัจจุบันไม่ถูกต้อง", "The current password is not correct.")
	}
	return c, s.DB.ForgivePassword(ctx)
}

func (s *Server) changePassword(ctx context.Context, in *body[hospital.PasswordChange]) (null, error) {
	if err := in.Body.Check(hospital.ActorFrom(ctx).Username); err != nil {
		return null{}, err
	}
	if _, err := s.confirmPassword(ctx, in.Body.CurrentPassword, "currentPassword"); err != nil {
		return null{}, err
	}
	hash, err := s.Hasher.Hash(ctx, in.Body.NewPassword)
	if err != nil {
		return null{}, err
	}
	return nothing(s.DB.ChangeOwnPassword(ctx, hash))
}

func (s *Server) register(ctx context.Context, in *body[hospital.Registration]) (null, error) {
	hash, err := s.Hasher.Hash(ctx, in.Body.Password)
	if err != nil {
		return null{}, err
	}
	return nothing(s.DB.Register(ctx, in.Body, hash))
}

type emailBody struct {
	Email string `json:"email" maxLength:"254"`
}

func (s *Server) forgotPassword(ctx context.Context, in *body[emailBody]) (null, error) {
	return nothing(s.DB.RequestReset(ctx, in.Body.Email))
}

type resetBody struct {
	Token    string `json:"token" maxLength:"100"`
	Password string `json:"password" maxLength:"200"`
}

func (s *Server) resetPassword(ctx context.Context, in *body[resetBody]) (null, error) {
	_, username, err := s.DB.ResetTarget(ctx, in.Body.Token)
	if err != nil {
		return null{}, err
	}
	var c hospital.Checker
	c.Password(in.Body.Password, "password", username)
	if err := c.Err(); err != nil {
		return null{}, err
	}
	hash, err := s.Hasher.Hash(ctx, in.Body.Password)
	if err != nil {
		return null{}, err
	}
	return nothing(s.DB.ResetPassword(ctx, in.Body.Token, hash))
}

type totpBody struct {
	OTP      string `json:"otp,omitempty" maxLength:"10"`
	Password string `json:"password,omitempty" maxLength:"200"`
}

type totpSetup struct {
	Secret string `json:"secret"`
	URI    string `json:"uri" doc:"What the QR code says"`
}

// setUpTOTP makes a new secret that counts only once a code of it was shown.
func (s *Server) setUpTOTP(ctx context.Context, in *body[totpBody]) (totpSetup, error) {
	c, err := s.confirmPassword(ctx, in.Body.Password, "password")
	if err != nil {
		return totpSetup{}, err
	}
	if c.TOTPEnabled {
		return totpSetup{}, hospital.Refuse(hospital.ValidationFailed).On("otp", "เปิดใช้ยืนยันตัวตนสองขั้นอยู่แล้ว กรุณาปิดก่อนตั้งใหม่", "Two-step sign-in is on already. Turn it off first.")
	}
	setting, err := s.DB.Setting(ctx)
	if err != nil {
		return totpSetup{}, err
	}
	secret, uri, err := auth.NewTOTP("Nadmor "+setting.NameEn, c.Username)
	if err != nil {
		return totpSetup{}, err
	}
	return totpSetup{secret, uri}, s.DB.SetTOTP(ctx, s.Box.Seal(secret, fmt.Sprint(c.UserID)), false, 0)
}

func (s *Server) enableTOTP(ctx context.Context, in *body[totpBody]) (null, error) {
	c, err := s.DB.OwnCredentials(ctx)
	if err != nil {
		return null{}, err
	}
	if err := s.DB.GuardPassword(ctx); err != nil {
		return null{}, err
	}
	if c.TOTPSecret == "" || c.TOTPEnabled {
		return null{}, hospital.Refuse(hospital.ValidationFailed).On("otp", "กรุณาเริ่มตั้งค่ายืนยันตัวตนสองขั้นก่อน", "Start the set-up of two-step sign-in first.")
	}
	period, err := s.checkOTP(c, in.Body.OTP)
	if err != nil {
		return null{}, otpField(err)
	}
	return nothing(errors.Join(s.DB.SetTOTP(ctx, c.TOTPSecret, true, period), s.DB.ForgivePassword(ctx)))
}

// disableTOTP needs the password and a code: a stolen session has neither.
func (s *Server) disableTOTP(ctx context.Context, in *body[totpBody]) (null, error) {
	c, err := s.confirmPassword(ctx, in.Body.Password, "password")
	if err != nil {
		return null{}, err
	}
	if c.TOTPEnabled {
		if _, err := s.checkOTP(c, in.Body.OTP); err != nil {
			return null{}, otpField(err)
		}
	}
	return nothing(s.DB.SetTOTP(ctx, "", false, 0))
}

// otpField tells a wrong code of somebody who is signed in as a wrong field,
// not as a lost session.
func otpField(err error) error {
	var e *hospital.Error
	if errors.As(err, &e) && e.Code == hospital.InvalidCredentials {
		return hospital.Refuse(hospital.ValidationFailed).On("otp", e.Message.TH, e.Message.EN)
	}
	return err
}

func (s *Server) ownSessions(ctx context.Context, _ *struct{}) ([]hospital.Session, error) {
	return s.DB.Sessions(ctx, hospital.ActorFrom(ctx).UserID)
}

type endSessionsBody struct {
	SessionID string `json:"sessionId,omitempty" maxLength:"64" doc:"One session; all when absent"`
}

type ended struct {
	Ended int64 `json:"ended"`
}

func (s *Server) endOwnSessions(ctx context.Context, in *body[endSessionsBody]) (ended, error) {
	n, err := s.DB.EndSessions(ctx, hospital.ActorFrom(ctx).UserID, in.Body.SessionID)
	return ended{n}, err
}
