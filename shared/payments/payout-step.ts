import type { Decided } from "../changes/change.ts";
import type { PayoutView } from "../contract/payouts.ts";
import { type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { holdReleased, payoutFeeCharged, payoutLeft, payoutReturned } from "../ledger/postings.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { dayWrites } from "./day.ts";
import type { Applied, Outcome } from "./outcome.ts";
import { statusWrites, unreportedId } from "./payment.ts";
import {
  approvalId,
  type Payout,
  type PayoutTrigger,
  payoutHeldMinor,
  payouts,
  payoutTransitions,
  toPayoutView,
} from "./payout.ts";

interface Step {
  readonly trigger: PayoutTrigger;
  /** The API user, `bank` or `platform`. */
  readonly by: string;
  readonly at: Date;
  readonly set?: Partial<Payout>;
  readonly reasonCode?: string | undefined;
  /** What moves in the Wallet, in this order. */
  readonly entries?: readonly JournalEntry[];
  readonly audit?: AuditPayout | undefined;
  readonly writes?: readonly WriteAction[];
}

/** Written in the same commit. */
export type AuditPayout = (before: Payout | undefined, after: Payout) => WriteAction;

type Planned = Omit<Decided<never>, "answer"> & { readonly after: Payout };

/** Undefined if its status does not permit the step. Its condition is named `payout`. */
function planStep(before: Payout, step: Step): Planned | undefined {
  const { trigger, by, at, set = {}, reasonCode, entries = [], audit, writes = [] } = step;
  const status = payoutTransitions.find((one) => one.from === before.status && one.trigger === trigger)?.to;
  if (!status) return undefined;
  const { programId, paymentId, walletId } = before;
  const after: Payout = { ...before, ...set, status };
  const change = { set: { ...set, status } };
  const record = payouts.at(programId, paymentId).update(change, { status: before.status });
  const [entry, ...furtherEntries] = entries;
  return {
    after,
    entry,
    furtherEntries,
    accounts: entry ? [{ name: "wallet", account: { kind: "wallet", accountId: walletId } }] : [],
    writes: [
      ...statusWrites(before, after, { by, at, reasonCode }, record),
      ...endedDeadlines(before),
      ...dayWrites(before, after),
      ...(audit ? [audit(before, after)] : []),
      ...writes,
    ],
  };
}

const illegal = { rejected: "ILLEGAL_TRANSITION" } as const;

/** The step that a client asks for, or a deadline makes. */
export function decideStep(before: Payout, step: Step): Decided<PayoutView> | typeof illegal {
  const planned = planStep(before, step);
  if (!planned) return illegal;
  const { after, ...decided } = planned;
  return { ...decided, answer: toPayoutView(after) };
}

/** The step that the bank's word makes. */
export function decideOutcome(
  before: Payout,
  { reasonCode }: Outcome,
  step: Omit<Step, "by" | "reasonCode">,
): Decided<Applied> | typeof illegal {
  const planned = planStep(before, { ...step, by: "bank", reasonCode });
  if (!planned) return illegal;
  const { after: payment, ...decided } = planned;
  return { ...decided, answer: { result: "applied", payment } };
}

/** The bank knows it. */
export function wasSent({ sentAt }: Payout): boolean {
  return sentAt !== undefined;
}

function endedDeadlines({ programId, paymentId, status }: Payout): WriteAction[] {
  if (status === "awaiting_approval") return [deadlineDelete(programId, approvalId(paymentId))];
  return status === "sent" ? [deadlineDelete(programId, unreportedId(paymentId))] : [];
}

/** The Wallet has again what it held. */
export function release(payout: Payout, at: Date): JournalEntry {
  return journalEntry(
    "payout_released",
    payout.paymentId,
    holdReleased(payout.walletId, payoutHeldMinor(payout)),
    at,
  );
}

/** The amount and the fee leave the Wallet: what it holds, or after a rejection what it has. */
export function leave(payout: Payout, at: Date): JournalEntry[] {
  const { paymentId, walletId, amountMinor, feeMinor, reference } = payout;
  const from = payoutHeldMinor(payout) > 0 ? "held" : "available";
  return [
    journalEntry("payout", paymentId, payoutLeft(walletId, from, amountMinor), at, reference),
    ...(feeMinor > 0
      ? [journalEntry("payout_fee", paymentId, payoutFeeCharged(walletId, from, feeMinor), at, reference)]
      : []),
  ];
}

export function comeBack(
  { paymentId, walletId, reference }: Payout,
  amountMinor: number,
  at: Date,
): JournalEntry {
  return journalEntry("payout_return", paymentId, payoutReturned(walletId, amountMinor), at, reference);
}
