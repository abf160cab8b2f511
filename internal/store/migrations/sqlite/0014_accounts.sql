-- +goose Up

-- The time zone is always Asia/Bangkok. Replace any other that was chosen before.
UPDATE settings SET body = json_set(body, '$.timezone', 'Asia/Bangkok')
WHERE json_extract(body, '$.timezone') <> 'Asia/Bangkok';

-- At least one user who can sign in must hold every permission. If there is none, grant
-- all permissions to the role ADMIN.
WITH all_permissions (permission) AS (VALUES
  ('DASHBOARD.SHOW'), ('SIDEBAR.PATIENTS'), ('SIDEBAR.USERS'), ('SIDEBAR.GLOBAL_CONFIG'),
  ('APPOINTMENT.SHOW'), ('APPOINTMENT.CREATE'), ('APPOINTMENT.UPDATE'), ('APPOINTMENT.DELETE'),
  ('APPOINTMENT.MARK_STATUS'), ('APPOINTMENT.REVERT_STATUS'), ('APPOINTMENT.OVERBOOK'),
  ('APPOINTMENT.EXPORT'), ('RESULT.SHOW'), ('RESULT.CREATE'), ('RESULT.DELETE'), ('SERVICE_SCHEDULE.SHOW'),
  ('SERVICE_SCHEDULE.UPDATE'), ('SLOT.SHOW'), ('SLOT.UPDATE_CAPACITY'), ('PATIENT.SHOW'), ('PATIENT.CREATE'),
  ('PATIENT.UPDATE'), ('PATIENT.DELETE'), ('PATIENT.VIEW_CID'), ('PATIENT.EXPORT'), ('CUSTOMER.SHOW'),
  ('CUSTOMER.CREATE'), ('CUSTOMER.UPDATE'), ('CUSTOMER.DELETE'), ('USER.SHOW'), ('USER.CREATE'),
  ('USER.UPDATE'), ('USER.DELETE'), ('ROLE.SHOW'), ('ROLE.CREATE'), ('ROLE.UPDATE'), ('ROLE.DELETE'),
  ('SERVICE_CONFIG.SHOW'), ('SERVICE_CONFIG.CREATE'), ('SERVICE_CONFIG.UPDATE'), ('SERVICE_CONFIG.DELETE'),
  ('GLOBAL_SETTING.SHOW'), ('GLOBAL_SETTING.UPDATE'), ('BANNER.SHOW'), ('BANNER.UPDATE'), ('REPORT.SHOW'),
  ('AUDIT.SHOW')
)
INSERT INTO role_permissions (role_id, permission)
SELECT r.id, p.permission FROM roles r CROSS JOIN all_permissions p
WHERE r.name = 'ADMIN' AND NOT EXISTS (
  SELECT 1 FROM users u WHERE u.status = 'ACTIVE' AND u.deleted_at IS NULL AND u.password_hash <> ''
  AND (SELECT count(*) FROM role_permissions h JOIN all_permissions e ON e.permission = h.permission
    WHERE h.role_id = u.role_id) = (SELECT count(*) FROM all_permissions))
ON CONFLICT DO NOTHING;
UPDATE roles SET version = version + 1 WHERE name = 'ADMIN';
