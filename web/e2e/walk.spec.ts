import { expectNoSidewaysScroll } from './accounts';
import { foreignNames, NOW, pathOf, SCREENS, settled } from './all-screens';
import { test } from './own-server';
import { expectPicture } from './picture';
import { expect, inEveryLook, type Role, violations } from './support';

test.use({ stoppedAt: NOW });
// The main screens are checked five times; the machine may be busy.
test.describe.configure({ mode: 'default', timeout: 180_000 });

const ROLES: Role[] = ['admin', 'registrar', 'nurse', 'doctor', 'queue', 'executive'];
const PHONE = { width: 360, height: 740 };
/** The viewport of a desktop screen at 200 % zoom. */
const ZOOMED = { width: 683, height: 384 };

// The screen shows the last sign-ins, so all roles sign in first.
test.beforeEach(async ({ request, tokensOf }) => {
  for (const role of ROLES) await tokensOf(request, role);
});

for (const { name, path, role = 'admin', ready, main } of SCREENS) {
  test(`${name}: matches its screenshot, no axe violations, Thai labels, no motion, fits at 200 %`, {
    tag: '@pictures',
  }, async ({ page, request, token, signInAs }) => {
    if (role) await signInAs(role);
    await page.goto(await pathOf(request, token, path));
    await settled(page);
    await ready?.(page);
    await expectPicture(page, name);
    expect.soft(await violations(page), 'axe').toEqual([]);
    expect.soft(await foreignNames(page), 'English on a Thai screen').toEqual([]);
    expect.soft(await page.evaluate(running), 'moves in spite of reduced motion').toEqual([]);
    if (main) {
      await inEveryLook(page, (look) => expectPicture(page, `${name}-${look}`), {
        dark: { dark: true },
        rtl: { rtl: true },
      });
    }
    for (const size of [ZOOMED, PHONE]) {
      await page.setViewportSize(size);
      await expectNoSidewaysScroll(page);
    }
    if (main) await expectPicture(page, `${name}-phone`);
  });
}

/** Elements that keep moving. */
function running(): string[] {
  return document
    .getAnimations()
    .filter(
      ({ playState, effect }) =>
        playState === 'running' && effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
    )
    .map(({ effect }) => (effect instanceof KeyframeEffect ? (effect.target?.className ?? '') : ''));
}
