import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { answerWith, failure, success } from '@/test/server';
import { ChangePasswordForm } from './change-password-form';

afterEach(() => vi.unstubAllGlobals());

async function send(current: string, next: string, repeat: string) {
  const onChanged = vi.fn(async () => {});
  renderInApp(<ChangePasswordForm username="Somying.Jaidee" onChanged={onChanged} />);
  if (current) await userEvent.type(screen.getByLabelText('รหัสผ่านปัจจุบัน'), current);
  if (next) await userEvent.type(screen.getByLabelText('รหัสผ่านใหม่'), next);
  if (repeat) await userEvent.type(screen.getByLabelText('รหัสผ่านใหม่อีกครั้ง'), repeat);
  await userEvent.click(screen.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' }));
  return onChanged;
}

test.each([
  ['too short', 'old password', 'ninechars', 'ninechars', 'รหัสผ่านต้องมีอย่างน้อย 10 ตัวอักษร'],
  ['the username', 'old password', 'somying.jaidee', 'somying.jaidee', 'รหัสผ่านต้องไม่เหมือนชื่อผู้ใช้'],
  ['repeated wrongly', 'old password', 'a new password', 'a new passwort', 'รหัสผ่านทั้งสองช่องไม่ตรงกัน'],
  ['the old one', 'the same one', 'the same one', 'the same one', 'รหัสผ่านใหม่ต้องต่างจากรหัสผ่านปัจจุบัน'],
  ['without the old one', '', 'a new password', 'a new password', 'กรุณากรอกรหัสผ่านปัจจุบัน'],
])('rejects a password that is %s', async (_, current, next, repeat, message) => {
  const requests = answerWith(success(null));
  const onChanged = await send(current, next, repeat);
  expect(await screen.findByText(message)).toBeVisible();
  expect(requests).toHaveLength(0);
  expect(onChanged).not.toHaveBeenCalled();
});

test('ten Thai letters are long enough', async () => {
  const requests = answerWith(success(null));
  const onChanged = await send('old password', 'กขคงจฉชซญฐ', 'กขคงจฉชซญฐ');
  await waitFor(() => expect(onChanged).toHaveBeenCalled());
  expect(await requests[0]?.json()).toEqual({ currentPassword: 'old password', newPassword: 'กขคงจฉชซญฐ' });
});

test('shows a server error at its field and focuses it', async () => {
  answerWith(
    failure(422, 'VALIDATION_FAILED', 'ข้อมูลไม่ถูกต้อง', {
      fields: [{ field: 'currentPassword', message: 'รหัสผ่านปัจจุบันไม่ถูกต้อง' }],
    }),
  );
  const onChanged = await send('wrong password', 'a new password', 'a new password');
  expect(await screen.findByText('รหัสผ่านปัจจุบันไม่ถูกต้อง')).toBeVisible();
  await waitFor(() => expect(screen.getByLabelText('รหัสผ่านปัจจุบัน')).toHaveFocus());
  expect(screen.queryByRole('alert')).toBeNull();
  expect(onChanged).not.toHaveBeenCalled();
});

test('shows other errors above the form', async () => {
  answerWith(
    failure(422, 'VALIDATION_FAILED', 'ข้อมูลไม่ถูกต้อง', { fields: [{ field: 'elsewhere', message: '?' }] }),
  );
  await send('old password', 'a new password', 'a new password');
  expect(await screen.findByRole('alert')).toHaveTextContent('ข้อมูลไม่ถูกต้อง');
});
