import { type Change, type Decided, type FoundBy, later, unread, whenFailed } from "../changes/change.ts";
import type { PayoutCreate, PayoutDeclineReason, PayoutSettings, PayoutView } from "../contract/payouts.ts";
import {
  type ExternalAccount,
  externalAccounts,
  isUsable,
  notVerified,
  usableCheck,
} from "../external-accounts/external-account.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { holdPlaced } from "../ledger/postings.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlinePut } from "../platform/deadlines.ts";
import { notFound } from "../platform/http/api-error.ts";
import { labelPuts, parsePointer } from "../platform/labels.ts";
import { below } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { getProgram, type Program } from "../tenancy/programs/program.ts";
import { programDateAt } from "../tenancy/programs/program-days.ts";
import { wholeWallet } from "../wallets/transfer.ts";
import { days, dayUpdate, exceedsLimit, fullDayChecks } from "./day.ts";
import { payoutLimits } from "./limits.ts";
import { newPaymentWrites, paymentNames } from "./payment.ts";
import {
  type AuditPayout,
  approvalEnds,
  approvalId,
  type Payout,
  payoutHeldMinor,
  payouts,
  toPayoutView,
  unapproved,
} from "./payout.ts";

interface NewPayout {
  readonly programId: string;
  readonly payoutId: string;
  readonly body: PayoutCreate;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPayout;
}

const reads = ({ programId, payoutId, body }: NewPayout) => ({
  program: { get: () => getProgram(programId) },
  externalAccount: externalAccounts.at(programId, body.externalAccountId),
  wallet: later(wholeWallet(programId, body.walletId)),
  day: whenFailed((stored) => days.parse(stored)),
  // An earlier try, whose answer was lost, was committed after all.
  payout: later(payouts.at(programId, payoutId)),
  externalId: whenFailed(parsePointer),
});
type Found = FoundBy<ReturnType<typeof reads>>;

/**
 * Tries to hold amount and fee first. Failed conditions decide about 404, and a recorded decline,
 * which commits only while its reason holds.
 */
export const payoutCreation: Change<
  NewPayout,
  Found,
  PayoutView,
  "NOT_FOUND" | "EXTERNAL_ACCOUNT_NOT_VERIFIED" | "EXTERNAL_ID_EXISTS"
> = {
  reads,
  decide: (request, { program, externalAccount, ...found }, at) => {
    const { wallet, day, payout, externalId } = found;
    if (payout && payout !== unread) return { done: toPayoutView(payout) };
    if (!program || !externalAccount || wallet === undefined)
      return notFound({ externalAccountId: externalAccount, walletId: wallet });
    if (externalId && externalId !== unread)
      return { rejected: "EXTERNAL_ID_EXISTS", existingId: externalId.recordId };
    if (!isUsable(externalAccount)) return notVerified(externalAccount);
    const limits = payoutLimits(program);
    const { feeMinor, amountMinor } = price(request, limits);
    const declineReason =
      wallet !== unread && wallet.availableMinor < amountMinor + feeMinor
        ? "INSUFFICIENT_FUNDS"
        : exceedsLimit(amountMinor, limits, day)
          ? "LIMIT_EXCEEDED"
          : undefined;
    const made = toPayout(request, program, limits, declineReason, at);
    const decided = declineReason ? declined(made, limits, found) : held(made, externalAccount, limits, at);
    const { externalId: named } = request.body;
    const { programId, paymentId } = made;
    const { timeZone } = program.settings;
    const labelled = { programId, kind: "payout", recordId: paymentId } as const;
    return {
      ...decided,
      writes: [
        ...newPaymentWrites(made, payouts.at(programId, paymentId).create(made), timeZone),
        ...labelPuts(labelled, { externalId: named }),
        ...(request.audit ? [request.audit(undefined, made)] : []),
        ...decided.writes,
      ],
      answer: toPayoutView(made),
    };
  },
};

function price({ body }: NewPayout, { fee = 0 }: PayoutSettings) {
  return { amountMinor: body.amount, feeMinor: fee };
}

type Writes = Pick<Decided<unknown>, "accounts" | "entry"> & { readonly writes: readonly WriteAction[] };

function held(
  made: Payout,
  externalAccount: ExternalAccount,
  { dailyMax }: PayoutSettings,
  at: Date,
): Writes {
  const { programId, paymentId, walletId, amountMinor, reference, status } = made;
  const postings = holdPlaced(walletId, payoutHeldMinor(made));
  const due = { ownerId: programId, deadlineId: approvalId(paymentId), payoutId: paymentId };
  return {
    entry: journalEntry("payout_held", paymentId, postings, at, reference),
    accounts: [{ name: "wallet", account: { kind: "wallet", accountId: walletId }, isCovered: true }],
    writes: [
      usableCheck(externalAccount),
      dayUpdate(made, amountMinor, dailyMax),
      ...(status === "awaiting_approval"
        ? [deadlinePut(unapproved.at({ ...due, dueAt: approvalEnds(made) }))]
        : []),
    ],
  };
}

/** The record of a decline. Its reason holds when it is written. */
function declined(
  made: Payout,
  limits: PayoutSettings,
  { wallet, day }: Pick<Found, "wallet" | "day">,
): Writes {
  const { walletId, amountMinor, feeMinor, declineReason } = made;
  const account = { name: "wallet", account: { kind: "wallet", accountId: walletId } } as const;
  if (declineReason === "INSUFFICIENT_FUNDS") {
    // A hot Wallet lacked the money at the moment of this request at which all of it was read.
    const isHot = wallet !== unread && wallet?.shards !== undefined;
    const require = { availableMinor: below(amountMinor + feeMinor) };
    return { accounts: [isHot ? account : { ...account, require }], writes: [] };
  }
  return { accounts: [account], writes: fullDayChecks(made, limits, day) };
}

function toPayout(
  request: NewPayout,
  program: Program,
  limits: PayoutSettings,
  declineReason: PayoutDeclineReason | undefined,
  at: Date,
): Payout {
  const { programId, payoutId: paymentId, body, by } = request;
  const { amountMinor, feeMinor } = price(request, limits);
  const { approvalAbove = Number.POSITIVE_INFINITY } = limits;
  const isAwaiting = amountMinor > approvalAbove;
  return {
    ...{ programId, paymentId, entityId: paymentId, kind: "payout", amountMinor, feeMinor },
    currency: program.currency,
    status: declineReason ? "declined" : isAwaiting ? "awaiting_approval" : "pending",
    walletId: body.walletId,
    externalAccountId: body.externalAccountId,
    ...paymentNames({ kind: "payout", paymentId }),
    ...{ reference: body.reference, externalId: body.externalId, declineReason },
    createdBy: by,
    day: programDateAt(program, at),
    createdAt: timestamp(at),
  };
}
