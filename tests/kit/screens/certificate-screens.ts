import { open, type Screen, showPath } from './navigation.ts';

/** The list of certificates, and the page of one. */
export const CERTIFICATES: readonly Screen[] = [
  {
    name: 'certificates',
    visitor: 'member',
    async show(page) {
      await open(page, '/certificates');
      await page.getByRole('table', { name: 'Certificates' }).waitFor();
    },
  },
  {
    name: 'certificates-none-found',
    visitor: 'member',
    async show(page) {
      await open(page, '/certificates?q=nowhere');
      await page.getByText('No certificate matches.').waitFor();
    },
  },
  {
    name: 'certificates-new',
    visitor: 'newcomer',
    async show(page) {
      await open(page, '/certificates');
      await page.getByText('There are no certificates yet.').waitFor();
    },
  },
  {
    name: 'certificate',
    visitor: 'member',
    async show(page) {
      await open(page, '/certificates');
      await page.getByRole('table', { name: 'Certificates' }).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'SHA-256 fingerprint' }).waitFor();
    },
  },
  {
    name: 'certificate-unknown',
    visitor: 'member',
    show: showPath(`/certificates?certificate=${'a'.repeat(64)}`),
  },
];
