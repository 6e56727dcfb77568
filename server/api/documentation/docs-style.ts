/** Styles of the API reference. They use variables of the web app's stylesheet, with fallbacks if it is not built. */
export const DOCS_STYLE = `
.docs { margin: 0; background: var(--bg, #f7fafc); color: var(--fg, #141e31);
  font: 450 14px/22px var(--font-sans-stack, system-ui, sans-serif); }
.docs a { color: var(--accent-fg, #005f73); text-decoration: underline; text-underline-offset: 2px; }
.docs :focus-visible { outline: 2px solid var(--ring, #0089a0); outline-offset: 2px; border-radius: 4px; }
.docs .skip { position: absolute; left: -999px; }
.docs .skip:focus { left: 16px; top: 12px; z-index: 2; padding: 6px 12px; background: var(--surface, #fff); }
.docs header { position: sticky; top: 0; z-index: 1; background: var(--surface, #fff); border-bottom: 1px solid var(--line, #dfe5ea); }
.docs .bar, .docs .columns { max-width: 1256px; margin: 0 auto; padding: 0 28px; }
.docs .bar { display: flex; align-items: center; gap: 20px; height: 60px; }
.docs .brand { display: flex; align-items: center; gap: 9px; margin-right: auto; color: inherit; text-decoration: none;
  font-size: 16px; font-weight: 620; letter-spacing: -.02em; }
.docs .bar a:not(.brand) { padding: 12px 0; }
.docs .columns { display: grid; grid-template-columns: 184px minmax(0, 1fr); gap: 48px; align-items: start; }
.docs nav { position: sticky; top: 60px; max-height: calc(100vh - 60px); overflow: auto; padding: 36px 0; }
.docs nav ul { list-style: none; margin: 0; padding: 0; }
.docs nav a { display: block; padding: 5px 0; color: var(--fg-2, #435066); text-decoration: none; }
.docs nav a:hover { color: var(--fg, #141e31); }
.docs main { padding: 36px 0 96px; }
.docs h1 { margin: 0 0 8px; font-size: 26px; line-height: 34px; font-weight: 620; letter-spacing: -.022em; }
.docs h2 { margin: 56px 0 16px; font-size: 20px; line-height: 28px; font-weight: 620; letter-spacing: -.018em; scroll-margin-top: 76px; }
.docs h3 { display: flex; gap: 10px; align-items: baseline; margin: 0 0 6px; font-size: 14px; line-height: 20px; }
.docs h3 a { color: inherit; text-decoration: none; min-width: 0; }
.docs p { margin: 0 0 10px; }
.docs .lead { max-width: 68ch; }
.docs code, .docs pre { font-family: var(--font-mono-stack, ui-monospace, monospace); font-size: 13px; letter-spacing: -.025em;
  font-feature-settings: "calt" 0, "zero" 1; }
.docs h3 code { font-weight: 560; overflow-wrap: anywhere; }
.docs pre { margin: 12px 0; padding: 14px 16px; overflow-x: auto; line-height: 20px; background: var(--sunken, #eef2f5);
  border: 1px solid var(--line, #dfe5ea); border-radius: 8px; }
.docs .rules { display: grid; grid-template-columns: 96px minmax(0, 1fr); gap: 10px 20px; margin: 24px 0 0; }
.docs .rules dt { font-weight: 580; }
.docs .rules dd { margin: 0; max-width: 68ch; color: var(--fg-2, #435066); }
.docs article { margin: 0 0 16px; padding: 18px 20px; background: var(--surface, #fff); border: 1px solid var(--line, #dfe5ea);
  border-radius: 12px; scroll-margin-top: 76px; }
.docs article:target { border-color: var(--fg, #141e31); }
.docs .method { flex: none; padding: 1px 7px; border-radius: 4px; background: var(--sunken, #eef2f5); color: var(--fg-2, #435066);
  font: 580 12px/20px var(--font-mono-stack, monospace); }
.docs .method.post, .docs .method.patch { background: var(--accent-soft, #e3f4f7); color: var(--accent-fg, #005f73); }
.docs .method.delete { background: var(--critical-bg, #fde8e8); color: var(--critical-fg, #a5181d); }
.docs .who, .docs .answer { color: var(--fg-2, #435066); font-size: 13px; line-height: 20px; }
.docs summary { padding: 5px 0; cursor: pointer; color: var(--fg-2, #435066); font-size: 13px; font-weight: 560; }
.docs .fields, .docs .problems { margin: 4px 0 8px; padding: 0 0 0 14px; list-style: none; border-left: 1px solid var(--line, #dfe5ea); }
.docs .fields li, .docs .problems li { padding: 3px 0; overflow-wrap: anywhere; }
.docs .type, .docs .note { color: var(--fg-3, #5c6a7a); font-size: 13px; }
.docs .note { display: block; }
.docs .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 860px) {
  .docs .bar { gap: 14px; height: 56px; }
  .docs .bar, .docs .columns { padding: 0 16px; }
  .docs .columns { display: block; }
  .docs nav { position: static; max-height: none; padding: 20px 0 0; }
  .docs nav ul { display: flex; flex-wrap: wrap; gap: 0 16px; }
  .docs nav a { padding: 11px 0; }
  .docs main { padding-top: 16px; }
  .docs h1 { font-size: 21px; line-height: 27px; }
  .docs .rules { display: block; }
  .docs .rules dd { margin: 0 0 12px; }
  .docs article { padding: 14px; }
  .docs summary { padding: 12px 0; }
}
`;
