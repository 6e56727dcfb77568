import { billing } from '../../../contract/calls/payment.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';

/**
 * Opens the payment provider's customer portal in a new tab. Call it in a click handler: the tab opens at once, because
 * browsers block tabs that open after a response.
 */
export async function openBilling(): Promise<void> {
  const tab = window.open('', '_blank');
  if (tab) {
    tab.opener = null;
    tab.document.title = 'Billing';
    tab.document.body.textContent = 'Opening billing…';
  }
  try {
    const address = await fetchBillingAddress();
    if (address === '') {
      tab?.close();
      toast.info('You have no bills yet.');
    } else if (tab) tab.location.replace(address);
    else toast.error('The browser blocked the billing tab. Allow popups for this page and try again.');
  } catch (error) {
    tab?.close();
    toast.error(failureText(error));
  }
}

/**
 * Returns the URL of the payment provider's customer portal, or '' if the provider has no such customer yet. Every error
 * reads "Failed to get me.", except `email_not_verified`, for which the page offers the verification link.
 */
async function fetchBillingAddress(): Promise<string> {
  try {
    return (await call(billing)).url;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0 || error.code === 'email_not_verified')
      throw error;
    throw new ApiError('Failed to get me.', { status: error.status, cause: error });
  }
}
