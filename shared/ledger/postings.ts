import * as z from "zod";
import type { AccountBalances } from "./account.ts";

const accountParts = ["available", "held", "pending"] as const;
type AccountPart = (typeof accountParts)[number];

/**
 * Where money comes from and goes to. `suspense` is money with no owner yet; `disputed` is what the
 * network was paid for transactions that are disputed.
 */
const ContraAccount = z.enum([
  "network_settlement",
  "bank_funding",
  "crypto_funding",
  "fee_income",
  "interchange_income",
  "program_reserve",
  "suspense",
  "disputed",
]);
export type ContraAccount = z.output<typeof ContraAccount>;

/** One line of a journal entry. A positive amount increases the account. */
export const Posting = z.object({
  /** A sub-account of a card or wallet (`<cardId or walletId>:<part>`), or a contra account. */
  account: z.union([ContraAccount, z.templateLiteral([z.string(), ":", z.enum(accountParts)])]),
  amountMinor: z.int(),
});
export type Posting = Readonly<z.output<typeof Posting>>;

export const zeroBalances: AccountBalances = {
  availableMinor: 0,
  heldMinor: 0,
  pendingDepositMinor: 0,
  ledgerMinor: 0,
};

const balanceOfPart = {
  available: "availableMinor",
  held: "heldMinor",
  pending: "pendingDepositMinor",
} as const satisfies Record<AccountPart, keyof AccountBalances>;

const subAccount = /^(?<accountId>.+):(?<part>available|held|pending)$/s;

/** The only place that computes balance changes, so that no balance moves without postings. */
export function balanceChanges(postings: readonly Posting[]): Map<string, AccountBalances> {
  const changes = new Map<string, AccountBalances>();
  for (const { account, amountMinor } of postings) {
    const { accountId, part } = subAccount.exec(account)?.groups ?? {};
    if (accountId === undefined) continue;
    const before = changes.get(accountId) ?? zeroBalances;
    const balance = balanceOfPart[part as AccountPart];
    changes.set(accountId, {
      ...before,
      [balance]: before[balance] + amountMinor,
      ledgerMinor: before.ledgerMinor + amountMinor,
    });
  }
  return changes;
}

/** @throws Error for no postings, fractions of a minor unit, or a sum other than zero */
export function assertBalanced(postings: readonly Posting[]): void {
  const sum = postings.reduce((total, { amountMinor }) => total + amountMinor, 0);
  const whole = postings.every(({ amountMinor }) => Number.isSafeInteger(amountMinor));
  if (postings.length === 0 || !whole || sum !== 0) {
    throw new Error(`Postings must be whole minor units that sum to zero: ${JSON.stringify(postings)}`);
  }
}

// An account is a cardId or walletId.

type LedgerAccount = Posting["account"];

export function move(from: LedgerAccount, to: LedgerAccount, amountMinor: number): Posting[] {
  return [
    { account: from, amountMinor: -amountMinor },
    { account: to, amountMinor },
  ];
}

/** Transfers, and the sweep of a card that is closed. */
export function transferred(from: string, to: string, amountMinor: number): Posting[] {
  return move(`${from}:available`, `${to}:available`, amountMinor);
}

/** Places or increases a hold: held money cannot be spent. */
export function holdPlaced(card: string, amountMinor: number): Posting[] {
  return move(`${card}:available`, `${card}:held`, amountMinor);
}

/** Releases a hold, whole or in part: reversed or expired. */
export function holdReleased(card: string, amountMinor: number): Posting[] {
  return move(`${card}:held`, `${card}:available`, amountMinor);
}
