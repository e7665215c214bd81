import { type Decided, later, nothing, type Unread, unread } from "../changes/change.ts";
import {
  type ExternalAccount,
  externalAccounts,
  externalAccountUpdate,
} from "../external-accounts/external-account.ts";
import { nextStatus } from "../external-accounts/states.ts";
import { type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { microDepositCameBack, microDepositLeft } from "../ledger/postings.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type MicroDeposit,
  type MicroDepositTrigger,
  microDeposits,
  microDepositTransitions,
} from "./micro-deposit.ts";
import { type Applied, known, type Outcome, type OutcomeChange, tellOperator } from "./outcome.ts";
import { statusWrites, unreportedId } from "./payment.ts";

interface Found {
  readonly microDeposit: MicroDeposit | undefined;
  readonly externalAccount: ExternalAccount | undefined | Unread;
}

type MicroDepositChange = OutcomeChange<Found>;

const reads: MicroDepositChange["reads"] = ({ programId, paymentId }) => ({
  microDeposit: microDeposits.at(programId, paymentId),
  externalAccount: later(nothing),
});

const readAccount = ({ programId, externalAccountId }: MicroDeposit) => ({
  readMore: { externalAccount: externalAccounts.at(programId, externalAccountId) },
});

/** It has left the bank: the Program's reserve has paid it. */
export const microDepositCompletion: MicroDepositChange = {
  reads,
  decide: (outcome, { microDeposit: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    if (before.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (before.completedAt !== undefined) return known(before);
    const set = { completedAt: timestamp(at) };
    const reason = "A micro-deposit left the bank that the bank had rejected. It is booked:";
    const told = before.status === "rejected" ? [tellOperator(before, outcome, reason)] : [];
    return decided(before, outcome, {
      trigger: "complete",
      set,
      at,
      entries: [leave(before, at)],
      writes: told,
    });
  },
};

/** The bank does not pay it: the verification has failed. What has left moves nothing. */
export const microDepositRejection: MicroDepositChange = {
  reads,
  decide: (outcome, { microDeposit: before, externalAccount }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    if (before.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (before.rejectedAt !== undefined) return known(before);
    const set = { rejectedAt: timestamp(at) };
    if (before.status === "sent" && externalAccount === unread) return readAccount(before);
    if (before.status === "sent")
      return decided(before, outcome, {
        ...{ trigger: "reject", set, at, entries: [] },
        writes: failVerification(before, externalAccount),
      });
    const { programId, paymentId, status } = before;
    const reason = `The bank rejects a micro-deposit that is ${status}. Nothing is booked:`;
    return {
      accounts: [],
      writes: [
        microDeposits.at(programId, paymentId).update({ set }, { status, rejectedAt: undefined }),
        tellOperator(before, outcome, reason),
      ],
      answer: { result: "kept", payment: { ...before, ...set } },
    };
  },
};

/** It comes back, once: the verification has failed. Before its debit, it is as if paid first. */
export const microDepositReturn: MicroDepositChange = {
  reads,
  decide: (outcome, { microDeposit: before, externalAccount }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    if (before.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { amountMinor: returnedMinor = before.amountMinor } = outcome;
    if (returnedMinor > before.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
    if (before.status === "returned") return known(before);
    if (externalAccount === unread) return readAccount(before);
    const returnedAt = timestamp(at);
    const { paymentId, completedAt = returnedAt } = before;
    const isBooked = before.completedAt !== undefined;
    const back = journalEntry("micro_deposit_return", paymentId, microDepositCameBack(returnedMinor), at);
    return decided(before, outcome, {
      ...{ trigger: "return", set: { returnedAt, returnedMinor, completedAt }, at },
      entries: [...(isBooked ? [] : [leave(before, at)]), back],
      writes: failVerification(before, externalAccount),
    });
  },
};

interface Step {
  readonly trigger: MicroDepositTrigger;
  readonly at: Date;
  readonly set: Partial<MicroDeposit>;
  readonly entries: readonly JournalEntry[];
  readonly writes: readonly WriteAction[];
}

function decided(
  before: MicroDeposit,
  { reasonCode }: Outcome,
  { trigger, at, set, entries, writes }: Step,
): Decided<Applied> | { readonly rejected: "ILLEGAL_TRANSITION" } {
  const { programId, paymentId } = before;
  const status = microDepositTransitions.find(
    (one) => one.from === before.status && one.trigger === trigger,
  )?.to;
  if (!status) return { rejected: "ILLEGAL_TRANSITION" };
  const after: MicroDeposit = { ...before, ...set, status };
  const record = microDeposits
    .at(programId, paymentId)
    .update({ set: { ...set, status } }, { status: before.status });
  const [entry, ...furtherEntries] = entries;
  return {
    accounts: [],
    entry,
    furtherEntries,
    writes: [
      ...statusWrites(before, after, { by: "bank", at, reasonCode }, record),
      ...(before.status === "sent" ? [deadlineDelete(programId, unreportedId(paymentId))] : []),
      ...writes,
    ],
    answer: { result: "applied", payment: after },
  };
}

function leave({ paymentId, amountMinor }: MicroDeposit, at: Date): JournalEntry {
  return journalEntry("micro_deposit", paymentId, microDepositLeft(amountMinor), at);
}

/** Only the verification that it belongs to, while that lasts. */
function failVerification({ paymentId }: MicroDeposit, before: Found["externalAccount"]): WriteAction[] {
  if (before === undefined || before === unread) return [];
  const status = nextStatus(before.status, "bounce");
  if (!before.microDeposits?.paymentIds.includes(paymentId) || !status) return [];
  return [externalAccountUpdate(before, { ...before, status, statusReason: "RETURNED" })];
}
