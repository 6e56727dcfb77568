import { usePublicConfig } from '../../lib/public-config.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { ApiTokens } from './api-tokens.tsx';
import { Authorities } from './authorities.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { ProfileForm, TimeZoneField } from './profile-form.tsx';
import { JoinedErrors } from '../../domain/section-error.tsx';
import { Row } from '../../ui/form/row.tsx';
import { SettingsPage } from '../../ui/form/settings-page.tsx';
import { SecurityRows } from './security/security-rows.tsx';
import { Sessions } from './sessions.tsx';
import { displayFont, type Font } from '../../lib/browser/font.ts';
import { CheckboxLine } from '../../ui/form/checkbox-line.tsx';
import { type RadioCell, RadioCells } from '../../ui/form/radio-cells.tsx';
import { exportData } from '../../../contract/calls/account.ts';
import { callForResponse } from '../../lib/api-client.ts';
import { messageOf } from '../../lib/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { saveFile } from '../../lib/browser/save-file.ts';
import { singleKeyShortcuts } from '../../lib/browser/preference.ts';
import type { StandingWire } from '../../../contract/account.ts';
import { useOffer, useStanding } from '../../lib/account/standing.ts';
import { useUpgrade } from '../../lib/account/plan.ts';
import { trialStarted, useTrialOffer } from '../../lib/account/trial.ts';
import { useSignedIn } from '../../lib/account/current-user.ts';
import { formatInstant } from '../../../contract/time-zone.ts';
import { longDate } from '../../lib/format.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWrite } from '../../lib/use-write.ts';

/** Exporting a large account takes longer than other calls. */
const EXPORT_TIMEOUT_MS = 120_000;

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

/** Shown only with the built-in identity provider: other providers set passwords without telling us. */
const RESET_ENDS = ' A new password logs out every browser and revokes API tokens and the calendar link.';

export function ProfilePage() {
  usePageTitle('Profile');
  const { identity } = usePublicConfig();
  return (
    <SettingsPage
      title="Profile"
      preview={<ProfilePreview />}
      previewNote="Your display font, and a time as emails show it."
    >
      <JoinedErrors>
        <Row title="Account" description="We send alerts to this email address by default.">
          <ProfileForm />
        </Row>
        <Row title="Time zone" description="For the times in emails, quiet hours and the weekly digest.">
          <TimeZoneField />
        </Row>
        <PlanRow />
        <Row title="Display font" description="Stored on this device. Hostnames stay monospaced.">
          <DisplayFont />
        </Row>
        <KeyboardRow />
        <Row
          id="security"
          title="Password"
          description={`We send a reset link to your email.${identity.provider === 'built-in' ? RESET_ENDS : ''}`}
        >
          <ResetPassword />
        </Row>
        {identity.provider === 'built-in' && <SecurityRows providers={identity.oidc} />}
        <Row id="sessions" title="Sessions" description="The browsers that are logged in to your account.">
          <Sessions />
        </Row>
        <Row id="api-tokens" title="API tokens" description="For scripts and other programs.">
          <ApiTokens />
        </Row>
        <Row
          id="authorities"
          title="Private authorities"
          description="Your domains trust certificates that these authorities issue. Other accounts do not."
        >
          <Authorities />
        </Row>
        <Row
          title="Your data"
          description="Everything we store about your account, except secrets, as one JSON file."
        >
          <ExportData />
        </Row>
        <Row title="Delete account" description="Deletes your account, your domains and their history.">
          <DeleteAccount />
        </Row>
      </JoinedErrors>
    </SettingsPage>
  );
}

/** Previews a domain in the chosen font, with a time in the chosen time zone. */
function ProfilePreview() {
  const { timeZone } = useSignedIn().user;
  const now = useNow();
  return (
    <div className="rounded-4 border border-line-2 bg-surface px-5 py-4 shadow-1">
      <p className="font-mono text-[15px] font-[560]">shop.example.com</p>
      <p className="mt-2 text-body">
        <b className="num text-[20px]/[26px] font-semibold">32</b> days left
      </p>
      <p className="num mt-3 border-t border-line pt-3 text-label text-fg-2">
        Last checked: {formatInstant(now, timeZone ?? 'UTC')}
      </p>
    </div>
  );
}

/** Chooses the page's font; each option is shown in its own font. Stored on this device. */
function DisplayFont() {
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

/** Downloads the account's data as a file. */
function ExportData() {
  const { product_name: productName } = usePublicConfig();
  const { mutate, isPending } = useWrite({
    mutationFn: async () => (await callForResponse(exportData, { timeoutMs: EXPORT_TIMEOUT_MS })).blob(),
    onSuccess: (file) => saveFile(`${productName.toLowerCase()}-data.json`, file),
    onError: (error) => toast.failed('Failed to download your data', error),
  });
  return (
    <Button variant="outline" className="max-md:w-full" busy={isPending} onClick={() => mutate()}>
      Download my data
    </Button>
  );
}

/** Switches single-key shortcuts on and off. */
function KeyboardRow() {
  const choice = singleKeyShortcuts.use();
  return (
    <Row
      title="Keyboard"
      description="Stored on this device. Press ? on the dashboard for a list of shortcuts."
    >
      <CheckboxLine
        label="Single-key shortcuts"
        checked={choice === 'on'}
        onChange={(isOn) => singleKeyShortcuts.set(isOn ? 'on' : 'off')}
      />
    </Row>
  );
}

/** Shows the account's plan, its end, and the upgrade button. Hidden if there are no plans. */
function PlanRow() {
  const standing = useStanding();
  const offer = useOffer();
  const { open } = useUpgrade();
  const trial = useTrialOffer({
    onStarted: (endsAt) => toast.success(trialStarted(endsAt)),
    onRefused: (error) => toast.error(messageOf(error)),
  });
  if (!standing || standing.source === 'deployment') return null;
  return (
    <Row title="Plan" description="Your domain limit and check frequency.">
      <p className="text-body">{planText(standing)}</p>
      <div className="mt-3 flex flex-wrap gap-2.5 empty:hidden max-md:[&>button]:w-full">
        {offer && (
          <Button variant="tinted" onClick={() => open('request')}>
            {offer}
          </Button>
        )}
        {trial && (
          <Button variant="outline" busy={trial.isStarting} onClick={trial.start}>
            Start free trial
          </Button>
        )}
      </div>
      {trial && (
        <p className="mt-2 text-meta text-fg-3">{trial.days} days of Premium, no credit card required.</p>
      )}
    </Row>
  );
}

function planText({ plan, status, source, ends_at: endsAt }: StandingWire): string {
  if (plan === 'free') return 'Free';
  const until = endsAt === null ? '' : ` until ${longDate(endsAt)}`;
  if (source === 'trial') return `Premium trial${until}`;
  if (status === 'past_due') return `Premium${until}: your last payment failed`;
  return `Premium${until}`;
}

/** Emails a reset link to the account's own address. */
function ResetPassword() {
  const { user, identity } = useSignedIn();
  const { mutate, isPending } = useWrite({
    mutationFn: async () => (await identity()).requestPasswordReset(user.email),
    onSuccess: () => toast.success('Password reset email sent.'),
    onError: (error) => toast.failed('Failed to send password reset email', error),
  });
  const reset = () => {
    if (user.email === '') toast.error('No authenticated user with a valid email.');
    else mutate();
  };

  return (
    <Button variant="outline" className="max-md:w-full" busy={isPending} onClick={reset}>
      Reset Password
    </Button>
  );
}
