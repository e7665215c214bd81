import {
  defineChange,
  type FoundBy,
  later,
  nothing,
  type ReadMore,
  type StepRefusal,
  unread,
} from "../changes/change.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { PullView } from "../contract/pulls.ts";
import { type Deposit, deposits } from "../deposits/deposit.ts";
import type { DepositChange } from "../deposits/new-deposit.ts";
import { settleDeposit } from "../deposits/settle-deposit.ts";
import type { EntryKind } from "../ledger/journal-entry.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { dayWrites } from "./day.ts";
import { endsMandate, mandateEnd, mandates } from "./mandate.ts";
import { isOfKind } from "./payment.ts";
import { type Audit, type Moved, PaymentSteps, type Step } from "./payment-step.ts";
import { clearingId, type Pull, pulls, pullTransitions, toPullView } from "./pull.ts";

export type AuditPull = Audit<Pull>;

export const pullSteps = new PaymentSteps({
  name: "pull",
  at: (programId, paymentId) => pulls.at(programId, paymentId),
  transitions: pullTransitions,
  toView: toPullView,
  alongside: (before, after, step) => [
    ...(before.status === "collected"
      ? [deadlineDelete(before.programId, clearingId(before.paymentId))]
      : []),
    ...dayWrites(before, after),
    ...mandateWrites(before, step),
  ],
});

/** A Wallet's transactions say that it was a pull. */
export function asPull({ commit: { entry, accounts, writes } }: DepositChange, kind: EntryKind): Moved {
  return { entries: entry ? [{ ...entry, kind }] : [], accounts, writes };
}

/** A first pull that the bank did not make leaves the next one the first, until it is made. */
function mandateWrites(
  before: Pull,
  { trigger, at, reasonCode }: Pick<Step<Pull, string>, "trigger" | "at" | "reasonCode">,
): WriteAction[] {
  const { programId, externalAccountId, mandateId } = before;
  if (endsMandate(reasonCode)) return [mandateEnd(before, at, reasonCode)];
  if (before.mandate.sequence !== "first") return [];
  const isUnused = trigger === "cancel" || trigger === "reject";
  if (!isUnused && before.status !== "rejected") return [];
  const sequence = isUnused ? "first" : "recurring";
  return [mandates.at(programId, externalAccountId, mandateId).update({ set: { sequence } })];
}

function readPull({ programId, paymentId }: Pick<Pull, "programId" | "paymentId">) {
  return { pull: isOfKind("pull", paymentId) ? pulls.at(programId, paymentId) : nothing };
}

/** @throws ApiError NOT_FOUND */
export async function requirePull(programId: string, pullId: string): Promise<Pull> {
  if (!isOfKind("pull", pullId)) throw new ApiError("NOT_FOUND");
  return pulls.at(programId, pullId).require();
}

/** Only what was collected has a deposit. */
export function pullReads(programId: string, paymentId: string) {
  return { ...readPull({ programId, paymentId }), deposit: later<Deposit>(nothing) };
}
export type FoundPull = FoundBy<ReturnType<typeof pullReads>>;

/** The deposit of what was collected: the decision asks for it. */
export function findDeposit(
  { programId, depositId }: Pull,
  deposit: FoundPull["deposit"],
): { readonly deposit: Deposit | undefined } | ReadMore<FoundPull> {
  if (depositId === undefined) return { deposit: undefined };
  if (deposit === unread) return { readMore: { deposit: deposits.at(programId, depositId) } };
  return { deposit };
}

/** Takes back what has come: the pending deposit, or money, also below zero. */
export function takeBack(deposit: Deposit | undefined, at: Date) {
  if (deposit?.status === DepositStatus.pending)
    return asPull(settleDeposit(deposit, "reverse", at), "pull_reversed");
  if (deposit?.status === DepositStatus.cleared)
    return asPull(settleDeposit(deposit, "return", at), "pull_returned");
  return undefined;
}

interface Cancellation {
  readonly programId: string;
  readonly pullId: string;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPull;
}

/** Ends a pull that no file has. Of cancellation and file one wins. */
export const pullCancellation = defineChange<Cancellation, PullView, StepRefusal>()({
  reads: ({ programId, pullId }) => readPull({ programId, paymentId: pullId }),
  decide: ({ by, audit }, { pull }, at) =>
    pull ? pullSteps.decideStep(pull, { trigger: "cancel", by, at, audit }) : { rejected: "NOT_FOUND" },
});

/** The hold days are over: it can be spent. Of this and a return, one comes first. */
export const pullClearing = defineChange<Omit<Cancellation, "by">, PullView, StepRefusal>()({
  reads: ({ programId, pullId }) => pullReads(programId, pullId),
  decide: (_deadline, { pull, deposit: read }, at) => {
    if (!pull) return { rejected: "NOT_FOUND" };
    const completedAt = timestamp(at);
    if (pull.status !== "collected" || completedAt < (pull.availableOn ?? ""))
      return { rejected: "ILLEGAL_TRANSITION" };
    const found = findDeposit(pull, read);
    if ("readMore" in found) return found;
    const { deposit } = found;
    const step = { by: "platform", at };
    // The bank has taken the deposit back by its own id.
    if (deposit?.status === DepositStatus.reversed || deposit?.status === DepositStatus.returned)
      return pullSteps.decideStep(pull, { ...step, trigger: "return", set: { returnedAt: completedAt } });
    const isPending = deposit?.status === DepositStatus.pending;
    const moved = isPending ? asPull(settleDeposit(deposit, "clear", at), "deposit_cleared") : undefined;
    return pullSteps.decideStep(pull, { ...step, trigger: "clear", set: { completedAt }, moved });
  },
});
