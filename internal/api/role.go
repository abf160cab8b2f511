package api

import (
	"context"

	"nadmor/internal/hospital"
)

type roleFilter struct {
	hospital.Page
	Q string `json:"q,omitempty" maxLength:"100" doc:"Part of the code or the name"`
}

func (s *Server) listRoles(ctx context.Context, in *body[roleFilter]) (hospital.Paged[hospital.Role], error) {
	return s.DB.ListRoles(ctx, in.Body.Page, in.Body.Q)
}

func (s *Server) roleRefs(ctx context.Context, _ *struct{}) ([]hospital.RoleRef, error) {
	return s.DB.RoleRefs(ctx)
}

func (s *Server) readRole(ctx context.Context, in *byID) (hospital.Role, error) {
	return s.DB.Role(ctx, in.ID)
}

func (s *Server) createRole(ctx context.Context, in *body[hospital.RoleDraft]) (hospital.Role, error) {
	return s.DB.CreateRole(ctx, in.Body)
}

type roleChange struct {
	ID      int64 `json:"id" minimum:"1"`
	Version int64 `json:"version" minimum:"0"`
	hospital.RoleDraft
}

func (s *Server) updateRole(ctx context.Context, in *body[roleChange]) (hospital.Role, error) {
	return s.DB.UpdateRole(ctx, in.Body.ID, in.Body.Version, in.Body.RoleDraft)
}

func (s *Server) deleteRole(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteRole(ctx, in.Body.ID))
}

// permissionInfo is a row of the permission matrix with its display name.
type permissionInfo struct {
	Name       hospital.Permission `json:"name"`
	Label      string              `json:"label"`
	LabelEn    string              `json:"labelEn"`
	Group      string              `json:"group"`
	GroupLabel string              `json:"groupLabel"`
	GroupEn    string              `json:"groupEn"`
}

func (s *Server) permissionCatalogue(context.Context, *struct{}) ([]permissionInfo, error) {
	var list []permissionInfo
	for _, g := range hospital.PermissionGroups {
		for _, p := range g.Permissions {
			list = append(list, permissionInfo{p.Name, p.Label.TH, p.Label.EN, g.Name, g.Label.TH, g.Label.EN})
		}
	}
	return list, nil
}
