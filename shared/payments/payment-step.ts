import type { Decided } from "../changes/change.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import type { Condition } from "../platform/table/condition.ts";
import type { StoredAt } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { TransitionTable } from "../platform/table/transition.ts";
import { type Applied, addMover, type Decision, known, type Outcome, tellOperator } from "./outcome.ts";
import { type Payment, statusWrites, unreportedId } from "./payment.ts";

/** What a kind of payment has of its own. */
interface Kind<Stored extends Payment, Trigger extends string, View> {
  /** As the operator reads it. */
  readonly name: string;
  readonly at: (programId: string, paymentId: string) => StoredAt<Stored>;
  readonly transitions: TransitionTable<Stored["status"], Trigger>;
  readonly toView: (stored: Stored) => View;
  /** What its steps write beside status and events. */
  readonly alongside?: (before: Stored, after: Stored, step: Step<Stored, Trigger>) => WriteAction[];
}

export interface Step<Stored, Trigger> {
  readonly trigger: Trigger;
  /** The API user, `bank` or `platform`. */
  readonly by: string;
  readonly at: Date;
  readonly set?: Partial<Stored>;
  /** What must not have changed since, beside the status. */
  readonly asRead?: Partial<Stored>;
  readonly reasonCode?: string | undefined;
  /** What the step does to the money, if anything moves. */
  readonly moved?: Moved | undefined;
  readonly audit?: Audit<Stored> | undefined;
  readonly writes?: readonly WriteAction[];
}

/** Written in the same commit. */
export type Audit<Stored> = (before: Stored | undefined, after: Stored) => WriteAction;

export interface Moved extends Pick<Decided<never>, "accounts"> {
  /** In this order. */
  readonly entries: readonly JournalEntry[];
  readonly writes?: readonly WriteAction[];
}

/** A payment that the bank does not pay, or did not collect. */
interface Rejectable extends Payment {
  readonly rejectedAt?: string | undefined;
  readonly rejectedCode?: string | undefined;
}

const noted: Applied["result"] = "applied";

/** The steps of a kind of payment. Their condition has the name of its entity. */
export class PaymentSteps<Stored extends Rejectable, Trigger extends string, View> {
  readonly #kind: Kind<Stored, Trigger | "reject", View>;

  constructor(kind: Kind<Stored, Trigger | "reject", View>) {
    this.#kind = kind;
  }

  #plan(before: Stored, step: Step<Stored, Trigger | "reject">) {
    const { trigger, by, at, set, asRead, reasonCode, moved, audit, writes = [] } = step;
    const steps = this.#kind.transitions.filter((one) => one.trigger === trigger);
    const status = steps.find(({ from }) => from === before.status)?.to;
    const permitted = steps.map(({ from }) => from);
    if (status === undefined) return illegalStatus(before.status, permitted);
    const changes = { ...set, status } as Partial<Stored>;
    const after: Stored = { ...before, ...changes };
    const { programId, paymentId } = before;
    const isBefore = { ...asRead, status: before.status } as Condition<Stored>;
    const record = this.#kind.at(programId, paymentId).update({ set: changes }, isBefore);
    const [entry, ...furtherEntries] = moved?.entries ?? [];
    return {
      after,
      entry,
      furtherEntries,
      accounts: moved?.accounts,
      writes: [
        ...statusWrites(before, after, { by, at, reasonCode }, record),
        ...(before.status === "sent" ? [deadlineDelete(programId, unreportedId(paymentId))] : []),
        ...(this.#kind.alongside?.(before, after, step) ?? []),
        ...(moved?.writes ?? []),
        ...(audit ? [audit(before, after)] : []),
        ...writes,
      ],
    };
  }

  /** The step that a client asks for, or a deadline makes. */
  decideStep(before: Stored, step: Step<Stored, Trigger | "reject">) {
    const planned = this.#plan(before, step);
    if ("rejected" in planned) return planned;
    const { after, ...decided } = planned;
    return { ...decided, answer: this.#kind.toView(after) };
  }

  /** The step that the bank's word makes. */
  decideOutcome(
    before: Stored,
    { reasonCode, movedBy: mover }: Outcome,
    step: Omit<Step<Stored, Trigger | "reject">, "by" | "reasonCode">,
  ): Decision {
    const movedBy = mover && addMover(before.movedBy, mover);
    const set = { ...step.set, ...(movedBy && { movedBy }) } as Partial<Stored>;
    const planned = this.#plan(before, { ...step, set, by: "bank", reasonCode });
    if ("rejected" in planned) return planned;
    const { after: payment, ...decided } = planned;
    return { ...decided, answer: { result: "applied", payment } };
  }

  /** What it says is remembered, and moves nothing. */
  note(before: Stored, set: Partial<Stored>, asRead: Partial<Stored>, result = noted): Decision {
    const { programId, paymentId, status } = before;
    const condition = { ...asRead, status } as Condition<Stored>;
    return {
      writes: [this.#kind.at(programId, paymentId).update({ set }, condition)],
      answer: { result, payment: { ...before, ...set } },
    };
  }

  /** What is booked is known, unless another entry has moved money once more. */
  decideBooked(before: Stored, outcome: Outcome): Decision {
    const movedBy = addMover(before.movedBy, outcome.movedBy);
    if (!movedBy) return { rejected: "BOOKED_TWICE" };
    if (movedBy === before.movedBy || !outcome.movedBy) return known(before);
    const [set = {}, asRead = {}] = [movedBy, before.movedBy].map(
      (of) => ({ movedBy: of }) as Partial<Stored>,
    );
    return this.note(before, set, asRead, "known");
  }

  /** What contradicts moves nothing. `set` remembers it, so that the operator is told once. */
  keep(
    before: Stored,
    outcome: Outcome,
    set: Partial<Stored>,
    reason: string,
    writes: readonly WriteAction[] = [],
  ): Decision {
    const { programId, paymentId, status } = before;
    const unsaid = Object.keys(set).map((name) => [name, before[name as keyof Stored]]);
    const condition = { ...Object.fromEntries(unsaid), status } as Condition<Stored>;
    return {
      writes: [
        this.#kind.at(programId, paymentId).update({ set }, condition),
        tellOperator(before, outcome, reason),
        ...writes,
      ],
      answer: { result: "kept", payment: { ...before, ...set } },
    };
  }

  /**
   * The bank does not make it. What has come or gone moves by an entry or a return alone: then this
   * moves nothing, and the operator is told.
   */
  decideRejection(
    before: Stored,
    outcome: Outcome,
    at: Date,
    { moved, writes = [] }: Pick<Step<Stored, Trigger>, "moved" | "writes"> = {},
  ): Decision {
    if (before.rejectedAt !== undefined) return known(before);
    const { reasonCode: rejectedCode } = outcome;
    const rejected = { rejectedAt: timestamp(at), ...(rejectedCode !== undefined && { rejectedCode }) };
    const set = rejected as Partial<Stored>;
    if (before.status === "sent")
      return this.decideOutcome(before, outcome, { trigger: "reject", at, set, moved, writes });
    const reason = `The bank rejects a ${this.#kind.name} that is ${before.status}. Nothing is booked:`;
    return this.keep(before, outcome, set, reason, writes);
  }
}

/** Said once, of a payment that the bank had rejected: it is booked all the same. */
export function tellOfRejected(payment: Payment, outcome: Outcome, what: string): WriteAction[] {
  if (payment.status !== "rejected") return [];
  return [tellOperator(payment, outcome, `${what} that the bank had rejected. It is booked:`)];
}
