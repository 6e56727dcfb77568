/** The key that does the same, at the right of a menu item; only where a keyboard is likely. */
export function KeyHint({ children }: { children: string }) {
  return (
    <kbd
      aria-hidden="true"
      className="ml-auto hidden min-w-5 rounded-1 border border-line-2 bg-sunken px-[5px] text-center font-mono text-[11px]/[18px] text-fg-3 md:block"
    >
      {children}
    </kbd>
  );
}
