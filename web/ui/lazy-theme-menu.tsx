import { lazy, Suspense, useState } from 'react';
import { ThemeButton } from './theme-button.tsx';

const load = () => import('./theme-menu.tsx');
const ThemeMenu = lazy(async () => ({ default: (await load()).ThemeMenu }));

/** Shows the theme menu of public pages. Its code, a sixth of the code of such a page, loads on demand. */
export function LazyThemeMenu() {
  const [wanted, setWanted] = useState(false);
  const button = (
    <ThemeButton
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => {
        // If the menu fails to load, the button stays and the next click retries.
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
