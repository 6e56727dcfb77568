import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import { fetchBillingAddress } from './payment-calls.ts';

/**
 * Opens the payment provider's customer portal in a new tab. To be called in the handler of a press: the tab opens at
 * once, because a browser takes one that opens after an answer for a pop-up of somebody else's.
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
      toast.info('There is nothing to bill yet.');
    } else if (tab) tab.location.replace(address);
    else
      toast.error(
        'The browser did not let billing open in a new tab. Allow that for this page and try again.',
      );
  } catch (error) {
    tab?.close();
    toast.error(failureText(error));
  }
}
