// Sets the theme and the font before the first paint and when they change. A separate script, because some pages have no
// other one. Uses the keys and values of lib/browser/theme.ts and lib/browser/font.ts.
(function () {
  var system = matchMedia('(prefers-color-scheme: dark)');
  show();
  system.addEventListener('change', show);
  addEventListener('storage', show);

  function show() {
    var choice = null;
    var font = null;
    try {
      choice = localStorage.getItem('theme');
      font = localStorage.getItem('font');
    } catch {
      // If storage is blocked, use the defaults.
    }
    var dark = choice === 'dark' || (choice !== 'light' && system.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    document.documentElement.dataset.font = font === 'manrope' || font === 'system' ? font : 'inter';
    document.querySelector('meta[name=theme-color]').content = dark ? '#101a2f' : '#ffffff';
  }
})();
