import { balanceChanges, move, type Posting, transferred, zeroBalances } from "./postings.ts";

// What moves with the network, a bank, a fee or a dispute. An account is a cardId or walletId.

/** Zero postings occur when a hold equals the amount that releases it. */
function withoutZeros(postings: readonly Posting[]): Posting[] {
  return postings.filter(({ amountMinor }) => amountMinor !== 0);
}

/** The Program's reserve pays what a card owes. */
export function debtSettled(card: string, amountMinor: number): Posting[] {
  return move("program_reserve", `${card}:available`, amountMinor);
}

/** Settles a debit and releases part of its hold; the rest comes out of the available balance. */
export function debitSettled(card: string, amountMinor: number, releasedMinor = 0): Posting[] {
  return withoutZeros([
    { account: `${card}:held`, amountMinor: -releasedMinor },
    { account: `${card}:available`, amountMinor: releasedMinor - amountMinor },
    { account: "network_settlement", amountMinor },
  ]);
}

export function creditSettled(card: string, amountMinor: number): Posting[] {
  return move("network_settlement", `${card}:available`, amountMinor);
}

/**
 * The network settles less by what the Program earns with the transaction; negative: more. A zero
 * posting stores the entry with the card where nothing else does.
 */
export function withInterchange(
  card: string,
  postings: readonly Posting[],
  interchangeMinor: number | undefined,
): Posting[] {
  if (!interchangeMinor) return [...postings];
  const others = postings.filter(({ account }) => account !== "network_settlement");
  const settledMinor = -others.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return [
    ...(others.length > 0 ? others : [{ account: `${card}:available`, amountMinor: 0 } as const]),
    ...withoutZeros([
      { account: "network_settlement", amountMinor: settledMinor - interchangeMinor },
      { account: "interchange_income", amountMinor: interchangeMinor },
    ]),
  ];
}

/** A payout has left the bank. Its money was held, or by a rejection available again. */
export function payoutLeft(wallet: string, from: "held" | "available", amountMinor: number): Posting[] {
  return move(`${wallet}:${from}`, "bank_funding", amountMinor);
}

export function payoutFeeCharged(wallet: string, from: "held" | "available", amountMinor: number): Posting[] {
  return move(`${wallet}:${from}`, "fee_income", amountMinor);
}

export function payoutReturned(wallet: string, amountMinor: number): Posting[] {
  return move("bank_funding", `${wallet}:available`, amountMinor);
}

/** The Program's reserve pays a micro-deposit, which has left the bank. */
export function microDepositLeft(amountMinor: number): Posting[] {
  return move("program_reserve", "bank_funding", amountMinor);
}

export function microDepositCameBack(amountMinor: number): Posting[] {
  return move("bank_funding", "program_reserve", amountMinor);
}

export function feeCharged(card: string, amountMinor: number): Posting[] {
  return move(`${card}:available`, "fee_income", amountMinor);
}

export function feeReversed(card: string, amountMinor: number): Posting[] {
  return move("fee_income", `${card}:available`, amountMinor);
}

/** The Program advances a disputed amount until the dispute is decided, or takes it back. */
export function cardCredited(card: string, amountMinor: number): Posting[] {
  return withoutZeros(move("program_reserve", `${card}:available`, amountMinor));
}

/** A part of what the network was paid is disputed, or with a negative amount no more. */
export function amountDisputed(amountMinor: number): Posting[] {
  return move("network_settlement", "disputed", amountMinor);
}

/** The network keeps what was disputed. */
export function disputeDenied(amountMinor: number): Posting[] {
  return withoutZeros(move("disputed", "network_settlement", amountMinor));
}

/** The network pays back: to the Program, what the Card does not get or has already. */
export function disputeWon(card: string, amountMinor: number, creditMinor: number): Posting[] {
  return withoutZeros([
    { account: "disputed", amountMinor: -amountMinor },
    { account: "program_reserve", amountMinor: amountMinor - creditMinor },
    { account: `${card}:available`, amountMinor: creditMinor },
  ]);
}

/** A Card's own account stays at nothing once a Wallet pays: what comes back is the Wallet's. */
export function sweptTo(walletId: string | undefined, card: string, postings: readonly Posting[]) {
  const { availableMinor } = balanceChanges(postings).get(card) ?? zeroBalances;
  if (walletId === undefined || availableMinor === 0) return postings;
  return [...postings, ...transferred(card, walletId, availableMinor)];
}
