// Runs before the first paint (the Content-Security-Policy allows no inline script): a dark or right-to-left
// screen must not flash white or mirrored while the app loads. Settings proper are read in src/app/settings.tsx.
// Zod compiles its schemas where it may; asking would be reported as an attack on the policy, so it is told not to.
globalThis.__zod_globalConfig = { jitless: true };
(() => {
  const root = document.documentElement;
  // Ctrl K while the app still loads: kept for the search (src/app/shell/quick-search.tsx), which hears it itself from then on.
  addEventListener('keydown', (event) => {
    const early = root.dataset.search !== 'here' && location.pathname.startsWith('/app/');
    if (!early || event.code !== 'KeyK' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    root.dataset.search = 'asked';
  });
  try {
    const settings = JSON.parse(localStorage.getItem('nadmor.settings') ?? '{}');
    if (settings?.dark === true) root.dataset.mantineColorScheme = 'dark';
    if (settings?.rtl === true) root.dir = 'rtl';
    if (localStorage.getItem('nadmor.language') === 'en') root.lang = 'en';
  } catch {
    // Unreadable or forbidden storage: the defaults in index.html stand.
  }
})();
