import type {
  app as appTexts,
  error as errorTexts,
  frame as frameTexts,
  language as languageTexts,
  page as pageTexts,
  settings as settingsTexts,
} from './frame.th';

export const app: typeof appTexts = {
  product: 'Nadmor',
  purpose: 'Appointments and patients of the hospital',
  loading: 'Loading',
  home: 'Home',
  backHome: 'Back to home',
  close: 'Close',
  skipToContent: 'Skip to content',
  showOthers: (count) => `Show ${count} more`,
  showFewer: 'Show fewer',
  documentTitle: (page, hospital) => `${page} · ${hospital}`,
};

export const language: typeof languageTexts = {
  other: 'ไทย',
  switchToOther: 'ไทย: Switch to Thai',
  switchToOtherLong: 'Switch to Thai',
  failed: 'Could not change to Thai. Check the network and try again',
};

export const frame: typeof frameTexts = {
  mainMenu: 'Main menu',
  openMenu: 'Open menu',
  closeMenu: 'Close menu',
  collapseMenu: 'Collapse menu',
  expandMenu: 'Expand menu',
  pin: 'Pin menu',
  unpin: 'Unpin menu',
  breadcrumbs: 'Breadcrumbs',
  account: (name, role) => `Account of ${name} ${role}`,
  profile: 'My profile and security',
  changePassword: 'Change password',
  guide: 'User guide (Thai)',
  theme: 'Customize appearance',
  signOut: 'Sign out',
  printedAt: (when) => `Printed ${when}`,
  liveLost:
    'Changes do not show at once just now. Reconnecting; meanwhile the screen is updated every 15 seconds',
};

export const page: typeof pageTexts = {
  dashboard: 'Dashboard',
  serviceSchedule: 'Service schedule',
  appointments: 'Appointments',
  appointmentCalendar: 'Appointment calendar',
  appointmentList: 'Appointment list',
  appointmentCreate: 'New appointment',
  appointmentEdit: 'Edit appointment',
  diagnosisResults: 'Record result',
  patients: 'Patients',
  patientCreate: 'Register patient',
  patientEdit: 'Edit patient',
  users: 'Users',
  userCreate: 'New user',
  userEdit: 'Edit user',
  profile: 'My profile',
  report: 'Reports',
  globalConfig: 'Settings',
  login: 'Sign in',
  register: 'Request an account',
  forgotPassword: 'Forgot password',
  resetPassword: 'Set a new password',
  changePassword: 'Change password',
};

export const error: typeof errorTexts = {
  notFound: 'Page not found',
  notFoundHint: 'This address does not exist, or the page has moved',
  failed: 'Something went wrong',
  failedHint: 'This page cannot be shown right now. Try again, and tell your administrator if it persists',
  retry: 'Try again',
  noAccess: 'No access',
  noAccessHint: (page) =>
    `Your account cannot open “${page}”. If you need it, please ask your administrator for the permission`,
  permissionNeeded: 'Permission needed',
  or: 'or',
  offline: 'There is no network, so nothing was sent. Check the connection and try again',
  network: 'The system cannot be reached. Check the network and try again',
  unexpected: 'The server gave an unexpected answer. Try again, and tell your administrator if it persists',
  requestId: (id) => `Reference ${id}`,
};

export const settings: typeof settingsTexts = {
  title: 'Customize appearance',
  hint: 'Applied at once and kept in this browser',
  layout: 'Menu layout',
  layouts: {
    white: 'White sidebar',
    dark: 'Dark sidebar',
    mini: 'Mini sidebar',
    top: 'Top navigation',
  },
  display: 'Display',
  darkMode: 'Dark mode',
  rtl: 'Right to left (RTL)',
  primary: 'Primary colour',
  sidebar: 'Sidebar colour',
  header: 'Header colour',
  byTheme: 'By layout',
  swatch: (name, colour) => `${name} ${colour}`,
  custom: (name) => `Custom ${name.toLowerCase()}`,
  reset: 'Back to default',
};
