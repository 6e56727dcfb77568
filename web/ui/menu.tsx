import type { ComponentProps, ReactNode } from 'react';
import { DropdownMenu } from 'radix-ui';
import { Check } from 'lucide-react';
import { classNames } from './class-names.ts';

const ITEM =
  'flex min-h-11 items-center gap-2.5 rounded-2 px-2 text-[13.5px] outline-none select-none data-[highlighted]:bg-menu-active forced-colors:data-[highlighted]:[outline:2px_solid_Highlight] data-[disabled]:text-fg-3 md:min-h-[34px] [&_svg]:size-4 [&_svg]:flex-none';

export interface MenuProps {
  trigger: ReactNode;
  defaultOpen?: boolean;
  /** A menu at the left can use the whole height of the window. */
  side?: 'bottom' | 'left';
  children: ReactNode;
}

/** Shows a menu beside its trigger, which is one focusable element. The menu is not in a portal, so that it stays inside its landmark. */
export function Menu({ trigger, defaultOpen = false, side = 'bottom', children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content
        side={side}
        align="end"
        sideOffset={6}
        collisionPadding={8}
        className="z-60 max-h-(--radix-dropdown-menu-content-available-height) min-w-[196px] overflow-y-auto rounded-[10px] border border-line-2 bg-menu p-1 shadow-3 data-[state=open]:animate-[menu-in_120ms_ease-out]"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps extends Omit<ComponentProps<typeof DropdownMenu.Item>, 'className'> {
  danger?: boolean | undefined;
}

/** Shows one action; an icon may be its first child. */
export function MenuItem({ danger = false, ...rest }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      {...rest}
      className={classNames(ITEM, danger ? 'text-critical-fg' : '[&_svg]:text-fg-3')}
    />
  );
}

export const IS_MAC = typeof navigator !== 'undefined' && /Mac|iP/.test(navigator.platform);

/** Shows the shortcut at the right of a menu item or button, on devices that probably have a keyboard. */
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

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 border-t border-line" />;
}

/** Shows text in a menu without an action. */
export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Label className="max-w-[280px] px-2 py-1.5 text-meta [overflow-wrap:anywhere] text-fg-3">
      {children}
    </DropdownMenu.Label>
  );
}

export interface MenuChoicesProps<Value extends string> {
  /** The chosen value; null if none is chosen. */
  value: Value | null;
  onChange: (value: Value) => void;
  choices: { value: Value; label: string; icon: ReactNode }[];
}

/** Shows a radio group in a menu; the chosen item has a tick. */
export function MenuChoices<Value extends string>({ value, onChange, choices }: MenuChoicesProps<Value>) {
  return (
    <DropdownMenu.RadioGroup value={value ?? ''}>
      {choices.map((choice) => (
        <DropdownMenu.RadioItem
          key={choice.value}
          value={choice.value}
          onSelect={() => onChange(choice.value)}
          className={ITEM}
        >
          <span className="contents text-fg-3">{choice.icon}</span>
          <span className="flex-1">{choice.label}</span>
          <DropdownMenu.ItemIndicator className="text-fg-3">
            <Check strokeWidth={1.6} aria-hidden="true" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
