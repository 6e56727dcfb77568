import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { addAuthorities } from '../../../../contract/calls/authority.ts';
import type { ChainCertificateWire, DomainWire } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, type OpenState } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { Fingerprint } from '../certificate/fingerprint.tsx';
import { useCertificateChain } from './report-query.ts';

const LABEL = 'Trust this authority';

/**
 * Trusts the authority that issued the certificate, once the user has compared its fingerprint. If the host did not send the
 * authority's certificate, leads to the profile, where the user can paste it.
 */
export function TrustAuthority({ domain }: { domain: DomainWire }) {
  const { data: chain } = useCertificateChain(domain.id, domain.fingerprint);
  const [isOpen, setOpen] = useState(false);
  const authority = chain && sentAuthority(chain);
  if (!authority)
    return (
      <Link to="/profile" hash="authorities" className={buttonClass('tinted', 'small')}>
        {LABEL}
      </Link>
    );
  return (
    <>
      <Button variant="tinted" size="small" onClick={() => setOpen(true)}>
        {LABEL}
      </Button>
      <TrustDialog authority={authority} open={isOpen} onOpenChange={setOpen} />
    </>
  );
}

/** Returns the sent certificate that is furthest from the leaf: the root, if it was sent. */
function sentAuthority(chain: readonly ChainCertificateWire[]): ChainCertificateWire | undefined {
  return chain.find(({ role }) => role === 'root') ?? chain.findLast(({ role }) => role === 'intermediate');
}

interface TrustDialogProps extends OpenState {
  authority: ChainCertificateWire;
}

function TrustDialog({ authority, open, onOpenChange }: TrustDialogProps) {
  const queryClient = useQueryClient();
  const { mutate, isPending } = useWrite({
    mutationFn: () => call(addAuthorities, { body: { pem: authority.pem } }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['authorities'] });
      onOpenChange(false);
      toast.success('Authority added: your domains now trust it.');
    },
    onError: (error) => toast.failed('Could not add the authority', error),
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`${LABEL}?`}
      description={
        <>
          We will trust every certificate for your domains that <bdi>{visibleText(authority.subject)}</bdi>{' '}
          issued. Compare its fingerprint with the one that your authority publishes.
        </>
      }
    >
      <p className="mt-4 rounded-2 border border-line bg-sunken px-3 py-2 font-mono text-[12.5px]/5 [overflow-wrap:anywhere]">
        <span className="block font-sans text-meta text-fg-3">SHA-256</span>
        <Fingerprint hex={authority.fingerprint} />
      </p>
      <DialogActions>
        <CancelButton onClick={() => onOpenChange(false)} />
        <Button busy={isPending} onClick={() => mutate()}>
          Trust
        </Button>
      </DialogActions>
    </Dialog>
  );
}
