const SAFARI = 'Safari, which no machine here can run, refuses it (support.apple.com/103769)';

/** Scenarios in which we rightly differ from the clients of Debian, with the reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'no extendedKeyUsage': SAFARI,
  'valid for 826 days': SAFARI,
  'valid for 1200 days': SAFARI,
  'valid for 3650 days': SAFARI,
  '826 days and no serverAuth': SAFARI,
  'valid until 9999': SAFARI,
  'GeneralizedTime before 2050': SAFARI,
  'valid since 1950': SAFARI,
};
