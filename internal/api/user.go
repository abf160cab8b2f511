package api

import (
	"context"
	"net/url"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type userFilter struct {
	hospital.Page
	Q      string              `json:"q,omitempty" maxLength:"100" doc:"Part of the name, username, email or phone"`
	RoleID int64               `json:"roleId,omitempty"`
	Status hospital.UserStatus `json:"status,omitempty"`
}

func (s *Server) listUsers(ctx context.Context, in *body[userFilter]) (hospital.Paged[hospital.User], error) {
	return s.DB.ListUsers(ctx, store.UserFilter(in.Body))
}

func (s *Server) userRefs(ctx context.Context, _ *struct{}) ([]hospital.UserRef, error) {
	return s.DB.UserRefs(ctx)
}

func (s *Server) readUser(ctx context.Context, in *byID) (hospital.User, error) {
	return s.DB.User(ctx, in.ID)
}

// createdUser is a new account with its invitation link, if that could not be mailed.
type createdUser struct {
	hospital.User
	Invitation *resetLink `json:"invitation,omitempty"`
}

// resetLink is a link to set a password, mailed or to be passed on by the administrator.
type resetLink struct {
	Mailed    bool      `json:"mailed"`
	Link      string    `json:"link,omitempty" doc:"Only when no mail is sent"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

func (s *Server) createUser(ctx context.Context, in *body[hospital.NewUser]) (createdUser, error) {
	answer := func(v store.InvitedUser) createdUser {
		out := createdUser{User: v.User}
		if v.Link != nil {
			link := s.linkFor(*v.Link)
			out.Invitation = &link
		}
		return out
	}
	return respond(ctx, answer, func(ctx context.Context) (v store.InvitedUser, err error) {
		if in.Body.Invite {
			if v, err = s.DB.InviteUser(ctx, in.Body, s.CanMail); err == nil {
				s.warnUnmailed(ctx, v.User.ID)
			}
			return v, err
		}
		hash, err := s.Hasher.Hash(ctx, in.Body.Password)
		if err == nil {
			v.User, err = s.DB.CreateUser(ctx, in.Body, hash)
		}
		return v, err
	})
}

// linkFor returns a link as shown to the administrator. The URL of a mailed link is omitted.
func (s *Server) linkFor(l store.Link) resetLink {
	if l.Mailed {
		return resetLink{Mailed: true}
	}
	return resetLink{Link: ResetURL(s.PublicURL, l.Token), ExpiresAt: l.ExpiresAt}
}

// warnUnmailed logs that the administrator has to pass the link on.
func (s *Server) warnUnmailed(ctx context.Context, userID int64) {
	if !s.CanMail {
		s.Log.WarnContext(ctx, "no mail was sent: NADMOR_SMTP_URL is not set; the link is shown to the administrator",
			"user_id", userID)
	}
}

// ResetURL returns the URL to set a password with a token. The token is in the fragment, so that no server or
// proxy logs it.
func ResetURL(publicURL, token string) string {
	return publicURL + "/reset-password#token=" + url.QueryEscape(token)
}

func (s *Server) updateUser(ctx context.Context, in *body[hospital.UserChange]) (out hospital.User, err error) {
	hash := ""
	if in.Body.Password != nil {
		if hash, err = s.Hasher.Hash(ctx, *in.Body.Password); err != nil {
			return out, err
		}
	}
	return s.DB.UpdateUser(ctx, in.Body, hash)
}

func (s *Server) deleteUser(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteUser(ctx, in.Body.ID))
}

func (s *Server) userSessions(ctx context.Context, in *byID) ([]hospital.Session, error) {
	list, err := s.DB.Sessions(ctx, in.ID)
	if err == nil && in.ID != hospital.ActorFrom(ctx).UserID {
		// The id of a session is part of its token.
		for i := range list {
			list[i].ID = ""
		}
	}
	return list, err
}

func (s *Server) endUserSessions(ctx context.Context, in *byID) (ended, error) {
	return s.endSessions(ctx, in.ID, "")
}

func (s *Server) sendResetLink(ctx context.Context, in *byID) (resetLink, error) {
	u, err := s.DB.User(ctx, in.ID)
	if err != nil {
		return resetLink{}, err
	}
	if u.Status == hospital.UserSuspended {
		return resetLink{}, hospital.Reject(hospital.AccountSuspended)
	}
	return respond(ctx, s.linkFor, func(ctx context.Context) (store.Link, error) {
		link, err := s.DB.SendLink(ctx, u.ID, store.JobMailReset, s.CanMail)
		if err == nil {
			s.warnUnmailed(ctx, u.ID)
		}
		return link, err
	})
}
