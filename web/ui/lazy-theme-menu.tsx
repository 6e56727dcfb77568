import { lazy, Suspense, useState } from 'react';
import { ThemeButton } from './theme-button.tsx';

const load = () => import('./theme-menu.tsx');
const ThemeMenu = lazy(async () => ({ default: (await load()).ThemeMenu }));

/** The theme control of pages for strangers: the menu's code, a sixth of all theirs, comes when it is wanted. */
export function LazyThemeMenu() {
  const [wanted, setWanted] = useState(false);
  const button = (
    <ThemeButton
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => {
        // If the menu cannot be loaded, the button stays and the next click tries again.
        load().then(
          () => setWanted(true),
          () => undefined,
        );
      }}
    />
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <ThemeMenu defaultOpen />
    </Suspense>
  );
}
