import { Fieldset, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useT } from '@/i18n/provider';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import { RoleSelect } from './role-select';
import classes from './user-fields.module.css';
import type { UserValues } from './user-values';

interface UserFieldsProps<Values extends UserValues> {
  form: UseFormReturnType<Values>;
  roleRequired: boolean;
  roleHint?: string;
  roleEmptyAllowed?: boolean;
}

/** The inputs shared by creating and changing an account. */
export function UserFields<Values extends UserValues>(props: UserFieldsProps<Values>) {
  const { form, roleRequired, roleHint, roleEmptyAllowed } = props;
  const t = useT();
  return (
    <>
      <Section title={t.user.section.account}>
        <TextInput
          label={t.account.username}
          description={t.user.usernameHint}
          inputWrapperOrder={DESCRIPTION_BELOW}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          {...form.getInputProps('username')}
        />
        <TextInput
          label={t.account.email}
          required
          type="email"
          autoComplete="off"
          maxLength={254}
          {...form.getInputProps('email')}
        />
      </Section>
      <Section title={t.user.section.person}>
        <TextInput label={t.account.name} required autoComplete="off" {...form.getInputProps('name')} />
        <TextInput
          label={t.account.phone}
          type="tel"
          autoComplete="off"
          maxLength={20}
          {...form.getInputProps('phone')}
        />
        <TextInput label={t.account.position} autoComplete="off" {...form.getInputProps('position')} />
        <TextInput label={t.account.licenseNo} autoComplete="off" {...form.getInputProps('licenseNo')} />
      </Section>
      <Section title={t.user.section.role}>
        <RoleSelect
          label={t.account.role}
          description={roleHint}
          inputWrapperOrder={DESCRIPTION_BELOW}
          required={roleRequired}
          emptyAllowed={roleEmptyAllowed}
          {...form.getInputProps('roleId')}
        />
      </Section>
    </>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Fieldset legend={title} variant="unstyled" className={classes.section}>
      <div className={classes.grid}>{children}</div>
    </Fieldset>
  );
}
