// Runs before the first paint, and again when the choice or the system changes: there are pages without any other script.
// Keys and values are those of lib/theme.ts and lib/font.ts.
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
      // Storage can be switched off: then it is as nobody chose.
    }
    var dark = choice === 'dark' || (choice !== 'light' && system.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    document.documentElement.dataset.font = font === 'manrope' || font === 'system' ? font : 'inter';
    document.querySelector('meta[name=theme-color]').content = dark ? '#101a2f' : '#ffffff';
  }
})();
