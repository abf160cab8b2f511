import { account, login, password, session } from './account.th';
import { appointment } from './appointment.th';
import { audit } from './audit.th';
import { calendar } from './calendar.th';
import { customer } from './customer.th';
import { dashboard } from './dashboard.th';
import { display } from './display.th';
import { app, error, frame, language, page, settings } from './frame.th';
import { patient, patientList, quickSearch } from './patient.th';
import { report } from './report.th';
import { result } from './result.th';
import { role } from './role.th';
import { schedule } from './schedule.th';
import { service } from './service.th';
import { config, setting } from './setting.th';
import { action, conflict, date, download, saveBar, sortable, table, unsaved } from './ui.th';
import { user } from './user.th';

/**
 * All texts of the app, from one file per feature. The compiler checks that English (en.ts) has the same keys and
 * parameters.
 */
export const th = {
  app,
  language,
  frame,
  page,
  login,
  password,
  error,
  table,
  role,
  audit,
  config,
  date,
  action,
  service,
  setting,
  saveBar,
  sortable,
  unsaved,
  conflict,
  session,
  account,
  user,
  download,
  patientList,
  customer,
  quickSearch,
  patient,
  appointment,
  calendar,
  dashboard,
  display,
  schedule,
  report,
  result,
  settings,
};

export type Messages = typeof th;
