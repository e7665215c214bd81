/** What was settled: the network can give it back or refund it, and a customer can dispute it. */
export interface Debit {
  readonly amount: number;
  /** Disputes that are open, won or written off. */
  claimed: number;
  /** Of that: won or written off. */
  settled: number;
  /** What disputes have credited: the Card has as much of it as is left of the amount. */
  credited: number;
  /** What reversals have given back. */
  reversed: number;
  /** What refunds that name it have paid, whatever is disputed. */
  refunded: number;
  readonly byPin: boolean;
}

export interface Refund {
  readonly amount: number;
  reversed: boolean;
  /** What it names. */
  readonly of?: Debit;
  /** By the reversal of a posted purchase: the parts of its settlements. */
  readonly gaveBack?: { readonly authorization: { refunded: number }; readonly parts: Map<string, number> };
}

export const roomOf = ({ amount, claimed, reversed, refunded }: Debit) =>
  amount - claimed - reversed - refunded;

export const freeOf = (debit: Debit) => Math.max(0, roomOf(debit));

const leftOf = ({ amount, reversed, refunded }: Debit) => Math.max(0, amount - reversed - refunded);

/** What a dispute of so much can bring, beside those that are decided. */
export const worthOf = (debit: Debit, amount: number) =>
  Math.min(amount, Math.max(0, leftOf(debit) - debit.settled));

export const paidOf = (debit: Debit) => Math.min(debit.credited, leftOf(debit));

interface WithDebits {
  readonly debits: Map<string, Debit>;
}

export function addDebit({ debits }: WithDebits, id: string, amount: number, byPin: boolean): void {
  debits.set(id, { amount, claimed: 0, settled: 0, credited: 0, reversed: 0, refunded: 0, byPin });
}

/** The newest first: what of each. Undefined if too much is disputed. */
export function takeBack(
  { debits }: WithDebits,
  posted: readonly string[],
  amount: number,
): Map<string, number> | undefined {
  const parts = new Map<string, number>();
  let left = amount;
  for (const id of posted.toReversed()) {
    const debit = debits.get(id);
    const part = debit ? Math.min(left, freeOf(debit)) : 0;
    if (part > 0) parts.set(id, part);
    left -= part;
  }
  if (left > 0) return undefined;
  addReversed({ debits }, parts, 1);
  return parts;
}

export function addReversed({ debits }: WithDebits, parts: ReadonlyMap<string, number>, sign: 1 | -1): void {
  for (const [id, part] of parts) {
    const debit = debits.get(id);
    if (debit) debit.reversed += sign * part;
  }
}

export type DisputeStatus =
  | "new"
  | "pending_customer"
  | "submitted"
  | "representment"
  | "pre_arbitration"
  | "arbitration"
  | "won"
  | "lost"
  | "expired"
  | "withdrawn";

export interface Dispute {
  readonly of: Debit;
  amount: number;
  status: DisputeStatus;
  /** How it ended. */
  end?: "recovered" | "writtenOff" | "denied";
  /** What it brought in the end. */
  kept?: number;
  /** What it has credited. */
  credited: number;
  /** Submitted, and not credited yet. */
  isCreditDue: boolean;
  /** The network has asked for evidence, and none was added since. */
  lacksEvidence: boolean;
}

/** As `DisputeText` of a real one. */
export function disputeText(dispute: Dispute): string {
  const { amount, status, end, kept = 0, credited, isCreditDue } = dispute;
  const of = (which: Dispute["end"]) => (end === which ? kept : 0);
  const denied = end === undefined ? 0 : amount - kept;
  const parts = [amount, of("recovered"), of("writtenOff"), denied, end === undefined ? amount : 0];
  const days = lastingDays[status];
  return `${status} ${amount} = ${parts.join(" ")}, credited ${credited}, ${isCreditDue}, ${days}`;
}

/** For how many days a status lasts. */
export const lastingDays: Partial<Record<DisputeStatus, number>> = {
  new: 120,
  pending_customer: 10,
  representment: 30,
  pre_arbitration: 30,
};
