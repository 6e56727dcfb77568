import { displayFont } from '../../lib/font.ts';
import type { Font } from '../../lib/font.ts';
import { RadioCells } from '../../ui/radio-cells.tsx';
import type { RadioCell } from '../../ui/radio-cells.tsx';

const CELLS: RadioCell<Font>[] = [
  {
    value: 'inter',
    label: 'Inter',
    note: 'Default',
    className: "[font-family:'Inter_Variable',Inter,sans-serif]",
  },
  {
    value: 'manrope',
    label: 'Manrope',
    note: 'Rounder',
    className: "[font-family:'Manrope_Variable',Manrope,sans-serif]",
  },
  { value: 'system', label: 'System', note: 'Your OS font', className: '[font-family:system-ui,sans-serif]' },
];

/** The font of the whole page, each choice drawn in itself; kept on this device. */
export function DisplayFont() {
  return (
    <RadioCells
      label="Display font"
      className="grid-cols-3"
      cells={CELLS}
      chosen={displayFont.use()}
      onChoose={displayFont.set}
    />
  );
}
