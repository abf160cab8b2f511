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
	OTP      string `json:"otp,omitempty" maxLength:"10" doc:"One-time code, if the account has them enabled"`
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
	SmqAccessToken     string       `json:"smqAccessToken" doc:"For the customers operations"`
	ExpiresAt          time.Time    `json:"expiresAt"`
	MustChangePassword bool         `json:"mustChangePassword"`
	User               signedInUser `json:"user"`
}

// login checks username, password and one-time code. An unknown username, a wrong password and a wrong code
// give the same error after the same time. The status of the account is returned only with a correct
// password.
func (s *Server) login(ctx context.Context, in *loginInput) (out loginResult, err error) {
	c, err := s.DB.BeginLogin(ctx, in.Body.Username, hospital.ActorFrom(ctx).Addr)
	if err != nil {
		return out, err
	}
	period, err := s.checkCredentials(ctx, c, in.Body)
	if err != nil {
		return out, s.failLogin(ctx, c, in.Body.Username, err)
	}
	session, err := s.DB.StartSession(ctx, c, in.Body.Username, browserName(in.UserAgent), period)
	if err != nil {
		return out, s.failLogin(ctx, c, in.Body.Username, err)
	}
	claims := auth.Claims{
		UserID: c.UserID, Name: c.Name, Role: c.Role, SessionID: session.ID, IssuedAt: session.CreatedAt,
		ExpiresAt: session.ExpiresAt,
	}
	access, err1 := s.Tokens.Sign(claims, auth.AudienceAdmin)
	customer, err2 := s.Tokens.Sign(claims, auth.AudienceCustomer)
	return loginResult{
		access, customer, session.ExpiresAt, c.MustChange, signedInUser{c.UserID, c.Name, c.Username, c.Role},
	}, errors.Join(err1, err2)
}

// failLogin records in the audit log why a sign-in was rejected, and returns err. A sign-in
// that only lacks the one-time code, or that the server could not check, is not counted.
func (s *Server) failLogin(ctx context.Context, c store.Credentials, login string, err error) error {
	switch code := hospital.CodeOf(err); code {
	case hospital.OTPRequired, hospital.Internal, hospital.Unavailable:
		return errors.Join(err, s.DB.UncountAttempt(ctx, login))
	default:
		return errors.Join(err, s.DB.FailAttempt(ctx, c, "auth.login", code))
	}
}

// checkCredentials checks password and one-time code. It returns the period of the code, 0 if none was used.
func (s *Server) checkCredentials(ctx context.Context, c store.Credentials, in credentials) (period int64, err error) {
	ok, err := s.Hasher.Verify(ctx, c.PasswordHash, in.Password)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, hospital.Reject(hospital.InvalidCredentials)
	}
	if err := c.Status.MaySignIn(); err != nil {
		return 0, err
	}
	if !c.TOTPEnabled {
		return 0, nil
	}
	if in.OTP == "" {
		return 0, hospital.Reject(hospital.OTPRequired)
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
		return 0,
			hospital.Reject(hospital.InvalidCredentials).Because("รหัสยืนยัน 6 หลักไม่ถูกต้องหรือหมดเวลาแล้ว "+
				"กรุณากรอกรหัสที่แอปแสดงอยู่", "The code is not correct or has expired. Enter the one the app shows now.")
	}
	return period, nil
}

// browserName returns the User-Agent for a session, truncated and as valid UTF-8.
func browserName(userAgent string) string {
	return strings.ToValidUTF8(userAgent[:min(len(userAgent), 200)], "")
}

func (s *Server) logout(ctx context.Context, _ *struct{}) (null, error) {
	return nothing(s.DB.Logout(ctx))
}

func (s *Server) ownPermissions(ctx context.Context, _ *struct{}) ([]hospital.Permission, error) {
	return hospital.ActorFrom(ctx).Permissions.List(), nil
}

// me is the signed-in user.
type me struct {
	hospital.User
	Permissions []hospital.Permission `json:"permissions"`
	Services    []hospital.ServiceRef `json:"services" doc:"Services the caller is assigned to"`
	SessionID   string                `json:"sessionId"`
	// CardReaderURL is requested by the browser to read the card in the reader on the user's machine.
	CardReaderURL string `json:"cardReaderUrl" doc:"URL of the card reader on the caller's machine; empty for none"`
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

// errWrong marks an error caused by a wrong password or one-time code.
var errWrong = errors.New("wrong password or one-time code")

// asFieldError turns INVALID_CREDENTIALS into VALIDATION_FAILED on a field: to a signed-in
// user it means a wrong input, not a lost session. Other errors are returned as they are.
func asFieldError(field string, err error) error {
	var e *hospital.Error
	if errors.As(err, &e) && e.Code == hospital.InvalidCredentials {
		return errors.Join(hospital.Reject(hospital.ValidationFailed).On(field, e.Message.TH, e.Message.EN), errWrong)
	}
	return err
}

// noPrecondition is the precondition of confirm that always holds.
func noPrecondition(store.Credentials) error { return nil }

// confirm runs act, which checks the caller's password or one-time code and uses it, unless
// precondition fails. Attempts are counted, locked and logged like sign-in attempts, so that
// an open browser cannot be used to guess its owner's password. Neither retries of a completed
// request nor errors other than a wrong password or code are counted.
func (s *Server) confirm(ctx context.Context, action string, precondition, act func(store.Credentials) error) error {
	if err := s.rejectRepeat(ctx); err != nil {
		return err
	}
	c, err := s.DB.OwnCredentials(ctx)
	if err != nil {
		return err
	}
	if err := precondition(c); err != nil {
		return err
	}
	if err := s.DB.CountOwnCheck(ctx, &c); err != nil {
		return err
	}
	err = act(c)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errWrong) && s.rejectRepeat(ctx) == nil:
		return errors.Join(err, s.DB.FailAttempt(ctx, c, action, hospital.InvalidCredentials))
	default:
		return errors.Join(err, s.DB.UncountAttempt(ctx, c.Username))
	}
}

func (s *Server) checkPassword(ctx context.Context, c store.Credentials, password string) error {
	ok, err := s.Hasher.Verify(ctx, c.PasswordHash, password)
	if err != nil || ok {
		return err
	}
	return hospital.Reject(hospital.InvalidCredentials).
		Because("รหัสผ่านปัจจุบันไม่ถูกต้อง", "The current password is not correct.")
}

func (s *Server) changePassword(ctx context.Context, in *body[hospital.PasswordChange]) (null, error) {
	if err := in.Body.Check(hospital.ActorFrom(ctx).Username); err != nil {
		return null{}, err
	}
	return nothing(s.confirm(ctx, "auth.change-password", noPrecondition, func(c store.Credentials) error {
		if err := s.checkPassword(ctx, c, in.Body.CurrentPassword); err != nil {
			return asFieldError("currentPassword", err)
		}
		hash, err := s.Hasher.Hash(ctx, in.Body.NewPassword)
		if err != nil {
			return err
		}
		return asFieldError("currentPassword", s.DB.ChangeOwnPassword(ctx, c, hash))
	}))
}

func (s *Server) register(ctx context.Context, in *body[hospital.Registration]) (null, error) {
	return nothing(s.DB.Register(ctx, in.Body, s.Hasher.Hash))
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
	URI    string `json:"uri" doc:"Content of the QR code"`
}

// setUpTOTP creates a secret, which takes effect once a code of it is confirmed.
func (s *Server) setUpTOTP(ctx context.Context, in *body[totpBody]) (out totpSetup, err error) {
	setting, err := s.DB.Setting(ctx)
	if err != nil {
		return out, err
	}
	isOff := func(c store.Credentials) error {
		if c.TOTPEnabled {
			return hospital.Reject(hospital.ValidationFailed).
				On("otp", "เปิดใช้ยืนยันตัวตนสองขั้นอยู่แล้ว กรุณาปิดก่อนตั้งใหม่",
					"Two-step sign-in is on already. Turn it off first.")
		}
		return nil
	}
	err = s.confirm(ctx, "auth.totp-setup", isOff, func(c store.Credentials) error {
		if err := s.checkPassword(ctx, c, in.Body.Password); err != nil {
			return asFieldError("password", err)
		}
		if out.Secret, out.URI, err = auth.NewTOTP("Nadmor "+setting.NameEn, c.Username); err != nil {
			return err
		}
		ctx := store.WithAnswer(ctx, func(any) any { return out })
		return asFieldError("password", s.DB.SetUpTOTP(ctx, c, s.Box.Seal(out.Secret, fmt.Sprint(c.UserID))))
	})
	return out, err
}

func (s *Server) enableTOTP(ctx context.Context, in *body[totpBody]) (null, error) {
	isSetUp := func(c store.Credentials) error {
		if c.TOTPSecret == "" || c.TOTPEnabled {
			return hospital.Reject(hospital.ValidationFailed).
				On("otp", "กรุณาเริ่มตั้งค่ายืนยันตัวตนสองขั้นก่อน", "Start the set-up of two-step sign-in first.")
		}
		return nil
	}
	return nothing(s.confirm(ctx, "auth.totp-enable", isSetUp, func(c store.Credentials) error {
		period, err := s.checkOTP(c, in.Body.OTP)
		if err == nil {
			err = s.DB.EnableTOTP(ctx, c, period)
		}
		return asFieldError("otp", err)
	}))
}

// disableTOTP needs the password and a code, so that a stolen session is not enough.
func (s *Server) disableTOTP(ctx context.Context, in *body[totpBody]) (null, error) {
	return nothing(s.confirm(ctx, "auth.totp-disable", noPrecondition, func(c store.Credentials) (err error) {
		if err := s.checkPassword(ctx, c, in.Body.Password); err != nil {
			return asFieldError("password", err)
		}
		var period int64
		if c.TOTPEnabled {
			period, err = s.checkOTP(c, in.Body.OTP)
		}
		if err == nil {
			err = s.DB.DisableTOTP(ctx, c, period)
		}
		return asFieldError("otp", err)
	}))
}

func (s *Server) ownSessions(ctx context.Context, _ *struct{}) ([]hospital.Session, error) {
	return s.DB.Sessions(ctx, hospital.ActorFrom(ctx).UserID)
}

type endSessionsBody struct {
	SessionID string `json:"sessionId,omitempty" maxLength:"64" doc:"Id of a session; all if absent"`
}

type ended struct {
	Ended int64 `json:"ended"`
}

func (s *Server) endOwnSessions(ctx context.Context, in *body[endSessionsBody]) (ended, error) {
	return s.endSessions(ctx, hospital.ActorFrom(ctx).UserID, in.Body.SessionID)
}

func (s *Server) endSessions(ctx context.Context, userID int64, only string) (ended, error) {
	return respond(ctx, func(n int64) ended { return ended{n} }, func(ctx context.Context) (int64, error) {
		return s.DB.EndSessions(ctx, userID, only)
	})
}
