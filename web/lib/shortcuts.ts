import { createPreference } from './preference.ts';

/** Whether single keys do something: they get in the way of speech input and of some hands (WCAG 2.1.4). */
export const singleKeys = createPreference('shortcuts', ['on', 'off'], 'on');
