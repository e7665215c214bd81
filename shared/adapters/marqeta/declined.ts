import type { Transaction } from "./messages.ts";
import { requireTie, toEventId, toReference } from "./references.ts";

/** What a JIT Funding request alone has approved. */
const approvedAtOnce: ReadonlySet<string> = new Set([
  "authorization",
  "authorization.atm.withdrawal",
  "authorization.cashback",
  "authorization.quasi.cash",
  "account.funding.authorization",
  "account.funding.auth_plus_capture",
  "pindebit.authorization",
  "pindebit",
  "pindebit.cashback",
  "pindebit.quasicash",
  "pindebit.quasi.cash",
  "pindebit.atm.withdrawal",
]);

/**
 * The network declined it after the platform may have approved it in a JIT Funding request. The
 * webhook of an increment does not say whether: its event does.
 */
export function declined(
  transaction: Transaction,
  { amount: _, ...fields }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { type, token, gpa_order: order } = transaction;
  const wasAsked = order?.funding?.gateway_log !== undefined || order?.jit_funding !== undefined;
  const isIncrement = type === "authorization.incremental";
  if (!wasAsked || !(isIncrement || approvedAtOnce.has(type))) return undefined;
  return {
    ...fields,
    kind: "authorization_reversal",
    eventId: toEventId(transaction, "declined"),
    ...(isIncrement ? requireTie(transaction) : { authorizationId: toReference(token) }),
    ...(isIncrement ? { incrementEventId: toEventId(transaction) } : { withFee: true, mayBeDone: true }),
  };
}
