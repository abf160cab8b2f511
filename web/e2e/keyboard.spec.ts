import type { Locator, Page } from '@playwright/test';
import { uniqueName } from './accounts';
import { Clinic, dayFromNow, runningSlot } from './appointment-support';
import { test as base } from './own-server';
import { fullName, Registration } from './patient-support';
import { box, rolePath, saveBar } from './role-support';
import { quietDay } from './schedule-support';
import { png, save, tabPath } from './setting-support';
import { expect, PASSWORD } from './support';

declare global {
  interface Window {
    announcements: string[];
  }
}

/** Runs in the page: records what a screen reader would announce. */
function listen() {
  const LIVE = '[role="status"], [role="alert"], [aria-live="polite"], [aria-live="assertive"]';
  window.announcements = [];
  const known = new WeakSet<Element>();
  new MutationObserver((records) => {
    const touched = new Set<Element>();
    for (const { target, addedNodes } of records) {
      const region = (target instanceof Element ? target : target.parentElement)?.closest(LIVE);
      if (region) touched.add(region);
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        if (node.matches('[role="alert"]')) touched.add(node);
        for (const alert of node.querySelectorAll('[role="alert"]')) touched.add(alert);
      }
    }
    // A status inserted together with its text is not announced; an alert is.
    for (const region of touched) {
      if (known.has(region) || region.matches('[role="alert"]'))
        window.announcements.push(region.textContent ?? '');
    }
    for (const region of document.querySelectorAll(LIVE)) known.add(region);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** A user without a mouse, who may not see the screen. */
class KeyboardUser {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses a key and expects that an element has the focus. */
  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    await expect
      .poll(() => this.page.evaluate(() => document.activeElement !== document.body), `focus after ${key}`)
      .toBe(true);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Tabs to the element and expects a visible focus ring. */
  async reach(target: Locator, key = 'Tab'): Promise<void> {
    await target.waitFor({ state: 'attached' });
    const here = () => target.evaluate((node) => node === document.activeElement);
    for (let steps = 0; !(await here()); steps += 1) {
      if (steps === 100) throw new Error(`${target} is not reached by ${key}`);
      await this.page.keyboard.press(key);
    }
    await expect.poll(() => target.evaluate(isMarked), `${target} shows that it has the focus`).toBe(true);
  }

  /** Tabs to the element and presses it. */
  async use(target: Locator, key = 'Enter'): Promise<void> {
    await this.reach(target);
    await this.press(key);
  }

  /** Expects that the text was announced since the last call. */
  async hear(text: string | RegExp): Promise<void> {
    const announced = () => this.page.evaluate(() => window.announcements);
    await expect
      .poll(async () => (await announced()).filter((line) => line.search(text) >= 0), `${text} is read out`)
      .not.toEqual([]);
    await this.page.evaluate(() => {
      window.announcements.length = 0;
    });
  }
}

/** Reports whether the focus ring is on the element or on the one shown instead of it. */
function isMarked(node: Element): boolean {
  const candidates = [node, node.nextElementSibling, node.parentElement, node.closest('label')];
  return candidates.some((one) => {
    if (!one) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'none' && outlineWidth !== '0px';
  });
}

const test = base.extend<{ user: KeyboardUser; clinic: Clinic; registration: Registration }>({
  user: async ({ page }, use) => {
    await page.addInitScript(listen);
    await use(new KeyboardUser(page));
  },
  clinic: async ({ request, token }, use) => use(new Clinic(request, token)),
  registration: async ({ request, tokensOf }, use) => {
    const { accessToken, smqAccessToken } = await tokensOf(request, 'registrar');
    await use(new Registration(request, accessToken, smqAccessToken));
  },
});
test.describe.configure({ mode: 'default' });

const allDay = { from: '00:00', to: '24:00', minutes: 30, leadMinutes: 0 };

test('a registrar signs in, finds a patient and books', { tag: '@long' }, async ({
  page,
  user,
  clinic,
  registration,
}) => {
  const service = await clinic.addService(allDay);
  const patient = await registration.register();
  await page.goto('/login');
  await expect(page.getByLabel('ชื่อผู้ใช้หรืออีเมล')).toBeFocused();
  await user.type('registrar');
  await user.press('Tab');
  await user.type('not the password');
  await user.press('Enter');
  await user.hear('ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง');
  await user.reach(page.getByLabel('รหัสผ่าน', { exact: true }), 'Shift+Tab');
  await user.press('Control+a');
  await user.type(PASSWORD);
  await user.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await user.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
  await user.type(patient.phone);
  await user.hear('พบ 1 รายการ');
  await user.press('Control+Enter');
  await expect(page).toHaveURL(/appointment\/create\?.*patientId=/);
  const choice = page.getByRole('radio', { name: new RegExp(service.name) });
  await user.reach(page.getByRole('radiogroup', { name: 'บริการ' }).locator('input').first());
  await expect(async () => {
    if (!(await choice.isChecked())) await user.press('ArrowUp');
    expect(await choice.isChecked()).toBe(true);
  }).toPass({ intervals: [10] });
  await expect(page.getByTestId('chosen')).toContainText('น.');
  await user.press('Enter');
  await user.hear('จองนัดแล้ว');
  await expect(page.getByRole('button', { name: 'พิมพ์ใบนัด' })).toBeFocused();
});

test('the queue desk checks in, calls in and undoes it', { tag: '@long' }, async ({
  page,
  user,
  clinic,
  registration,
  signInAs,
}) => {
  const service = await clinic.addService(allDay);
  const patient = await registration.register();
  const name = fullName(patient);
  await clinic.book(patient, service, dayFromNow(0), runningSlot(30), { kind: 'WALK_IN' });
  await signInAs('queue');
  await page.goto(`/app/appointment/list?service=${service.id}`);
  await user.use(page.getByRole('button', { name: `มาถึงแล้ว: ${name}` }));
  await user.hear(`${name}: มาถึงแล้ว ได้คิว 1`);
  // The focus moves to the next row.
  const next = page.getByRole('button', { name: `เริ่มตรวจ: ${name}` });
  await expect(next).toBeFocused();
  // The press guard ignores an Enter right after the response, until the focus has left the button and returned.
  await user.press('Tab');
  await user.press('Shift+Tab');
  await expect(next).toBeFocused();
  await user.press('Enter');
  await user.hear(`${name}: เปลี่ยนเป็นกำลังตรวจ`);
  await user.use(page.getByRole('button', { name: 'เลิกทำ' }));
  await user.hear(`${name}: กลับเป็น มาถึงแล้ว`);
  await expect(page.getByRole('row').filter({ hasText: name }).locator(':focus')).toHaveCount(1);
});

test('a doctor records a result', { tag: '@long' }, async ({
  page,
  user,
  clinic,
  registration,
  signInAs,
}) => {
  const visit = await clinic.book(
    await registration.register(),
    await clinic.addService(),
    dayFromNow(1),
    '09:00',
  );
  await signInAs('doctor');
  await page.goto(`/app/appointment/${visit.id}/diagnosisResults`);
  const button = page.getByRole('button', { name: 'บันทึกผล', exact: true });
  await user.use(button);
  await expect(page.getByRole('textbox', { name: 'คำวินิจฉัย' })).toBeFocused();
  await user.type('เบาหวานชนิดที่ 2');
  await user.reach(page.getByRole('combobox', { name: 'รหัส ICD-10' }));
  await user.type('e119');
  await user.press('Enter');
  await user.use(button);
  await user.hear('บันทึกผลการตรวจแล้ว');
  await expect(page.getByRole('list', { name: 'ผลที่บันทึกในนัดนี้' })).toContainText('E11.9');
  await expect(button).toBeFocused();
});

test('a nurse changes a capacity and adds a holiday', { tag: '@long' }, async ({
  page,
  user,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ bookingWindowDays: 365 });
  await signInAs('nurse');
  await page.goto(`/app/serviceSchedule?service=${service.id}&date=${quietDay(1)}`);
  const grid = page.getByRole('grid');
  await user.reach(grid.locator('[tabindex="0"]'));
  await user.press('Control+Home');
  await user.press('Enter');
  const capacity = page.getByRole('dialog').getByLabel(/จำนวนที่รับ/);
  await expect(capacity).toBeFocused();
  // The old number is selected shortly after the focus, before a user could type but after this test would.
  await expect.poll(() => capacity.evaluate((box: HTMLInputElement) => box.selectionEnd)).toBeGreaterThan(0);
  await user.type('5');
  await user.press('Enter');
  await user.hear(/ปรับเป็น 5 คนแล้ว/);
  await expect(grid.locator(':focus')).toHaveCount(1);

  await page.goto('/app/serviceSchedule?view=closures&date=2031-06-01');
  const add = page.getByRole('button', { name: 'เพิ่มวันหยุดหรืองดให้บริการ' });
  await user.use(add);
  const dialog = page.getByRole('dialog', { name: 'งดให้บริการ' });
  await expect(dialog.getByRole('textbox', { name: 'เหตุผล' })).toBeFocused();
  await user.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(add).toBeFocused();
  await user.press('Enter');
  await expect(dialog.getByRole('textbox', { name: 'เหตุผล' })).toBeFocused();
  await user.type('ทำบุญโรงพยาบาล');
  await user.reach(dialog.getByRole('radio', { name: 'งดให้บริการ' }), 'Shift+Tab');
  await user.press('ArrowRight');
  await expect(dialog.getByRole('radio', { name: 'วันหยุด' })).toBeChecked();
  await user.use(dialog.getByRole('button', { name: 'งดให้บริการ' }));
  await user.hear('งดให้บริการแล้ว: ทำบุญโรงพยาบาล');
  await expect(add).toBeFocused();
});

test('an administrator adds an account, a permission and a banner', { tag: '@long' }, async ({
  page,
  user,
  records,
  signInAs,
}) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  const username = uniqueName('keys');
  await signInAs('admin');
  await page.goto('/app/user-management');
  await user.use(page.getByRole('link', { name: 'เพิ่มผู้ใช้งาน' }));
  await user.reach(page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }));
  await user.type(username);
  await user.reach(page.getByRole('textbox', { name: 'อีเมล' }));
  await user.type(`${username}@sinakhon.example`);
  await user.reach(page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' }));
  await user.type('มาลี แสงทอง');
  const duty = page.getByRole('combobox', { name: 'บทบาท' });
  await user.reach(duty);
  await user.press('ArrowDown');
  await expect(duty).not.toHaveValue('');
  await user.reach(page.getByRole('radio', { name: 'ส่งคำเชิญให้ตั้งรหัสผ่านเอง' }));
  await user.press('ArrowDown');
  await user.use(page.getByRole('button', { name: 'สุ่มรหัสผ่าน' }));
  await user.use(page.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' }));
  await expect(page).toHaveURL('/app/user-management');
  await user.hear('เพิ่มบัญชีของ มาลี แสงทอง แล้ว');

  await page.goto(rolePath(role.id));
  await user.reach(box(page, 'DASHBOARD.SHOW'));
  await user.press('ArrowDown');
  await user.press('ArrowUp');
  await user.reach(box(page, 'REPORT.SHOW'));
  await user.press('Space');
  await user.hear(/2 จาก \d+/);
  await user.use(saveBar(page).getByRole('button', { name: 'บันทึกบทบาท' }));
  await user.hear(`บันทึกบทบาท${role.label}แล้ว`);
  await expect(page.getByRole('heading', { level: 2, name: role.label })).toBeFocused();

  await page.goto(tabPath('banners'));
  const chooser = page.waitForEvent('filechooser');
  await user.use(page.getByRole('button', { name: 'เลือกรูป' }));
  await (await chooser).setFiles({
    name: 'กิจกรรม.png',
    mimeType: 'image/png',
    buffer: png(60, 20, [21, 128, 61]),
  });
  await user.reach(page.getByRole('region', { name: 'ตัวอย่างรูปที่จะอัปโหลด' }).getByLabel('คำอธิบายรูป'));
  await user.type('เดินวิ่งเพื่อสุขภาพ');
  await user.use(page.getByRole('button', { name: 'อัปโหลด', exact: true }));
  await user.hear('เพิ่มแบนเนอร์แล้ว');
  const banner = page.getByRole('group', { name: 'เดินวิ่งเพื่อสุขภาพ', exact: true });
  await user.reach(banner.getByLabel('ลิงก์เมื่อกด'));
  await user.type('https://sinakhon.example/run');
  await user.use(save(page));
  await user.hear('บันทึกแล้ว: แบนเนอร์');
  await expect(save(page)).toBeFocused();
});

test('an executive exports a report', { tag: '@long' }, async ({ page, user, signInAs }) => {
  await signInAs('executive');
  await page.goto('/app/report?period=lastMonth');
  const menu = page.getByRole('button', { name: 'ส่งออก' });
  await user.use(menu);
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await user.press('ArrowDown');
  const file = page.waitForEvent('download');
  await user.press('Enter');
  await user.hear(/^ดาวน์โหลด .*\.csv แล้ว$/);
  expect((await file).suggestedFilename()).toMatch(/\.csv$/);
  await expect(menu).toBeFocused();
});
