import { account, login, password, session } from './account.en';
import { appointment } from './appointment.en';
import { audit } from './audit.en';
import { calendar } from './calendar.en';
import { customer } from './customer.en';
import { dashboard } from './dashboard.en';
import { display } from './display.en';
import { app, error, frame, language, page, settings } from './frame.en';
import { patient, patientList, quickSearch } from './patient.en';
import { report } from './report.en';
import { result } from './result.en';
import { role } from './role.en';
import { schedule } from './schedule.en';
import { service } from './service.en';
import { config, setting } from './setting.en';
import type { Messages } from './th';
import { action, conflict, date, download, saveBar, sortable, table, unsaved } from './ui.en';
import { user } from './user.en';

export const en: Messages = {
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
