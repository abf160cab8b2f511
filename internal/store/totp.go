package store

import "context"

// SetUpTOTP stores an encrypted one-time-code secret to be activated by EnableTOTP. c are the
// credentials the password was checked against; see lockCredentials.
func (db *DB) SetUpTOTP(ctx context.Context, c Credentials, sealed string) error {
	return db.setTOTP(ctx, c, 0, "auth.totp-setup", sealed, false, 0)
}

// EnableTOTP enables one-time codes. c has the secret against which the code of the period was
// checked; see lockCredentials.
func (db *DB) EnableTOTP(ctx context.Context, c Credentials, period int64) error {
	return db.setTOTP(ctx, c, period, "auth.totp-enable", c.TOTPSecret, true, period)
}

// DisableTOTP disables one-time codes. c are the credentials the password and code were checked
// against. period is that of the code, 0 if one-time codes were not enabled; see lockCredentials.
func (db *DB) DisableTOTP(ctx context.Context, c Credentials, period int64) error {
	return db.setTOTP(ctx, c, period, "auth.totp-disable", "", false, 0)
}

func (db *DB) setTOTP(
	ctx context.Context, c Credentials, period int64, action, sealed string, enabled bool, used int64,
) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if err := tx.lockCredentials(c, period); err != nil {
			return err
		}
		tx.Exec(`UPDATE users SET totp_secret = $2, totp_enabled = $3, totp_used = $4,
			version = version + 1, updated_at = $5 WHERE id = $1`, c.UserID, sealed, enabled, used, ms(tx.now))
		tx.Note(action, "user", c.UserID, c.Name, nil)
		tx.clearAttempts(c.Username)
		return nil
	})
}
