/** The look of a section's heading. */
export const SECTION_TITLE = 'text-[26px]/8 font-bold tracking-[-.026em] md:text-section';
