package hospital_test

import (
	"testing"

	"nadmor/internal/hospital"
)

// Progress is visible to users who may move the appointments of a closure.
func TestProgressIsVisibleToUsersWhoMayMoveClosures(t *testing.T) {
	t.Parallel()
	progress := hospital.Event{Kind: hospital.EventProgress, ID: 1, Done: 1, Total: 2}
	schedule, move := hospital.ServiceScheduleUpdate, hospital.AppointmentUpdate
	for _, missing := range []hospital.Permission{schedule, move} {
		held := hospital.NewPermissionSet(hospital.AllPermissions...)
		delete(held, missing)
		if progress.VisibleTo(held) {
			t.Errorf("visible without %s", missing)
		}
	}
	if !progress.VisibleTo(hospital.NewPermissionSet(schedule, move)) {
		t.Error("not visible with both permissions")
	}
}
