import { createPreference } from '../../../lib/preference.ts';

/** How many rows of names the horizon had when it was last seen. */
export const rowsPreference = createPreference('horizon-rows', ['2', '4'], '4');
