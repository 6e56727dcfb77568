import { expect, it } from 'vitest';
import { createPaddle } from './paddle.ts';
import { PaymentsUnavailable } from './payment-provider.ts';

it('an error of the Paddle client does not contain the API key, even if the key makes a request fail', async () => {
  const apiKey = 'pdl_live_secret_\u{1F511}';
  const paddle = createPaddle({
    apiKey,
    apiUrl: 'http://127.0.0.1:1',
    webhookSecret: 'x',
    priceId: 'pri_1',
    monotonic: () => 0,
  });
  const error = await paddle.products().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PaymentsUnavailable);
  const said = error instanceof Error ? `${error.message} ${error.stack} ${String(error.cause)}` : '';
  expect(said).toContain('TypeError');
  expect(said).not.toContain('secret');
});
