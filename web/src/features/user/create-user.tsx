import { Button, Card, Group, Radio, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { z } from 'zod';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { passwordFault } from '@/lib/account-rules';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { focusOnMount } from '@/ui/on-mount';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { createUser } from './api';
import { PasswordLink } from './password-link';
import { TemporaryPassword } from './temporary-password';
import { Section, UserFields } from './user-fields';
import classes from './user-fields.module.css';
import { EMPTY_USER, newUserOf, type UserValues, userSchema } from './user-values';

interface CreateValues extends UserValues {
  signIn: 'invite' | 'password';
  password: string;
}
type Created = Awaited<ReturnType<typeof createUser>>;

/** Creates an account. If the link cannot be mailed, it is shown afterwards. */
export function CreateUser() {
  const [created, setCreated] = useState<Created | null>(null);
  return created ? (
    <Invited user={created} onAnother={() => setCreated(null)} />
  ) : (
    <CreateUserForm onLinkMade={setCreated} />
  );
}

export function CreateUserForm({ onLinkMade }: { onLinkMade: (user: Created) => void }) {
  const t = useT();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const saved = useRef(false);
  const form = useLiveForm<CreateValues>(
    { ...EMPTY_USER, signIn: 'invite', password: '' },
    userSchema(t, { roleRequired: true }).extend({
      signIn: z.enum(['invite', 'password']),
      password: z.string(),
    }),
    ({ signIn, password, username }) => ({
      password: signIn === 'password' ? passwordFault(t, password, username) : null,
    }),
  );
  const { signIn } = form.values;
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: (values) =>
      createUser({
        ...newUserOf(values),
        ...(values.signIn === 'password' ? { password: values.password } : { invite: true }),
      }),
    onSuccess: (user) => {
      saved.current = true;
      void queryClient.invalidateQueries({ queryKey: userKeys.all });
      if (user.invitation?.link) return onLinkMade(user);
      showDone(user.invitation ? t.user.createdInvited(user.name, user.email) : t.user.created(user.name));
      return navigate({ to: '/app/user-management' });
    },
  });
  return (
    <Card withBorder padding="lg" maw={800}>
      <form noValidate onSubmit={onSubmit} aria-label={t.page.userCreate}>
        <UserFields form={form} roleRequired />
        <Section title={t.user.section.signIn}>
          <Radio.Group
            className={classes.wide}
            label={t.user.signInBy}
            value={signIn}
            onChange={(way) => form.setFieldValue('signIn', way === 'password' ? 'password' : 'invite')}
          >
            <Stack gap="xs" mt={4}>
              <Radio value="invite" label={t.user.invite} description={t.user.inviteHint} />
              <Radio value="password" label={t.user.firstPassword} description={t.user.firstPasswordHint} />
            </Stack>
          </Radio.Group>
          {signIn === 'password' && (
            <div className={classes.wide}>
              <TemporaryPassword label={t.user.firstPasswordField} {...form.getInputProps('password')} />
            </div>
          )}
        </Section>
        <Stack mt="lg" gap="sm">
          {error !== null && <ErrorAlert error={error} />}
          <Group gap="xs">
            <Button type="submit" loading={pending}>
              {t.user.createSubmit}
            </Button>
            <LinkButton to="/app/user-management" variant="default">
              {t.action.back}
            </LinkButton>
          </Group>
        </Stack>
      </form>
      <UnsavedGuard unsaved={() => form.isDirty() && !saved.current} />
    </Card>
  );
}

function Invited({ user, onAnother }: { user: Created; onAnother: () => void }) {
  const t = useT();
  return (
    <Card withBorder padding="lg" maw={720}>
      <Title order={2} mb="md" tabIndex={-1} ref={focusOnMount} style={{ outline: 'none' }}>
        {t.user.created(user.name)}
      </Title>
      {user.invitation && <PasswordLink link={user.invitation} name={user.name} email={user.email} />}
      <Group mt="lg" gap="xs">
        <LinkButton to="/app/user-management">{t.user.backToList}</LinkButton>
        <Button variant="default" onClick={onAnother}>
          {t.user.createAnother}
        </Button>
      </Group>
    </Card>
  );
}
