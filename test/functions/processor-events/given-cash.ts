import { A } from "./given-hold-events.ts";

export const cash = { kind: "atm_withdrawal", authorizationId: A, amount: 1_000, feeAmount: 50 } as const;
const at = (second: number) => `2026-11-23T12:00:0${second}.000Z`;
export const advice = (amount: number, second?: number) =>
  ({ ...cash, amount, advice: true, total: true, ...(second && { occurredAt: at(second) }) }) as const;
export const reversal = {
  kind: "authorization_reversal",
  authorizationId: A,
  mayBeDone: true,
  withFee: true,
} as const;
export const downTo = (amount: number, second?: number) =>
  ({ ...reversal, amount, total: true, ...(second && { occurredAt: at(second) }) }) as const;
export const clearing = (amount: number) => ({ kind: "clearing", authorizationId: A, amount }) as const;

/** Of 100.00, after this cash and one fee. */
export const left = (cashMinor: number, feeMinor = 50) => {
  const balance = 10_000 - cashMinor - feeMinor;
  return [balance, 0, balance];
};
