import type { Messages } from '@/i18n/th';

type Texts = Partial<Record<string, string>>;

/** The field names of each kind of record, as on its own pages and in their order. */
export function fieldNames(t: Messages, entity: string): Texts {
  const kinds: Partial<Record<string, Texts>> = {
    user: t.audit.fields.user,
    role: t.audit.fields.role,
    service: { ...t.service.fields, ...t.audit.fields.slot },
    setting: {
      ...t.audit.fields.setting,
      offsetHours: t.setting.reminders.offsetHours,
      channel: t.setting.reminders.channel,
      template: t.setting.reminders.template,
      alt: t.setting.banners.alt,
      link: t.setting.banners.link,
      startsAt: t.setting.banners.startsAt,
      endsAt: t.setting.banners.endsAt,
      active: t.setting.banners.active,
    },
    closure: t.audit.fields.closure,
    patient: {
      ...t.patient.field,
      noKnownAllergy: t.patient.noKnownAllergy,
      substance: t.patient.substance,
      severity: t.patient.severity,
      reaction: t.patient.reaction,
      ...t.audit.fields.patient,
    },
    customer: {
      name: t.customer.name,
      phone: t.customer.phone,
      email: t.customer.email,
      lineUserId: t.customer.lineUserId,
      status: t.customer.status,
      patients: t.customer.patients,
      consentAt: t.customer.consent,
      note: t.customer.note,
    },
    appointment: t.appointment.field,
    result: t.audit.fields.result,
    report: t.audit.fields.report,
    display: t.audit.fields.display,
    backup: t.audit.fields.backup,
  };
  return (Object.hasOwn(kinds, entity) ? kinds[entity] : undefined) ?? {};
}

/** The names of a field's codes. */
export function valueNames(t: Messages, entity: string, field: string): Texts {
  const values: Partial<Record<string, Texts>> = {
    'user.status': t.audit.values.user,
    'service.weekday': t.audit.values.weekdays,
    'closure.kind': t.schedule.closure.kinds,
    'setting.channel': t.setting.reminders.channels,
    'customer.status': t.customer.statuses,
    'customer.relation': t.customer.relations,
    'patient.idType': t.patient.idTypes,
    'patient.sex': t.patient.sexes,
    'patient.birthPrecision': t.patient.precisions,
    'patient.rightCode': t.patient.rights,
    'patient.severity': t.patient.severities,
    'appointment.status': t.appointment.statuses,
    'result.type': t.result.types,
    'appointment.kind': t.appointment.kinds,
    'appointment.channel': t.appointment.channels,
    'appointment.priority': t.appointment.priorities,
    'report.groupBy': t.report.groups,
  };
  return values[`${entity}.${field}`] ?? {};
}
