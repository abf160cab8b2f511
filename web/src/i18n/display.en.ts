import type { displayAudit as displayAuditTexts, display as displayTexts } from './display.th';

export const display: typeof displayTexts = {
  title: 'Queue display',
  serving: 'Now serving',
  waiting: 'Next',
  more: (count) => `and ${count} more`,
  nobodyServing: 'Nobody was called yet',
  nobodyWaiting: 'Nobody is waiting',
  called: (number) => `Number ${number}, please`,
  reconnecting: 'Reconnecting; this is how it stood last',
  lastAt: (time) => `As of ${time}`,
  connecting: 'Connecting',
  noToken: 'This screen has no link yet',
  noTokenHint: 'Open the link of the screen that the staff made (Settings › Services › Queue displays) again',
  revoked: 'The link of this screen was withdrawn',
  revokedHint: 'Ask the staff for a new one',
  inactive: 'Closed',
  inactiveHint: 'This service takes no patients at the moment',
  soundOn: 'Turn the chime on',
  soundOff: 'Turn the chime off',
  manage: 'Queue displays',
  manageOf: (service) => `Queue displays of ${service}`,
  intro:
    'A screen in the waiting room shows queue numbers only, no names. Each has a link of its own, which can be withdrawn at any time',
  label: 'Name of the screen',
  labelHint: 'For example: in front of room 3',
  add: 'Make a link',
  none: 'This service has no screen yet',
  made: (label) => `The link of “${label}” was made`,
  link: 'Link of the screen',
  linkOnce: 'It is shown this once. Copy it to the screen; if it is lost, withdraw it and make a new one',
  open: 'Open the screen',
  seen: 'Last seen',
  neverSeen: 'Never opened',
  revoke: 'Withdraw',
  revokeOf: (label) => `Withdraw the link of ${label}`,
  revokeSure: (label) => `Withdraw “${label}”: the screen stops showing the queue at once`,
  keep: 'Keep it',
  revokedDone: (label) => `The link of “${label}” was withdrawn`,
};

export const displayAudit: typeof displayAuditTexts = {
  entities: { display: 'Queue display' },
  actionGroups: { display: 'Queue displays' },
  actions: {
    'display.create': 'Made a queue display link',
    'display.delete': 'Withdrew a queue display link',
  },
  operations: {
    'post-service-config-displays-list': 'see queue displays',
    'post-service-config-displays-create': 'make a queue display link',
    'post-service-config-displays-delete': 'withdraw a queue display link',
    'get-dashboard-summary': 'see the overview of the day',
  },
  fields: {
    display: { label: 'Name of the screen', serviceId: 'Service', createdBy: 'By', createdAt: 'Made' },
  },
};
