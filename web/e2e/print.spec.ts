import { adminCall } from './accounts';
import { test } from './own-server';
import { expect, type Role, withSettings } from './support';

test.use({ whose: 'print' });
test.describe.configure({ mode: 'default' });

/** The printed pages: who prints them, and what must be on them. */
const PAPERS: [path: string, role: Role, content: string][] = [
  ['/app/dashboard', 'executive', '[data-chart]'],
  ['/app/appointment/list', 'nurse', 'tbody tr'],
  ['/app/appointment/calendar', 'nurse', '[data-date]'],
  ['/app/appointment/calendar?view=week', 'nurse', '[data-id]'],
  ['/app/appointment/calendar?view=day', 'nurse', '[data-id]'],
  ['/app/serviceSchedule', 'nurse', '[role="grid"] td'],
  ['/app/patient-management', 'registrar', 'tbody tr'],
  ['/app/patient-management?tab=customers', 'registrar', 'tbody tr'],
  ['/app/patient-management/1/edit', 'registrar', 'dd'],
  ['/app/report', 'executive', '.recharts-surface'],
  ['/app/report?tab=no-show', 'executive', '.recharts-surface'],
  ['/app/report?tab=waiting-time', 'executive', '.recharts-surface'],
  ['/app/report?tab=workload', 'executive', '.recharts-surface'],
  ['/app/user-management', 'admin', 'tbody tr'],
  ['/app/user-management?tab=roles&role=3', 'admin', 'fieldset'],
  ['/app/user-management?tab=roles&view=compare', 'admin', 'tbody tr'],
  ['/app/global-config?tab=hospital', 'admin', 'form'],
  ['/app/global-config?tab=booking', 'admin', 'form'],
  ['/app/global-config?tab=services', 'admin', 'ol li'],
  ['/app/global-config?tab=holidays', 'admin', '[data-today]'],
  ['/app/global-config?tab=banners', 'admin', 'form'],
  ['/app/global-config?tab=reminders', 'admin', 'fieldset'],
  ['/app/global-config?tab=numbering', 'admin', 'form'],
  ['/app/global-config?tab=audit&entity=customer', 'admin', 'tbody tr button'],
];
/** A4 without margins, in CSS pixels. */
const UPRIGHT = 718;
const ACROSS = 1046;

test('every printed page is complete, names the hospital, and is dark on white', {
  tag: '@long',
}, async ({ page, context, signInAs }) => {
  test.slow();
  await withSettings(page, { dark: true });
  for (const [path, role, content] of PAPERS) {
    await context.clearCookies();
    await signInAs(role);
    await page.setViewportSize({ width: 1366, height: 768 });
    await page.goto(path);
    const main = page.getByRole('main');
    await expect(main.locator(content === 'dd' ? 'form' : content).first()).toBeVisible();
    // Emulates what the browser does for printing.
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    const across = (await page.locator('[data-wide-paper]').count()) > 0;
    await page.setViewportSize({ width: across ? ACROSS : UPRIGHT, height: 1040 });

    await expect.soft(page.getByText(/โรงพยาบาลศรีนคร · /), path).toBeVisible();
    await expect.soft(page.getByText(/^พิมพ์เมื่อ .+ 25\d\d/), path).toBeVisible();
    await expect.soft(page.getByRole('navigation'), path).toHaveCount(0);
    await expect.soft(page.getByRole('tab'), path).toHaveCount(0);
    await expect.soft(main.locator(content).first(), path).toBeVisible();
    // Buttons, filters and file inputs are not printed; the text of a log entry is a button and is printed.
    const name = /^(บันทึก|เพิ่ม|เลือก|เปลี่ยนโลโก้|ล้างตัวกรอง|โหลดรายการล่าสุด|จัดการ)/;
    const acting = main.getByRole('button', { name }).and(page.locator(':not([data-printed])'));
    await expect.soft(acting, path).toHaveCount(0);
    await expect.soft(page.locator('html'), path).toHaveAttribute('data-mantine-color-scheme', 'light');
    const beyond = await main.evaluate((element) => {
      const paper = document.documentElement.clientWidth + 1;
      const seen = [...element.querySelectorAll<HTMLElement>('*')].filter((one) => one.checkVisibility());
      return seen
        .filter((one) => one.getBoundingClientRect().right > paper)
        .map((one) => one.outerHTML.slice(0, 120));
    });
    expect.soft(beyond.slice(0, 3), path).toEqual([]);
    await page.emulateMedia({ media: null });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expect.soft(page.locator('html'), path).toHaveAttribute('data-mantine-color-scheme', 'dark');
  }
});

test('a list that fits on one page prints one page', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto('/app/patient-management');
  await expect(page.getByRole('main').locator('tbody tr:nth-child(20)')).toBeVisible();
  const paper = await page.pdf({ preferCSSPageSize: true, format: 'A4' });
  expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
});

test('checked boxes are visible in print without backgrounds', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/user-management?tab=roles&role=3');
  const ticked = page.getByRole('checkbox', { checked: true }).first();
  await expect(ticked).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(ticked).toHaveCSS('print-color-adjust', 'exact');
});

test('the comparison of many roles fits on the printed page', async ({ page, request, token, signInAs }) => {
  for (let n = 1; n <= 8; n++) {
    const role = { name: `WARD_${n}`, label: `เจ้าหน้าที่หอผู้ป่วยพิเศษชั้นที่ ${n}`, permissions: [] };
    await adminCall(request, token, '/admin/api/v1/role/create', role);
  }
  await signInAs('admin');
  await page.goto('/app/user-management?tab=roles&view=compare');
  const table = page.getByRole('main').getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveCount(15);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: ACROSS, height: 1040 });
  await expect
    .poll(() => table.evaluate((one) => one.getBoundingClientRect().right))
    .toBeLessThanOrEqual(ACROSS);
});
