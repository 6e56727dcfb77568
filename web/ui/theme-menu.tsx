import { Monitor, Moon, Sun } from 'lucide-react';
import { theme, THEME_LABELS, THEMES } from '../lib/browser/theme.ts';
import { Menu, MenuChoices } from './menu.tsx';
import { ThemeButton } from './theme-button.tsx';

const ICONS = { light: Sun, dark: Moon, system: Monitor };

export function ThemeChoices() {
  return (
    <MenuChoices
      value={theme.use()}
      onChange={theme.set}
      choices={THEMES.map((value) => {
        const Icon = ICONS[value];
        return { value, label: THEME_LABELS[value], icon: <Icon strokeWidth={1.6} aria-hidden="true" /> };
      })}
    />
  );
}

/** Shows the theme menu of a header. */
export function ThemeMenu({ className, defaultOpen = false }: { className?: string; defaultOpen?: boolean }) {
  return (
    <Menu trigger={<ThemeButton className={className} />} defaultOpen={defaultOpen}>
      <ThemeChoices />
    </Menu>
  );
}
