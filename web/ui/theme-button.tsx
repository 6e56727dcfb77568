import { Moon, Sun } from 'lucide-react';
import type { ComponentProps } from 'react';
import { IconButton } from './button.tsx';

/** A button that shows the current theme (light or dark), even if 'system' was chosen. */
export function ThemeButton(props: Omit<ComponentProps<'button'>, 'children'>) {
  return (
    <IconButton {...props} label="Theme">
      <Sun className="size-4 dark:hidden" strokeWidth={1.6} aria-hidden="true" />
      <Moon className="hidden size-4 dark:block" strokeWidth={1.6} aria-hidden="true" />
    </IconButton>
  );
}
