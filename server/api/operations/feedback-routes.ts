import { CALLS } from '../../../contract/calls/calls.ts';
import { addFeedback } from '../../store/accounts/feedback.ts';
import type { Api, AppParts } from '../http/api.ts';
import { refuseTooMany } from '../http/problem.ts';

export function feedbackRoutes(api: Api, { store, config }: AppParts): void {
  const recipient = bareAddress(config.supportEmail);

  api.on(CALLS.sendFeedback, async ({ body, session, idempotency, now }) => {
    const answer = { data: null };
    const added = await addFeedback(store, {
      account: session.account,
      title: body.title,
      message: body.message,
      recipient,
      now,
      alsoWrite: (trx) => idempotency.storeAnswer(trx, answer),
    });
    return added.ok
      ? answer
      : refuseTooMany('You have sent a lot of feedback. Please try again later.', added.retryAfterMs);
  });
}

/** Returns the address of SUPPORT_EMAIL without the name that may precede it: `Support <support@example.com>`. */
function bareAddress(mailbox: string): string {
  return /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox;
}
