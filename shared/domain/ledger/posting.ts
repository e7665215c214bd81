/** The parts of a card's or wallet's balance that money stands in. */
type AccountPart = "available" | "held" | "pending";

/** Where the money on a card or wallet comes from and goes to. Their balance is the sum of their postings. */
export type ContraAccount =
  | "network_settlement"
  | "bank_funding"
  | "crypto_funding"
  | "fee_income"
  | "program_reserve"
  /** Money with no owner yet. */
  | "suspense";

/** A sub-account of a card or wallet (`<cardId or walletId>:<part>`), or a contra account. */
type LedgerAccount = `${string}:${AccountPart}` | ContraAccount;

/** One line of a journal entry. Positive is money that the account has more, negative money that it has less. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly amountMinor: number;
}

/** The stored balances of a card or wallet; `ledgerMinor` is always the sum of the other three. */
export interface AccountBalances {
  readonly availableMinor: number;
  readonly heldMinor: number;
  readonly pendingDepositMinor: number;
  readonly ledgerMinor: number;
}

/** What a new card or wallet starts with: attributes of its item. */
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

/**
 * What the postings do to each card and wallet that they touch, by its id. This is the only place where a balance change is worked
 * out, so that no balance can move without postings that explain it.
 */
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

/** Postings without those of nothing, which happen where a hold is exactly as large as what releases it. */
export function withoutZeros(postings: readonly Posting[]): Posting[] {
  return postings.filter(({ amountMinor }) => amountMinor !== 0);
}

/** Refuses postings that are not double entry: none at all, a fraction of a minor unit, or a sum other than zero. */
export function assertBalanced(postings: readonly Posting[]): void {
  const sum = postings.reduce((total, { amountMinor }) => total + amountMinor, 0);
  const whole = postings.every(({ amountMinor }) => Number.isSafeInteger(amountMinor));
  if (postings.length === 0 || !whole || sum !== 0) {
    throw new Error(`Postings must be whole minor units that sum to zero: ${JSON.stringify(postings)}`);
  }
}
