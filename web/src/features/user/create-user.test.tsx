import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { failure, routes, success } from '@/test/server';
import { CreateUserForm } from './create-user';

const ROLES = [
  { id: 1, name: 'ADMIN', label: 'ผู้ดูแลระบบ' },
  { id: 3, name: 'NURSE', label: 'พยาบาล' },
];
const input = (name: string) => screen.getByRole('textbox', { name });
const submit = () => screen.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' });

function setUp(...answers: NonNullable<Parameters<typeof routes>[0]['POST']>) {
  const requests = routes({ GET: [success(ROLES)], POST: answers });
  const onLinkMade = vi.fn();
  renderInApp(<CreateUserForm onLinkMade={onLinkMade} />);
  return { sent: () => requests.filter(({ method }) => method === 'POST'), onLinkMade };
}

/** Without typing, which would render the form for every key. */
const write = (element: HTMLElement, value: string) => fireEvent.change(element, { target: { value } });

async function fillIn() {
  write(input('ชื่อผู้ใช้'), ' wanida.s ');
  write(input('อีเมล'), 'wanida@sinakhon.example');
  write(input('ชื่อ-นามสกุล'), 'วนิดา แสงทอง');
  await screen.findByText('พยาบาล');
  write(screen.getByRole('combobox', { name: 'บทบาท' }), '3');
}

afterEach(() => vi.unstubAllGlobals());

describe('what is typed', () => {
  test.each([
    ['ชื่อผู้ใช้', 'ab', 'ใช้ตัวอักษร ตัวเลข จุด ขีด หรือขีดล่าง 3–64 ตัว'],
    ['ชื่อผู้ใช้', 'some@one', 'ใช้ตัวอักษร ตัวเลข จุด ขีด หรือขีดล่าง 3–64 ตัว'],
    ['อีเมล', 'no-email', 'รูปแบบอีเมลไม่ถูกต้อง'],
    ['โทรศัพท์', '12345', 'หมายเลขโทรศัพท์ต้องเป็นตัวเลข 9–10 หลัก ขึ้นต้นด้วย 0'],
  ])('shows the error of %s “%s” on blur', async (field, typed, message) => {
    setUp();
    await userEvent.type(input(field), typed);
    expect(screen.queryByText(message)).toBeNull();
    await userEvent.tab();
    expect(screen.getByText(message)).toBeVisible();
  });

  test('clears an error as soon as it is fixed', async () => {
    setUp();
    await userEvent.type(input('ชื่อผู้ใช้'), 'ab');
    await userEvent.tab();
    expect(input('ชื่อผู้ใช้')).toHaveAttribute('aria-invalid', 'true');
    await userEvent.type(input('ชื่อผู้ใช้'), 'c');
    expect(input('ชื่อผู้ใช้')).not.toHaveAttribute('aria-invalid', 'true');
  });

  test('sends nothing while a field is missing, and focuses the first error', async () => {
    const { sent } = setUp();
    await userEvent.click(submit());
    expect(await screen.findByText('กรุณาเลือกบทบาท')).toBeVisible();
    expect(screen.getByText('กรุณากรอกข้อมูล')).toBeVisible();
    await waitFor(() => expect(input('ชื่อผู้ใช้')).toHaveFocus());
    expect(sent()).toHaveLength(0);
  });

  test('a first password is checked against the username, too', async () => {
    const { sent } = setUp();
    await fillIn();
    await userEvent.click(screen.getByRole('radio', { name: /กำหนดรหัสผ่านแรก/ }));
    write(input('ชื่อผู้ใช้'), 'wanida.saengthong');
    write(screen.getByLabelText('รหัสผ่านแรก'), 'Wanida.Saengthong');
    await userEvent.click(submit());
    expect(await screen.findByText('รหัสผ่านต้องไม่เหมือนชื่อผู้ใช้')).toBeVisible();
    expect(sent()).toHaveLength(0);
  });
});

test('shows an error if the roles fail to load, and retries', async () => {
  routes({ GET: [failure(500, 'INTERNAL', 'เกิดข้อผิดพลาด'), success(ROLES)] });
  renderInApp(<CreateUserForm onLinkMade={vi.fn()} />);
  expect(await screen.findByText('เกิดข้อผิดพลาด')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'ลองอีกครั้ง' }));
  expect(await screen.findByRole('option', { name: 'พยาบาล' })).toBeInTheDocument();
  expect(screen.queryByText('เกิดข้อผิดพลาด')).toBeNull();
});

describe('sending', () => {
  test('sends a trimmed invitation and passes on the link', async () => {
    const user = {
      id: 9,
      name: 'วนิดา',
      email: 'w@x.example',
      invitation: { mailed: false, link: 'https://x/#token=1' },
    };
    const { sent, onLinkMade } = setUp(success(user));
    await fillIn();
    await userEvent.click(submit());
    await waitFor(() => expect(onLinkMade).toHaveBeenCalledWith(user));
    expect(await sent()[0]?.json()).toEqual({
      username: 'wanida.s',
      email: 'wanida@sinakhon.example',
      name: 'วนิดา แสงทอง',
      phone: '',
      position: '',
      licenseNo: '',
      roleId: 3,
      invite: true,
    });
  });

  test('a generated password is long enough, visible and sent', async () => {
    const { sent } = setUp(failure(500, 'INTERNAL', 'เกิดข้อผิดพลาด'));
    await fillIn();
    await userEvent.click(screen.getByRole('radio', { name: /กำหนดรหัสผ่านแรก/ }));
    await userEvent.click(screen.getByRole('button', { name: 'สุ่มรหัสผ่าน' }));
    const password = screen.getByLabelText<HTMLInputElement>('รหัสผ่านแรก');
    expect(password).toHaveAttribute('type', 'text');
    expect(password.value).toMatch(/^\w{4}-\w{4}-\w{4}$/);
    await userEvent.click(submit());
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(await sent()[0]?.json()).toMatchObject({ password: password.value });
  });

  test('shows a server error at its focused field and keeps the typed values', async () => {
    setUp(
      failure(409, 'DUPLICATE', 'มีข้อมูลนี้อยู่ในระบบแล้ว', {
        fields: [{ field: 'username', message: 'มีผู้ใช้ชื่อนี้แล้ว' }],
      }),
    );
    await fillIn();
    await userEvent.click(submit());
    expect(await screen.findByText('มีผู้ใช้ชื่อนี้แล้ว')).toBeVisible();
    await waitFor(() => expect(input('ชื่อผู้ใช้')).toHaveFocus());
    expect(input('ชื่อ-นามสกุล')).toHaveValue('วนิดา แสงทอง');
    write(input('ชื่อผู้ใช้'), 'wanida.x');
    expect(screen.queryByText('มีผู้ใช้ชื่อนี้แล้ว')).toBeNull();
  });

  test('shows any other error with its request id', async () => {
    setUp(failure(403, 'FORBIDDEN', 'ให้สิทธิ์ที่ตนเองไม่มีแก่ผู้อื่นไม่ได้'));
    await fillIn();
    await userEvent.click(submit());
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('ให้สิทธิ์ที่ตนเองไม่มีแก่ผู้อื่นไม่ได้');
    expect(alert).toHaveTextContent('req-123');
  });

  test('sends once for several clicks', async () => {
    const { sent } = setUp(failure(500, 'INTERNAL', 'เกิดข้อผิดพลาด'));
    await fillIn();
    const form = screen.getByRole('form', { name: 'เพิ่มผู้ใช้งาน' });
    fireEvent.submit(form);
    fireEvent.submit(form);
    fireEvent.submit(form);
    await screen.findByRole('alert');
    expect(sent()).toHaveLength(1);
  });
});
