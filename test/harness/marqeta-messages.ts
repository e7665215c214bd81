/** Messages in the form of Marqeta's Core API, with values of our own. */

interface Options {
  readonly type?: string;
  readonly state?: string;
  readonly preceding?: string;
  readonly more?: object;
}

const acceptor = {
  mid: "123456890",
  mcc: "5411",
  name: "Corner Shop",
  city: "Oakland",
  country_code: "US",
};

export function marqetaTransaction(
  cardToken: string,
  token: string,
  amountMinor: number,
  { type = "authorization", state = "PENDING", preceding, more }: Options = {},
) {
  return {
    type,
    state,
    token,
    identifier: "1",
    user_token: "user-1",
    acting_user_token: "user-1",
    card_token: cardToken,
    created_time: "2026-11-20T08:00:01Z",
    user_transaction_time: "2026-11-20T08:00:00Z",
    amount: amountMinor / 100,
    currency_code: "USD",
    ...(preceding !== undefined && { preceding_related_transaction_token: preceding }),
    response: { code: "0000", memo: "Approved or completed successfully" },
    network: "VISA",
    card_acceptor: acceptor,
    pos: { pan_entry_mode: "CHIP_CONTACTLESS", partial_approval_capable: false },
    ...more,
  };
}

export const marqetaWebhook = (...transactions: readonly object[]) => JSON.stringify({ transactions });

export function jitRequest(
  cardToken: string,
  token: string,
  amountMinor: number,
  { method = "pgfs.authorization", ...options }: Options & { readonly method?: string } = {},
): string {
  const amount = amountMinor / 100;
  const jit_funding = { token: `jit-${token}`, method, user_token: "user-1", amount };
  const gpa_order = { token: `order-${token}`, amount, jit_funding };
  return JSON.stringify({ ...marqetaTransaction(cardToken, token, amountMinor, options), gpa_order });
}

export function basicAuthorization(secret: string) {
  return { authorization: `Basic ${Buffer.from(`marqeta:${secret}`).toString("base64")}` };
}
