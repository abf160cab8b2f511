import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { storeTokens } from '@/api/token';
import { renderPage } from '@/test/app';
import { makeToken } from '@/test/token';
import type { User } from './api';
import type { UserActions } from './use-user-actions';
import { UserActionsMenu } from './user-actions-menu';

afterEach(() => vi.unstubAllGlobals());

const person = (id: number) => ({ id, name: `คนที่ ${id}`, status: 'ACTIVE' }) as User;

function show(user: User) {
  const actions = { resetPassword: { open: vi.fn() } };
  const token = makeToken({ sub: '7', exp: Date.now() / 1000 + 3600 });
  storeTokens({
    accessToken: token,
    smqAccessToken: token,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  renderPage({
    at: '/app/user-management',
    path: '/app/user-management',
    component: () => <UserActionsMenu user={user} actions={actions as unknown as UserActions} onPage />,
    permissions: ['USER.UPDATE'],
    answers: {},
  });
  return actions;
}

test('resets the password of another user', async () => {
  const actions = show(person(8));
  await userEvent.click(await screen.findByRole('button', { name: 'จัดการ คนที่ 8' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'รหัสผ่านใหม่' }));
  expect(actions.resetPassword.open).toHaveBeenCalledOnce();
});

test('links to the profile for the user’s own password', async () => {
  show(person(7));
  await userEvent.click(await screen.findByRole('button', { name: 'จัดการ คนที่ 7' }));
  expect(await screen.findByRole('menuitem', { name: 'เปลี่ยนรหัสผ่าน' })).toHaveAttribute(
    'href',
    '/app/profile',
  );
  expect(screen.queryByRole('menuitem', { name: 'รหัสผ่านใหม่' })).toBeNull();
});
