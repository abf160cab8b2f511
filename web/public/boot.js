// Runs before the first paint, so that a dark or right-to-left screen does not flash white or mirrored while the app
// loads. A file, because the Content-Security-Policy allows no inline script. src/app/settings.tsx reads all settings.
// Zod's check whether it may compile schemas would be reported as a violation of the policy, so it is disabled.
globalThis.__zod_globalConfig = { jitless: true };
(() => {
  const root = document.documentElement;
  // Ctrl K while the app is loading: an input collects the keys for the search (src/app/shell/early-search.ts).
  addEventListener('keydown', (event) => {
    const early = root.dataset.search !== 'here' && location.pathname.startsWith('/app/');
    if (!early || event.code !== 'KeyK' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    (document.getElementById('early-search') ?? openEarlySearch()).focus();
  });
  function openEarlySearch() {
    const input = document.createElement('input');
    const label = root.lang === 'en' ? 'Find a patient' : 'ค้นหาผู้ป่วย';
    Object.assign(input, {
      id: 'early-search',
      type: 'search',
      autocomplete: 'off',
      maxLength: 100,
      ariaLabel: label,
    });
    Object.assign(input.style, {
      position: 'fixed',
      zIndex: '1000',
      insetBlockStart: '8vh',
      insetInlineStart: 'max(5vw, 50vw - 304px)',
      inlineSize: 'min(90vw, 608px)',
      boxSizing: 'border-box',
      padding: '10px 14px',
      font: '16px sans-serif',
    });
    input.addEventListener('input', () => delete input.dataset.enter);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') input.remove();
      if (event.key === 'Enter' && !event.isComposing)
        input.dataset.enter = event.ctrlKey || event.metaKey ? 'book' : 'open';
    });
    (document.body ?? root).append(input);
    return input;
  }
  try {
    const settings = JSON.parse(localStorage.getItem('nadmor.settings') ?? '{}');
    if (settings?.dark === true) root.dataset.mantineColorScheme = 'dark';
    if (settings?.rtl === true) root.dir = 'rtl';
    if (localStorage.getItem('nadmor.language') === 'en') root.lang = 'en';
  } catch {
    // Storage is unreadable or disabled: the defaults of index.html apply.
  }
})();
