import type { ComponentProps, ReactNode } from 'react';
import { DropdownMenu } from 'radix-ui';
import { Check } from 'lucide-react';
import { classNames } from './class-names.ts';

const ITEM =
  'flex min-h-11 items-center gap-2.5 rounded-2 px-2 text-[13.5px] outline-none select-none data-[highlighted]:bg-menu-active forced-colors:data-[highlighted]:[outline:2px_solid_Highlight] data-[disabled]:text-fg-3 md:min-h-[34px] [&_svg]:size-4 [&_svg]:flex-none';

export interface MenuProps {
  trigger: ReactNode;
  defaultOpen?: boolean;
  children: ReactNode;
}

/**
 * A menu below its trigger, which is one focusable element. It stays where it is in the document, and with that inside
 * its landmark.
 */
export function Menu({ trigger, defaultOpen = false, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content
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
  danger?: boolean;
}

/** One action; an icon comes first among its children. */
export function MenuItem({ danger = false, ...rest }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      {...rest}
      className={classNames(ITEM, danger ? 'text-critical-fg' : '[&_svg]:text-fg-3')}
    />
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 border-t border-line" />;
}

/** A line of text that is no action. */
export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Label className="max-w-[280px] px-2 py-1.5 text-meta [overflow-wrap:anywhere] text-fg-3">
      {children}
    </DropdownMenu.Label>
  );
}

export interface MenuChoicesProps<Value extends string> {
  value: Value;
  onChange: (value: Value) => void;
  choices: { value: Value; label: string; icon: ReactNode }[];
}

/** One of several; the chosen one carries a tick. */
export function MenuChoices<Value extends string>({ value, onChange, choices }: MenuChoicesProps<Value>) {
  return (
    <DropdownMenu.RadioGroup value={value}>
      {choices.map((choice) => (
        <DropdownMenu.RadioItem
          key={choice.value}
          value={choice.value}
          onSelect={() => onChange(choice.value)}
          className={classNames(ITEM, '[&_svg]:text-fg-3')}
        >
          {choice.icon}
          <span className="flex-1">{choice.label}</span>
          <DropdownMenu.ItemIndicator>
            <Check strokeWidth={1.6} aria-hidden="true" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
