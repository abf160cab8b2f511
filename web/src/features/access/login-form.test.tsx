import { act, createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { answerWith, failure, success } from '@/test/server';
import { LoginForm } from './login-form';

const username = () => screen.getByLabelText('ชื่อผู้ใช้หรืออีเมล');
const password = () => screen.getByLabelText('รหัสผ่าน');
const submit = () => screen.getByRole('button', { name: 'เข้าสู่ระบบ' });
const otp = () => screen.queryByLabelText('รหัสยืนยัน 6 หลัก');

function setUp(notice?: string) {
  const onSignedIn = vi.fn(async () => {});
  renderInApp(<LoginForm notice={notice} onSignedIn={onSignedIn} />);
  return onSignedIn;
}

async function fillIn(name = 'somying', secret = 'secret-word') {
  await userEvent.type(username(), name);
  await userEvent.type(password(), secret);
}

afterEach(() => vi.unstubAllGlobals());

test('focuses the username and has links to the other forms', () => {
  setUp('หมดเวลา');
  expect(username()).toHaveFocus();
  expect(screen.getByRole('status')).toHaveTextContent('หมดเวลา');
  expect(screen.getByRole('link', { name: 'ลืมรหัสผ่าน?' })).toHaveAttribute('href', '/forgot-password');
  expect(screen.getByRole('link', { name: 'ขอเปิดบัญชีผู้ใช้งาน' })).toHaveAttribute('href', '/register');
});

test('shows missing fields without a request', async () => {
  const requests = answerWith(success({}));
  setUp();
  await userEvent.click(submit());
  expect(screen.getByText('กรุณากรอกชื่อผู้ใช้หรืออีเมล')).toBeVisible();
  expect(screen.getByText('กรุณากรอกรหัสผ่าน')).toBeVisible();
  await waitFor(() => expect(username()).toHaveFocus());
  expect(requests).toHaveLength(0);
});

test('passes on the response; trims the name but not the password', async () => {
  const requests = answerWith(success({ accessToken: 'a' }));
  const onSignedIn = setUp();
  await fillIn(' somying ', ' my secret ');
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
  expect(onSignedIn.mock.lastCall?.at(0)).toEqual({ accessToken: 'a' });
  expect(await requests[0]?.json()).toEqual({ username: 'somying', password: ' my secret ' });
});

test('shows the server’s error with its request id and keeps the typed values', async () => {
  answerWith(failure(401, 'INVALID_CREDENTIALS', 'ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง'));
  const onSignedIn = setUp();
  await fillIn();
  await userEvent.click(submit());
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง');
  expect(alert).toHaveTextContent('req-123');
  expect(username()).toHaveValue('somying');
  expect(password()).toHaveValue('secret-word');
  expect(onSignedIn).not.toHaveBeenCalled();
});

test('does not sign in on 200 without success', async () => {
  answerWith({ body: { success: false, data: { accessToken: 'a' } } });
  const onSignedIn = setUp();
  await fillIn();
  await userEvent.click(submit());
  expect(await screen.findByRole('alert')).toHaveTextContent('ระบบตอบกลับผิดปกติ');
  expect(onSignedIn).not.toHaveBeenCalled();
});

test('shows that the server cannot be reached', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  setUp();
  await fillIn();
  await userEvent.click(submit());
  expect(await screen.findByRole('alert')).toHaveTextContent('ติดต่อระบบไม่ได้');
});

test('asks for the code if the server requires one, and sends it', async () => {
  const requests = answerWith(
    failure(401, 'OTP_REQUIRED', 'ต้องใช้รหัสยืนยัน'),
    failure(401, 'INVALID_CREDENTIALS', 'รหัสยืนยันไม่ถูกต้อง'),
    success({ accessToken: 'a' }),
  );
  const onSignedIn = setUp();
  await fillIn();
  expect(otp()).toBeNull();
  await userEvent.click(submit());
  await waitFor(() => expect(otp()).toHaveFocus());
  expect(screen.queryByRole('alert')).toBeNull();

  await userEvent.keyboard('12ab{Enter}');
  expect(await screen.findByText('กรุณากรอกรหัสเป็นตัวเลข 6 หลัก')).toBeVisible();
  expect(requests).toHaveLength(1);

  await userEvent.clear(otp() as HTMLElement);
  await userEvent.type(otp() as HTMLElement, '111111{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('รหัสยืนยันไม่ถูกต้อง');

  await userEvent.clear(otp() as HTMLElement);
  await userEvent.type(otp() as HTMLElement, '123456{Enter}');
  await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
  expect(await requests[2]?.json()).toEqual({ username: 'somying', password: 'secret-word', otp: '123456' });
});

test('sends once for several clicks', async () => {
  const requests = answerWith(success({ accessToken: 'a' }));
  const onSignedIn = setUp();
  await fillIn();
  const form = screen.getByRole('form', { name: 'เข้าสู่ระบบ' });
  act(() => {
    fireEvent.submit(form);
    fireEvent.submit(form);
    fireEvent.submit(form);
  });
  await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
  expect(requests).toHaveLength(1);
});

test('stays busy until the next page is shown', async () => {
  answerWith(success({ accessToken: 'a' }));
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  renderInApp(<LoginForm onSignedIn={() => arrival} />);
  await fillIn();
  await userEvent.click(submit());
  await waitFor(() => expect(submit()).toHaveAttribute('data-loading', 'true'));
  arrive();
  await waitFor(() => expect(submit()).not.toHaveAttribute('data-loading'));
});

test('the password can be shown and hidden', async () => {
  setUp();
  expect(password()).toHaveAttribute('type', 'password');
  await userEvent.click(screen.getByRole('button', { name: 'แสดงรหัสผ่าน' }));
  expect(password()).toHaveAttribute('type', 'text');
  await userEvent.click(screen.getByRole('button', { name: 'ซ่อนรหัสผ่าน' }));
  expect(password()).toHaveAttribute('type', 'password');
});

/** The test DOM does not support Caps Lock. */
function press(type: 'keyDown' | 'keyUp', capsLock: boolean) {
  const event = createEvent[type](password(), { key: 'a' });
  Object.assign(event, { getModifierState: (key: string) => key === 'CapsLock' && capsLock });
  fireEvent(password(), event);
}

test('warns about Caps Lock while it is on', () => {
  setUp();
  press('keyDown', true);
  expect(screen.getByText('เปิด Caps Lock อยู่')).toBeVisible();
  press('keyUp', false);
  expect(screen.queryByText('เปิด Caps Lock อยู่')).toBeNull();
});
