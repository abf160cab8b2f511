import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCan } from '@/entities/session/session';
import { staffQuery } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { Section, type SectionProps, textProps } from './section-parts';
import classes from './service.module.css';

/** The staff of the service. */
export function StaffSection({ staff, ...props }: SectionProps & { staff: Staff }) {
  const t = useT();
  const { form, readOnly } = props;
  return (
    <Section title={t.service.sections.staff}>
      <MultiSelect
        {...textProps(t, props, 'staffIds')}
        label={undefined}
        aria-label={t.service.fields.staffIds}
        className={classes.wide}
        description={t.service.hints.staff}
        placeholder={readOnly || form.values.staffIds.length > 0 ? undefined : t.service.chooseStaff}
        data={staff.choices(form.values.staffIds)}
        searchable={!readOnly}
        clearable={!readOnly}
        nothingFoundMessage={t.service.nobodyFound}
        maxDropdownHeight={240}
        hidePickedOptions
      />
    </Section>
  );
}

/** The users who can be assigned, if the user may read them. */
export function useStaff() {
  const t = useT();
  const known = useCan()('USER.SHOW', 'APPOINTMENT.SHOW', 'AUDIT.SHOW');
  const { data: users = [] } = useQuery({ ...staffQuery, enabled: known });
  const nameOf = (id: string) =>
    users.find((user) => String(user.id) === id)?.name ?? t.service.staffNumbered(id);
  return {
    known,
    nameOf,
    /** Includes assigned users who are no longer active. */
    choices: (chosen: string[]) =>
      [...new Set([...users.map(({ id }) => String(id)), ...chosen])].map((value) => ({
        value,
        label: nameOf(value),
      })),
  };
}

export type Staff = ReturnType<typeof useStaff>;
