import { filled, foreignNames, NOW, OVERLAYS, pathOf, settled } from './all-screens';
import { test } from './own-server';
import { expect, violations } from './support';

// High enough that no dialog scrolls: what lies under the edge of one has no size to measure.
test.use({ stoppedAt: NOW, viewport: { width: 1366, height: 1600 } });
test.describe.configure({ mode: 'default' });

/** What is open above the page. */
const OPEN = '[role=dialog]:visible, [role=menu]:visible';

for (const { name, path, role = 'admin', open } of OVERLAYS) {
  test(`${name}: opens, axe finds nothing, speaks Thai, closes, and gives the focus back`, async ({
    page,
    request,
    token,
    signInAs,
  }) => {
    await signInAs(role);
    await page.goto(await pathOf(request, token, path));
    await settled(page);
    await open(page);
    const overlay = page.locator(OPEN).last();
    await expect(overlay).toBeVisible();
    await filled(page);
    expect.soft(await violations(page), 'axe').toEqual([]);
    expect.soft(await foreignNames(page), 'English on a Thai screen').toEqual([]);
    await expect.soft(overlay.locator(':focus').or(overlay.and(page.locator(':focus')))).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(page.locator(OPEN)).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  });
}
