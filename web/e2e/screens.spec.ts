import type { Page } from '@playwright/test';
import { expect, test, withSettings } from './support';

/** The hospital's logo comes by itself, after the text. */
const logoIsThere = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(
        () => document.images.length > 0 && [...document.images].every((image) => image.naturalWidth > 0),
      ),
    )
    .toBe(true);

/** Pictures of what changes least: the sign-in page and the frame around an empty page. */
test.beforeEach(async ({ page }) => {
  await page.clock.setFixedTime(new Date('2026-11-15T09:30:00+07:00'));
});

test('the sign-in page', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByText('โรงพยาบาลศรีนคร')).toBeVisible();
  await logoIsThere(page);
  await expect(page).toHaveScreenshot('sign-in.png', { caret: 'hide' });
});

for (const [name, settings] of [
  ['frame', {}],
  ['frame-dark', { dark: true }],
  ['frame-rtl', { rtl: true, tone: 'dark' }],
] as const) {
  test(`the ${name}`, async ({ page, signInAs }) => {
    await withSettings(page, settings);
    await signInAs('admin');
    await page.goto('/app/nothing');
    await expect(page.getByRole('heading', { name: 'Not Found · ไม่พบหน้านี้' })).toBeVisible();
    await expect(page.getByRole('complementary').getByText('โรงพยาบาลศรีนคร')).toBeVisible();
    await logoIsThere(page);
    await expect(page).toHaveScreenshot(`${name}.png`);
  });
}
