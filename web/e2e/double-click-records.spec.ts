import type { Page } from '@playwright/test';
import { th } from '../src/i18n/th';
import { fillRegistration, registered, uniqueName } from './accounts';
import { dialog, one, test, testDoubleClicks } from './double-click-support';
import {
  field,
  NEW,
  type Registration,
  type TestCustomer,
  typePerson,
  uniqueIdCard,
  uniquePhone,
  uniqueThai,
} from './patient-support';
import { box, OWN_PASSWORD, rolePath, unique } from './role-support';
import { choosePicture, png, save, tabPath } from './setting-support';
import { expect, logIn, PASSWORD } from './support';

test.use({ whose: 'double-click records' });
test.describe.configure({ mode: 'default' });

/** Leaves the app before removing its cookies, so that a pending sign-in sets none afterwards. */
async function signedOut(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.context().clearCookies();
}

/** Opens the menu of the first of two customers: a second press must not reach the other. */
async function menuOfOneOfTwo(page: Page, registration: Registration): Promise<TestCustomer> {
  const family = uniqueThai('วงศ์');
  const first = await registration.addCustomer({ name: `ก ${family}` });
  await registration.addCustomer({ name: `ข ${family}` });
  await page.goto(`/app/patient-management?tab=customers&q=${family}`);
  await page.getByRole('button', { name: `จัดการ ${first.name}` }).click();
  return first;
}

testDoubleClicks({
  'patient: register': async ({ page }) => {
    await page.goto(NEW);
    await typePerson(page, uniqueIdCard(), uniqueThai('ทดสอบ'));
    return { press: page.getByRole('button', { name: th.patient.submit }), changes: ['patient.create *'] };
  },
  'patient: save': async ({ page, registration }) => {
    const patient = await registration.register();
    await page.goto(`/app/patient-management/${patient.id}/edit`);
    await field(page, 'โทรศัพท์').fill(uniquePhone());
    const press = page.getByRole('button', { name: 'บันทึก', exact: true });
    return { press, changes: [`patient.update ${patient.id}`] };
  },
  'patient: show the ID card': async ({ page, registration }) => {
    const patient = await registration.register();
    await page.goto(`/app/patient-management/${patient.id}/edit`);
    await page.getByRole('button', { name: 'แสดงเลขบัตร' }).click();
    await dialog(page).getByLabel('เหตุผล').fill('ตรวจสอบสิทธิ');
    const press = dialog(page).getByRole('button', { name: 'แสดงเลขบัตร' });
    return { press, changes: [`patient.reveal-id-card ${patient.id}`] };
  },
  'patient: delete': async ({ page, registration }) => {
    const patient = await registration.register();
    await page.goto(`/app/patient-management/${patient.id}/edit`);
    await page.getByRole('button', { name: /^จัดการข้อมูลของ/ }).click();
    await page.getByRole('menuitem', { name: th.patient.delete }).click();
    await dialog(page).getByLabel(th.action.reason).fill('ลงทะเบียนผิดคน');
    const press = dialog(page).getByRole('button', { name: th.patient.delete });
    return { press, changes: [`patient.delete ${patient.id}`] };
  },
  'customer: add': async ({ page }) => {
    await page.goto('/app/patient-management?tab=customers&customer=new');
    await dialog(page).getByLabel('ชื่อ-นามสกุล').fill(uniqueThai('มานี'));
    await dialog(page).getByLabel('โทรศัพท์').fill(uniquePhone());
    return { press: dialog(page).getByRole('button', { name: 'บันทึก' }), changes: ['customer.create *'] };
  },
  'customer: delete': async ({ page, registration }) => {
    const customer = await menuOfOneOfTwo(page, registration);
    await page.getByRole('menuitem', { name: th.customer.delete }).click();
    const press = dialog(page).getByRole('button', { name: th.customer.delete });
    return { press, changes: [`customer.delete ${customer.id}`] };
  },
  'users: approve': async ({ page, request, token }) => {
    const family = uniqueThai('รอ');
    const people = [
      await registered(request, token, `ก ${family}`),
      await registered(request, token, `ข ${family}`),
    ];
    await page.goto(`/app/user-management?status=PENDING&q=${family}`);
    await page.getByRole('button', { name: th.user.approveNamed(one(people).name) }).click();
    await dialog(page).getByRole('combobox', { name: 'บทบาท' }).selectOption('พยาบาล');
    const press = dialog(page).getByRole('button', { name: th.user.approve, exact: true });
    return { press, changes: [`user.update ${one(people).id}`] };
  },
  'users: suspend': async ({ page, records }) => {
    const role = await records.role(['DASHBOARD.SHOW']);
    const [user] = [await records.user(role.id), await records.user(role.id)];
    await page.goto(`/app/user-management?status=ACTIVE&roleId=${role.id}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    return { press: page.getByRole('menuitem', { name: 'ระงับบัญชี' }), changes: [`user.update ${user.id}`] };
  },
  'users: end sessions': async ({ page, records, request }) => {
    const user = await records.user((await records.role(['DASHBOARD.SHOW'])).id);
    await logIn(request, user.username, 'first password of all');
    await page.goto(`/app/user-management?q=${user.username}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    await page.getByRole('menuitem', { name: th.user.endSessions }).click();
    const press = dialog(page).getByRole('button', { name: th.user.endAllSessions });
    return { press, changes: ['session.end *'] };
  },
  'roles: save': async ({ page, records }) => {
    const role = await records.role(['DASHBOARD.SHOW']);
    await page.goto(rolePath(role.id));
    await box(page, 'APPOINTMENT.SHOW').check();
    return { press: page.getByRole('button', { name: 'บันทึกบทบาท' }), changes: [`role.update ${role.id}`] };
  },
  'services: delete': async ({ page, clinic }) => {
    const service = await clinic.addService({ sort: 1 });
    await page.goto(tabPath('services'));
    await page.getByRole('button', { name: new RegExp(`^จัดการบริการ.*${service.name}`) }).click();
    await page.getByRole('menuitem', { name: th.service.delete }).click();
    const press = dialog(page).getByRole('button', { name: th.service.delete });
    return { press, changes: [`service.delete ${service.id}`] };
  },
  'settings: save': async ({ page }) => {
    await page.goto(tabPath('hospital'));
    await page.getByLabel('โทรศัพท์').first().fill(uniquePhone());
    return { press: save(page), changes: ['setting.update *'] };
  },
  'sign in': async ({ page }) => {
    await signedOut(page);
    await page.goto('/login');
    await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('nurse');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
    return { press: page.getByRole('button', { name: 'เข้าสู่ระบบ' }), changes: ['auth.login *'] };
  },
  'customer: save': async ({ page, registration }) => {
    const customer = await registration.addCustomer();
    await page.goto(`/app/patient-management?tab=customers&customer=${customer.id}`);
    await dialog(page).getByLabel('โทรศัพท์').fill(uniquePhone());
    const press = dialog(page).getByRole('button', { name: 'บันทึก' });
    return { press, changes: [`customer.update ${customer.id}`] };
  },
  'customer: suspend': async ({ page, registration }) => {
    const customer = await menuOfOneOfTwo(page, registration);
    return {
      press: page.getByRole('menuitem', { name: 'ระงับ' }),
      changes: [`customer.update ${customer.id}`],
    };
  },
  'users: add': async ({ page }) => {
    const username = uniqueName('twice');
    await page.goto('/app/user-management/create');
    await page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }).fill(username);
    await page.getByRole('textbox', { name: 'อีเมล' }).fill(`${username}@sinakhon.example`);
    await page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' }).fill('ธนพร ใจเย็น');
    await page.getByRole('combobox', { name: 'บทบาท' }).selectOption('พยาบาล');
    const press = page.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' });
    return { press, changes: ['user.create *', 'user.reset-link *'] };
  },
  'users: save': async ({ page, records }) => {
    const user = await records.user((await records.role(['DASHBOARD.SHOW'])).id);
    await page.goto(`/app/user-management/${user.id}/edit`);
    await page.getByRole('textbox', { name: 'โทรศัพท์' }).fill(uniquePhone());
    const press = page.getByRole('button', { name: 'บันทึก', exact: true });
    return { press, changes: [`user.update ${user.id}`] };
  },
  'users: temporary password': async ({ page, records }) => {
    const user = await records.user((await records.role(['DASHBOARD.SHOW'])).id);
    await page.goto(`/app/user-management?q=${user.username}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    await page.getByRole('menuitem', { name: 'รหัสผ่านใหม่' }).click();
    await dialog(page)
      .getByRole('radio', { name: /กำหนดรหัสผ่านชั่วคราว/ })
      .check();
    await dialog(page).getByRole('textbox', { name: 'รหัสผ่านชั่วคราว' }).fill('for one day only');
    const press = dialog(page).getByRole('button', { name: 'กำหนดรหัสผ่านชั่วคราว' });
    return { press, changes: [`user.update ${user.id}`] };
  },
  'users: link for a new password': async ({ page, records }) => {
    const user = await records.user((await records.role(['DASHBOARD.SHOW'])).id);
    await page.goto(`/app/user-management?q=${user.username}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    await page.getByRole('menuitem', { name: 'รหัสผ่านใหม่' }).click();
    const press = dialog(page).getByRole('button', { name: th.user.makeLink });
    return { press, changes: [`user.reset-link ${user.id}`] };
  },
  'users: delete': async ({ page, records }) => {
    const role = await records.role(['DASHBOARD.SHOW']);
    const [user] = [await records.user(role.id), await records.user(role.id)];
    await page.goto(`/app/user-management?status=ACTIVE&roleId=${role.id}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    await page.getByRole('menuitem', { name: 'ลบบัญชี' }).click();
    const press = dialog(page).getByRole('button', { name: 'ลบบัญชี' });
    return { press, changes: [`user.delete ${user.id}`] };
  },
  'roles: add': async ({ page }) => {
    await page.goto(rolePath('new'));
    const own = unique();
    await page.getByLabel('ชื่อบทบาท').fill(`ห้องบัตร ${own}`);
    await page.getByLabel('รหัสบทบาท').fill(`ward ${own}`);
    await box(page, 'APPOINTMENT.SHOW').check();
    return { press: page.getByRole('button', { name: 'เพิ่มบทบาท' }), changes: ['role.create *'] };
  },
  'roles: delete': async ({ page, records }) => {
    const role = await records.role(['DASHBOARD.SHOW']);
    await page.goto(rolePath(role.id));
    await page.getByRole('main').getByRole('button', { name: 'ลบบทบาท' }).click();
    const press = dialog(page).getByRole('button', { name: 'ลบบทบาท' });
    return { press, changes: [`role.delete ${role.id}`] };
  },
  'services: add': async ({ page }) => {
    await page.goto(tabPath('services'));
    await page.getByRole('link', { name: 'เพิ่มบริการ' }).click();
    await dialog(page).getByLabel('ชื่อบริการ').fill(uniqueThai('คลินิก'));
    await dialog(page).getByLabel('รหัสบริการ').fill(`N${unique()}`);
    const press = dialog(page).getByRole('button', { name: 'บันทึก', exact: true });
    return { press, changes: ['service.create *'] };
  },
  'services: save': async ({ page, clinic }) => {
    const service = await clinic.addService({ sort: 1 });
    await page.goto(tabPath('services'));
    await page.getByRole('link', { name: service.name }).click();
    await dialog(page).getByLabel('สถานที่').fill(uniqueThai('อาคาร'));
    return { press: save(page), changes: [`service.update ${service.id}`] };
  },
  'services: close': async ({ page, clinic }) => {
    const service = await clinic.addService({ sort: 1 });
    await page.goto(tabPath('services'));
    await page.getByRole('button', { name: `จัดการบริการ ${service.name}` }).click();
    const press = page.getByRole('menuitem', { name: 'ปิดรับนัด' });
    return { press, changes: [`service.update ${service.id}`] };
  },
  'services: link of a display': async ({ page, clinic }) => {
    const service = await clinic.addService({ sort: 1 });
    await page.goto(tabPath('services'));
    await page.getByRole('button', { name: `จัดการบริการ ${service.name}` }).click();
    await page.getByRole('menuitem', { name: 'จอแสดงคิว' }).click();
    await dialog(page).getByLabel('ชื่อจอ').fill('หน้าห้องตรวจ 3');
    return { press: dialog(page).getByRole('button', { name: 'สร้างลิงก์' }), changes: ['display.create *'] };
  },
  'services: withdraw the link of a display': async ({ page, clinic }) => {
    const service = await clinic.addService({ sort: 1 });
    for (const label of ['จอ 1', 'จอ 2'])
      await clinic.call('service-config/displays/create', { serviceId: service.id, label });
    await page.goto(tabPath('services'));
    await page.getByRole('button', { name: `จัดการบริการ ${service.name}` }).click();
    await page.getByRole('menuitem', { name: 'จอแสดงคิว' }).click();
    await dialog(page)
      .getByRole('button', { name: th.display.revokeOf('จอ 1') })
      .click();
    const press = dialog(page).getByRole('button', { name: th.display.revoke, exact: true });
    return { press, changes: ['display.delete *'] };
  },
  'settings: choose a logo': async ({ page }) => {
    await page.goto(tabPath('hospital'));
    await choosePicture(page, 'โลโก้.png', png(64, 64, [21, 128, 61]));
    const press = page.getByRole('button', { name: th.setting.logo.use });
    return { press, changes: ['setting.update *'] };
  },
  'settings: remove the logo': async ({ page }) => {
    await page.goto(tabPath('hospital'));
    await choosePicture(page, 'โลโก้.png', png(64, 64, [21, 128, 61]));
    await page.getByRole('button', { name: th.setting.logo.use }).click();
    await expect(page.getByText(th.setting.logo.saved).first()).toBeVisible();
    const press = page.getByRole('button', { name: th.setting.logo.remove });
    return { press, changes: ['setting.update *'] };
  },
  'settings: add a banner': async ({ page }) => {
    await page.goto(tabPath('banners'));
    await choosePicture(page, 'กิจกรรม.png', png(300, 100, [21, 128, 61]));
    await page.getByLabel('คำอธิบายรูป').first().fill(uniqueThai('เดินวิ่ง'));
    const press = page.getByRole('button', { name: 'อัปโหลด', exact: true });
    return { press, changes: ['setting.update *'] };
  },
  'own page: end another session': async ({ page, request, asNewUser }) => {
    const username = await asNewUser();
    for (let count = 0; count < 3; count++) await logIn(request, username, OWN_PASSWORD);
    await page.goto('/app/profile');
    const list = page.getByRole('list', { name: 'เครื่องที่เข้าใช้งานอยู่' });
    const press = list.getByRole('button', { name: /^ให้ .* ออกจากระบบ$/ }).first();
    return { press, changes: ['session.end *'] };
  },
  'own page: end all other sessions': async ({ page, request, asNewUser }) => {
    await logIn(request, await asNewUser(), OWN_PASSWORD);
    await page.goto('/app/profile');
    const press = page.getByRole('button', { name: 'ให้เครื่องอื่นออกจากระบบทั้งหมด' });
    return { press, changes: ['session.end *'] };
  },
  'own page: change the password': async ({ page, asNewUser }) => {
    await asNewUser();
    await page.goto('/app/profile');
    const form = page.getByRole('form', { name: 'เปลี่ยนรหัสผ่าน' });
    await form.getByLabel('รหัสผ่านปัจจุบัน').fill(OWN_PASSWORD);
    await form.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('the ward is quiet tonight');
    await form.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill('the ward is quiet tonight');
    const press = form.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' });
    return { press, changes: ['auth.change-password *'] };
  },
  'own page: set up two-step sign-in': async ({ page, asNewUser }) => {
    await asNewUser();
    await page.goto('/app/profile');
    await page.getByRole('button', { name: th.account.totp.start }).click();
    const form = page.getByRole('form', { name: th.account.totp.start });
    await form.getByLabel('รหัสผ่านปัจจุบัน').fill(OWN_PASSWORD);
    const press = form.getByRole('button', { name: th.account.totp.next });
    return { press, changes: ['auth.totp-setup *'] };
  },
  'sign out': async ({ page, asNewUser }) => {
    await asNewUser();
    await page.goto('/app/dashboard');
    return { press: page.getByRole('button', { name: 'ออกจากระบบ' }), changes: ['auth.logout *'] };
  },
  'ask for an account': async ({ page }) => {
    await signedOut(page);
    const { submit } = await fillRegistration(page, { name: 'ผู้ขอ เปิดบัญชี', phone: '0812345678' });
    return { press: submit, changes: ['user.register *'] };
  },
});
