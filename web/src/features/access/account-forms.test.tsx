import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { answerWith, failure, success } from '@/test/server';
import { ForgotPasswordForm } from './forgot-password-form';
import { RegisterForm } from './register-form';
import { ResetPasswordForm } from './reset-password-form';

afterEach(() => vi.unstubAllGlobals());

const write = (name: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(name, { selector: 'input' }), { target: { value } });
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

describe('registering an account', () => {
  function fillIn({ password = 'a long password', repeat = '' }) {
    write(/^ชื่อ-นามสกุล/, ' ธิดา บุญเรือง ');
    write(/^ชื่อผู้ใช้/, 'thida.b');
    write(/^อีเมล/, 'thida@sinakhon.example');
    write(/^รหัสผ่าน \*/, password);
    write(/^รหัสผ่านอีกครั้ง/, repeat || password);
  }

  test('sends the trimmed values', async () => {
    const requests = answerWith(success(null));
    const onSent = vi.fn();
    renderInApp(<RegisterForm onSent={onSent} />);
    fillIn({});
    await press('ส่งคำขอ');
    await waitFor(() => expect(onSent).toHaveBeenCalledWith('ธิดา บุญเรือง'));
    expect(await requests[0]?.json()).toEqual({
      username: 'thida.b',
      email: 'thida@sinakhon.example',
      name: 'ธิดา บุญเรือง',
      phone: '',
      password: 'a long password',
    });
  });

  test.each([
    [{ password: 'ninechars' }, 'รหัสผ่านต้องมีอย่างน้อย 10 ตัวอักษร'],
    [{ repeat: 'another password' }, 'รหัสผ่านทั้งสองช่องไม่ตรงกัน'],
  ])('rejects %o before sending', async (secrets, message) => {
    const requests = answerWith(success(null));
    renderInApp(<RegisterForm onSent={vi.fn()} />);
    fillIn(secrets);
    await press('ส่งคำขอ');
    expect(await screen.findByText(message)).toBeVisible();
    expect(requests).toHaveLength(0);
  });

  test('shows a duplicate name at its field', async () => {
    answerWith(
      failure(409, 'DUPLICATE', 'มีข้อมูลนี้อยู่ในระบบแล้ว', {
        fields: [{ field: 'email', message: 'มีผู้ใช้อีเมลนี้แล้ว' }],
      }),
    );
    renderInApp(<RegisterForm onSent={vi.fn()} />);
    fillIn({});
    await press('ส่งคำขอ');
    expect(await screen.findByText('มีผู้ใช้อีเมลนี้แล้ว')).toBeVisible();
    await waitFor(() => expect(screen.getByLabelText(/^อีเมล/)).toHaveFocus());
  });
});

describe('a forgotten password', () => {
  test('requests a link', async () => {
    const requests = answerWith(success(null));
    const onSent = vi.fn();
    renderInApp(<ForgotPasswordForm onSent={onSent} />);
    write('อีเมล', ' me@x.example ');
    await press('ขอลิงก์');
    await waitFor(() => expect(onSent).toHaveBeenCalledWith('me@x.example'));
    expect(await requests[0]?.json()).toEqual({ email: 'me@x.example' });
  });

  test('shows how long to wait after too many requests', async () => {
    answerWith(failure(429, 'TOO_MANY_ATTEMPTS', 'ลองผิดหลายครั้งเกินไป กรุณารอ 12 นาทีแล้วลองใหม่'));
    const onSent = vi.fn();
    renderInApp(<ForgotPasswordForm onSent={onSent} />);
    write('อีเมล', 'me@x.example');
    await press('ขอลิงก์');
    expect(await screen.findByRole('alert')).toHaveTextContent('กรุณารอ 12 นาที');
    expect(onSent).not.toHaveBeenCalled();
  });
});

describe('a new password by link', () => {
  function setUp() {
    const handlers = { onReset: vi.fn(async () => {}), onInvalidLink: vi.fn() };
    renderInApp(<ResetPasswordForm token="t-1" {...handlers} />);
    write('รหัสผ่านใหม่', 'a long password');
    write('รหัสผ่านใหม่อีกครั้ง', 'a long password');
    return handlers;
  }

  test('is sent with the token', async () => {
    const requests = answerWith(success(null));
    const { onReset } = setUp();
    await press('บันทึกรหัสผ่านใหม่');
    await waitFor(() => expect(onReset).toHaveBeenCalled());
    expect(await requests[0]?.json()).toEqual({ token: 't-1', password: 'a long password' });
  });

  test('distinguishes an invalid link from a bad password', async () => {
    answerWith(
      failure(422, 'VALIDATION_FAILED', 'ข้อมูลไม่ถูกต้อง', {
        fields: [{ field: 'token', message: 'ลิงก์นี้หมดอายุ' }],
      }),
    );
    const { onReset, onInvalidLink } = setUp();
    await press('บันทึกรหัสผ่านใหม่');
    await waitFor(() => expect(onInvalidLink).toHaveBeenCalled());
    expect(onReset).not.toHaveBeenCalled();
  });

  test('rejects a common password at its field', async () => {
    answerWith(
      failure(422, 'VALIDATION_FAILED', 'ข้อมูลไม่ถูกต้อง', {
        fields: [{ field: 'password', message: 'รหัสผ่านนี้เดาง่ายเกินไป' }],
      }),
    );
    const { onInvalidLink } = setUp();
    await press('บันทึกรหัสผ่านใหม่');
    expect(await screen.findByText('รหัสผ่านนี้เดาง่ายเกินไป')).toBeVisible();
    expect(onInvalidLink).not.toHaveBeenCalled();
  });
});
