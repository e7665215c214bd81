import { type Decided, defineChange, later, unread, whenFailed } from "../changes/change.ts";
import type { PullCreate, PullView } from "../contract/pulls.ts";
import {
  type ExternalAccount,
  externalAccounts,
  isUsable,
  notVerified,
  usableCheck,
} from "../external-accounts/external-account.ts";
import { accountAt } from "../ledger/account.ts";
import { dateAt } from "../platform/calendar.ts";
import { timestamp } from "../platform/clock.ts";
import { notFound } from "../platform/http/api-error.ts";
import { labelPuts, parsePointer } from "../platform/labels.ts";
import { getProgram, type Program } from "../tenancy/programs/program.ts";
import { programDateAt } from "../tenancy/programs/program-days.ts";
import { days, dayUpdate, exceedsLimit, fullDayChecks } from "./day.ts";
import { type PullLimits, pullLimits } from "./limits.ts";
import { isCollected, type Mandate, mandates, notCollected } from "./mandate.ts";
import { newPaymentWrites, paymentNames } from "./payment.ts";
import { type Pull, pulls, toPullView } from "./pull.ts";
import type { AuditPull } from "./pull-step.ts";

interface NewPull {
  readonly programId: string;
  readonly pullId: string;
  readonly body: PullCreate;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPull;
}

type Refusal =
  | "NOT_FOUND"
  | "EXTERNAL_ACCOUNT_NOT_VERIFIED"
  | "MANDATE_CANCELLED"
  | "EXTERNAL_ID_EXISTS"
  | "VALIDATION_FAILED";

/** Banks take no direct debit earlier: the rulebooks of SEPA say so. */
const latestMs = 14 * 24 * 3_600_000;
const outside = { path: "body.collectOn", code: "out_of_range" };

/** Moves nothing: it is no deposit yet. Of two at once with one mandate, one is the first. */
export const pullCreation = defineChange<NewPull, PullView, Refusal>()({
  reads: ({ programId, pullId, body: { externalAccountId, mandateId, walletId: accountId } }) => ({
    program: { get: () => getProgram(programId) },
    externalAccount: externalAccounts.at(programId, externalAccountId),
    mandate: mandates.at(programId, externalAccountId, mandateId),
    wallet: later(accountAt(programId, { kind: "wallet", accountId })),
    day: whenFailed((stored) => days.parse(stored)),
    // An earlier try, whose answer was lost, was committed after all.
    pull: later(pulls.at(programId, pullId)),
    externalId: whenFailed(parsePointer),
  }),
  decide: (request, { program, externalAccount, mandate, wallet, day, pull, externalId }, at) => {
    if (pull && pull !== unread) return { done: toPullView(pull) };
    if (!program || !externalAccount || !mandate || !wallet)
      return notFound({ externalAccountId: externalAccount, mandateId: mandate, walletId: wallet });
    if (externalId && externalId !== unread)
      return { rejected: "EXTERNAL_ID_EXISTS", existingId: externalId.recordId };
    if (!isUsable(externalAccount)) return notVerified(externalAccount);
    if (mandate.status !== "active") return { rejected: "MANDATE_CANCELLED" };
    // The mandate may be older than this rule.
    if (!isCollected(externalAccount))
      return { rejected: "VALIDATION_FAILED", faults: [{ path: "body.externalAccountId", ...notCollected }] };
    const { timeZone } = program.settings;
    const today = dateAt(at.getTime(), timeZone);
    const last = new Date(Date.parse(today) + latestMs).toISOString().slice(0, 10);
    const { collectOn = today } = request.body;
    const message = `must be from today, ${today}, to ${last}`;
    if (collectOn < today || collectOn > last)
      return { rejected: "VALIDATION_FAILED", faults: [{ ...outside, message }] };
    const limits = pullLimits(program);
    const isDeclined = exceedsLimit(request.body.amount, limits, day);
    const made = toPull(request, program, mandate, isDeclined, at);
    const { programId, paymentId } = made;
    const labelled = { programId, kind: "pull", recordId: paymentId } as const;
    return {
      accounts: [{ name: "wallet", account: { kind: "wallet", accountId: made.walletId } }],
      writes: [
        ...newPaymentWrites(made, pulls.at(programId, paymentId).create(made), timeZone),
        ...labelPuts(labelled, { externalId: request.body.externalId }),
        ...(request.audit ? [request.audit(undefined, made)] : []),
        ...(isDeclined ? fullDayChecks(made, limits, day) : accepted(made, limits, externalAccount)),
      ],
      answer: toPullView(made),
    };
  },
});

type Writes = Decided<unknown>["writes"];

function accepted(made: Pull, { dailyMax }: PullLimits, account: ExternalAccount): Writes {
  const { programId, externalAccountId, mandateId, amountMinor } = made;
  const mandate = mandates.at(programId, externalAccountId, mandateId);
  return [
    usableCheck(account),
    dayUpdate(made, amountMinor, dailyMax),
    made.mandate.sequence === "first"
      ? mandate.update({ set: { sequence: "recurring" } }, { status: "active", sequence: "first" })
      : mandate.check({ status: "active", sequence: "recurring" }),
  ];
}

function toPull(
  { programId, pullId: paymentId, body, by }: NewPull,
  program: Program,
  { reference: mandateReference, signedAt: signedOn, sequence }: Mandate,
  isDeclined: boolean,
  at: Date,
): Pull {
  const { amount: amountMinor, collectOn, reference, externalId, ...ids } = body;
  return {
    ...{ programId, paymentId, entityId: paymentId, kind: "pull", ...ids, amountMinor },
    currency: program.currency,
    mandate: { reference: mandateReference, signedOn, sequence },
    status: isDeclined ? "declined" : "pending",
    ...paymentNames({ kind: "pull", paymentId }),
    ...{ collectOn, reference, externalId },
    ...(isDeclined && { declineReason: "LIMIT_EXCEEDED" as const }),
    createdBy: by,
    day: programDateAt(program, at),
    createdAt: timestamp(at),
  };
}
