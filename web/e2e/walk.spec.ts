import { expectNoSidewaysScroll } from './accounts';
import { foreignNames, NOW, pathOf, SCREENS, settled } from './all-screens';
import { test } from './own-server';
import { expect, violations } from './support';

test.use({ stoppedAt: NOW });
test.describe.configure({ mode: 'default' });

const PHONE = { width: 360, height: 740 };
/** What is left of a desk's screen when everything is twice as large. */
const ZOOMED = { width: 683, height: 384 };

for (const { name, path, role = 'admin', ready } of SCREENS) {
  test(`${name}: axe finds nothing, speaks Thai, keeps still, and has room at 200 %`, async ({
    page,
    request,
    token,
    signInAs,
  }) => {
    if (role) await signInAs(role);
    await page.goto(await pathOf(request, token, path));
    await settled(page);
    await ready?.(page);
    expect.soft(await violations(page), 'axe').toEqual([]);
    expect.soft(await foreignNames(page), 'English on a Thai screen').toEqual([]);
    expect.soft(await page.evaluate(running), 'moves although told not to').toEqual([]);
    for (const size of [ZOOMED, PHONE]) {
      await page.setViewportSize(size);
      await expectNoSidewaysScroll(page);
    }
  });
}

/** What goes on moving by itself. */
function running(): string[] {
  return document
    .getAnimations()
    .filter(
      ({ playState, effect }) =>
        playState === 'running' && effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
    )
    .map(({ effect }) => (effect instanceof KeyframeEffect ? (effect.target?.className ?? '') : ''));
}
