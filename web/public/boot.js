// Runs before the first paint (the Content-Security-Policy allows no inline script): a dark or right-to-left
// screen must not flash white or mirrored while the app loads. Settings proper are read in src/app/settings.tsx.
// Zod compiles its schemas where it may; asking would be reported as an attack on the policy, so it is told not to.
globalThis.__zod_globalConfig = { jitless: true };
(() => {
  const root = document.documentElement;
  try {
    const settings = JSON.parse(localStorage.getItem('nadmor.settings') ?? '{}');
    if (settings?.dark === true) root.dataset.mantineColorScheme = 'dark';
    if (settings?.rtl === true) root.dir = 'rtl';
    if (localStorage.getItem('nadmor.language') === 'en') root.lang = 'en';
  } catch {
    // Unreadable or forbidden storage: the defaults in index.html stand.
  }
})();
