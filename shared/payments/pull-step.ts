import type { Decided } from "../changes/change.ts";
import type { PullView } from "../contract/pulls.ts";
import type { DepositChange } from "../deposits/deposit-change.ts";
import type { EntryKind } from "../ledger/journal-entry.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { dayWrites } from "./day.ts";
import { endsMandate, mandateEnd, mandates } from "./mandate.ts";
import type { Applied, Outcome } from "./outcome.ts";
import { statusWrites, unreportedId } from "./payment.ts";
import { clearingId, type Pull, type PullTrigger, pulls, pullTransitions, toPullView } from "./pull.ts";

/** Written in the same commit. */
export type AuditPull = (before: Pull | undefined, after: Pull) => WriteAction;

interface Step {
  readonly trigger: PullTrigger;
  /** The API user, `bank` or `platform`. */
  readonly by: string;
  readonly at: Date;
  readonly set?: Partial<Pull>;
  readonly reasonCode?: string | undefined;
  /** What the step does to the deposit, if anything moves. */
  readonly moved?: Moved | undefined;
  readonly audit?: AuditPull | undefined;
  readonly writes?: readonly WriteAction[];
}

type Moved = Pick<Decided<never>, "entry" | "accounts"> & { readonly writes: readonly WriteAction[] };

/** A Wallet's transactions say that it was a pull. */
export function asPull({ commit: { entry, accounts, writes } }: DepositChange, kind: EntryKind): Moved {
  return { entry: entry && { ...entry, kind }, accounts, writes };
}

const illegal = { rejected: "ILLEGAL_TRANSITION" } as const;

/** Its condition is named `pull`. */
function planStep(before: Pull, step: Step) {
  const { trigger, by, at, set = {}, reasonCode, moved, audit, writes = [] } = step;
  const status = pullTransitions.find((one) => one.from === before.status && one.trigger === trigger)?.to;
  if (!status) return undefined;
  const { programId, paymentId } = before;
  const after: Pull = { ...before, ...set, status };
  const record = pulls
    .at(programId, paymentId)
    .update({ set: { ...set, status } }, { status: before.status });
  return {
    after,
    entry: moved?.entry,
    accounts: moved?.accounts ?? [],
    writes: [
      ...statusWrites(before, after, { by, at, reasonCode }, record),
      ...endedDeadlines(before),
      ...dayWrites(before, after),
      ...mandateWrites(before, step),
      ...(moved?.writes ?? []),
      ...(audit ? [audit(before, after)] : []),
      ...writes,
    ],
  };
}

/** The step that a client asks for, or a deadline makes. */
export function decidePullStep(before: Pull, step: Step): Decided<PullView> | typeof illegal {
  const planned = planStep(before, step);
  if (!planned) return illegal;
  const { after, ...decided } = planned;
  return { ...decided, answer: toPullView(after) };
}

/** The step that the bank's word makes. */
export function decidePullOutcome(
  before: Pull,
  { reasonCode }: Outcome,
  step: Omit<Step, "by" | "reasonCode">,
): Decided<Applied> | typeof illegal {
  const planned = planStep(before, { ...step, by: "bank", reasonCode });
  if (!planned) return illegal;
  const { after: payment, ...decided } = planned;
  return { ...decided, answer: { result: "applied", payment } };
}

function endedDeadlines({ programId, paymentId, status }: Pull): WriteAction[] {
  if (status === "sent") return [deadlineDelete(programId, unreportedId(paymentId))];
  return status === "collected" ? [deadlineDelete(programId, clearingId(paymentId))] : [];
}

/** A first pull that the bank did not make leaves the next one the first, until it is made. */
function mandateWrites(before: Pull, { trigger, at, reasonCode }: Step): WriteAction[] {
  const { programId, externalAccountId, mandateId } = before;
  if (endsMandate(reasonCode)) return [mandateEnd(before, at, reasonCode)];
  if (before.mandate.sequence !== "first") return [];
  const isUnused = trigger === "cancel" || trigger === "reject";
  if (!isUnused && before.status !== "rejected") return [];
  const sequence = isUnused ? "first" : "recurring";
  return [mandates.at(programId, externalAccountId, mandateId).update({ set: { sequence } })];
}
