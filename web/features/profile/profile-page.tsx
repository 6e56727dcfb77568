import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { ApiTokens } from './api-tokens.tsx';
import { Authorities } from './authorities.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { DisplayFont } from './display-font.tsx';
import { ExportData } from './export-data.tsx';
import { KeyboardRow } from './keyboard-row.tsx';
import { PlanRow } from './plan-row.tsx';
import { ProfileForm } from './profile-form.tsx';
import { ResetPassword } from './reset-password.tsx';
import { Row } from '../../ui/row.tsx';
import { SecurityRows } from './security/security-rows.tsx';
import { Sessions } from './sessions.tsx';

/** Other providers set passwords without telling us. */
const RESET_ENDS = ' A new password logs out every browser, and ends API tokens and the calendar link.';

export function ProfilePage() {
  usePageTitle('Profile');
  const { identity } = usePublicConfig();
  const hash = useLocation({ select: (location) => location.hash });
  // The browser looks for it before the page is there.
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  return (
    <div className="wrap max-w-[776px] pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        Profile
      </h1>
      <Row title="Account" description="Your email is also where alerts go.">
        <ProfileForm />
      </Row>
      <PlanRow />
      <Row title="Display font" description="Stored on this device. Hostnames stay monospaced.">
        <DisplayFont />
      </Row>
      <KeyboardRow />
      <Row
        title="Password"
        description={`We send a reset link to your email.${identity.provider === 'built-in' ? RESET_ENDS : ''}`}
      >
        <ResetPassword />
      </Row>
      {identity.provider === 'built-in' && <SecurityRows providers={identity.oidc} />}
      <Row title="Sessions" description="The browsers that are signed in to your account.">
        <Sessions />
      </Row>
      <Row id="api-tokens" title="API tokens" description="For scripts and other programs.">
        <ApiTokens />
      </Row>
      <Row
        title="Private authorities"
        description="Certificates of your own CAs count as trusted on the domains of this account, and nowhere else."
      >
        <Authorities />
      </Row>
      <Row title="Your data" description="Everything that is stored of your account, as one JSON file.">
        <ExportData />
      </Row>
      <Row title="Delete account" description="Removes your domains and their history.">
        <DeleteAccount />
      </Row>
    </div>
  );
}
