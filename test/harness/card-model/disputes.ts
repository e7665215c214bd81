import { applied, illegal, notFound, type Outcome, post, type Resolved } from "./answers.ts";
import type { Card } from "./card.ts";
import {
  type Debit,
  type Dispute,
  type DisputeStatus,
  disputeText,
  freeOf,
  lastingDays,
  paidOf,
  roomOf,
  worthOf,
} from "./debits.ts";

/** Answers of the API: of the customer's requests. */
const refused = (status: number, code: string): Outcome => ({ status, code });
const unknown = refused(404, "NOT_FOUND");
const forbidden = refused(409, "ILLEGAL_TRANSITION");
const exceeded = refused(409, "AMOUNT_EXCEEDED");
const shown = (dispute: Dispute): Outcome => ({ status: 200, dispute: disputeText(dispute) });

interface OfAmount {
  readonly target?: string | undefined;
  readonly amount?: number | undefined;
}

function open(of: Debit, amount: number): Dispute {
  of.claimed += amount;
  return { of, amount, status: "new", credited: 0, isCreditDue: false, lacksEvidence: false };
}

/** The network's own: created, submitted and credited at once. */
export function chargeBack(card: Card, command: OfAmount, id: string): Outcome {
  const debit = card.debits.get(command.target ?? "");
  if (!debit) return notFound;
  const amount = command.amount ?? debit.amount;
  if (amount === 0 || amount > freeOf(debit)) return illegal;
  const dispute = open(debit, amount);
  card.disputes.set(id, dispute);
  submit(card, dispute, true);
  return applied({ amount });
}

export function create(card: Card, command: OfAmount, id: string): Outcome {
  const debit = card.debits.get(command.target ?? "");
  if (!debit) return unknown;
  const { amount = freeOf(debit) } = command;
  if (amount === 0 || amount > freeOf(debit)) return exceeded;
  const dispute = open(debit, amount);
  card.disputes.set(id, dispute);
  return shown(dispute);
}

export function change(card: Card, command: OfAmount): Outcome {
  const dispute = card.disputes.get(command.target ?? "");
  if (!dispute) return unknown;
  if (dispute.status !== "new") return forbidden;
  const { amount = dispute.amount } = command;
  const more = amount - dispute.amount;
  if (more !== 0 && more > roomOf(dispute.of)) return exceeded;
  dispute.of.claimed += more;
  dispute.amount = amount;
  return shown(dispute);
}

export function addEvidence(card: Card, { target = "" }: Resolved): Outcome {
  const dispute = card.disputes.get(target);
  if (!dispute) return { status: 404 };
  const isCustomers = ["new", "pending_customer", "representment", "pre_arbitration"].includes(
    dispute.status,
  );
  if (isCustomers) dispute.lacksEvidence = false;
  return { status: isCustomers ? 200 : 409 };
}

/** The customer's next step. */
export function takeStep(card: Card, { target = "", step }: Resolved & { do: "disputeStep" }): Outcome {
  const dispute = card.disputes.get(target);
  if (!dispute) return unknown;
  const { status } = dispute;
  const may = (...from: DisputeStatus[]) => from.includes(status);
  switch (step) {
    case "submit":
      if (!may("new", "pending_customer")) return forbidden;
      if (status === "pending_customer" && dispute.lacksEvidence) return refused(409, "EVIDENCE_REQUIRED");
      if (status === "new" && roomOf(dispute.of) < 0) return exceeded;
      if (status === "new") submit(card, dispute, card.creditsAtOnce);
      else dispute.status = "submitted";
      break;
    case "escalate":
      if (!may("representment", "pre_arbitration")) return forbidden;
      dispute.status = status === "representment" ? "pre_arbitration" : "arbitration";
      break;
    case "write_off":
      if (!isAtNetwork(dispute)) return forbidden;
      writeOff(card, dispute);
      break;
    case "withdraw":
      if (!may("new", "pending_customer", "submitted")) return forbidden;
      giveUp(card, dispute, "withdrawn", 8);
      break;
  }
  return shown(dispute);
}

const isAtNetwork = ({ status }: Dispute) =>
  ["submitted", "representment", "pre_arbitration", "arbitration"].includes(status);

/** What the network says: that it has this status now. */
export function follow(card: Card, command: Resolved & { do: "disputeOutcome" | "outcome" }): Outcome {
  const dispute = card.disputes.get(command.target ?? "");
  if (!dispute) return notFound;
  const { status } = dispute;
  const may = (...from: DisputeStatus[]) => from.includes(status);
  const to = command.do === "disputeOutcome" ? command.status : outcomes[command.status];
  const moved = (amount = 0) => applied({ amount });
  switch (to) {
    case "pending_customer":
      if (!may("submitted")) return illegal;
      Object.assign(dispute, { status: to, lacksEvidence: true });
      return moved();
    case "representment":
      if (!may("submitted")) return illegal;
      dispute.status = to;
      note(card, dispute, 10, "DR", 0);
      return moved();
    case "pre_arbitration":
    case "arbitration":
      if (!may(to === "arbitration" ? "pre_arbitration" : "representment")) return illegal;
      dispute.status = to;
      return moved();
    case "won":
      return isAtNetwork(dispute)
        ? moved(keep(card, dispute, { status: to, end: "recovered", code: 5 }))
        : illegal;
    case "written_off":
      return isAtNetwork(dispute) ? moved(writeOff(card, dispute)) : illegal;
    case "lost":
      return isAtNetwork(dispute) ? moved(giveUp(card, dispute, to, 7)) : illegal;
    case "withdrawn":
      return may("submitted", "representment") ? moved(giveUp(card, dispute, to, 8)) : illegal;
    case "expired":
      return may("new", "pending_customer") ? moved(giveUp(card, dispute, to, 7)) : illegal;
    default:
      return illegal;
  }
}

const outcomes = {
  1: "representment",
  2: "won",
  3: "lost",
  4: "written_off",
  5: "withdrawn",
} as const;

/** What is due after so many days: the credit on the tenth business day, or the status's end. */
export function beDue(card: Card, { target = "", step, days }: Resolved & { do: "disputeDue" }): Outcome {
  const dispute = card.disputes.get(target);
  if (!dispute) return {};
  const { status } = dispute;
  if (step === "credit") {
    if (dispute.isCreditDue && days > 14) credit(card, dispute);
  } else if (days > (lastingDays[status] ?? Number.POSITIVE_INFINITY)) {
    const isCustomers = status === "new" || status === "pending_customer";
    giveUp(card, dispute, isCustomers ? "expired" : "lost", 7);
  }
  return {};
}

function submit(card: Card, dispute: Dispute, creditsAtOnce: boolean): void {
  note(card, dispute, 4, "CR", 0);
  dispute.status = "submitted";
  dispute.isCreditDue = true;
  if (creditsAtOnce) credit(card, dispute);
}

/** Sets what the dispute has credited. Returns what the Card gets. */
function setCredit(dispute: Dispute, credited: number, change: (of: Debit) => void = () => {}): number {
  const { of } = dispute;
  const before = paidOf(of);
  of.credited += credited - dispute.credited;
  change(of);
  Object.assign(dispute, { credited, isCreditDue: false });
  return paidOf(of) - before;
}

function credit(card: Card, dispute: Dispute): void {
  const more = setCredit(dispute, worthOf(dispute.of, dispute.amount));
  if (more > 0) note(card, dispute, 6, "CR", more);
}

const writeOff = (card: Card, dispute: Dispute) =>
  keep(card, dispute, { status: "lost", end: "writtenOff", code: 9 });

/** The Card keeps the money, or gets it now: as much as is left. Returns what it gets. */
function keep(
  card: Card,
  dispute: Dispute,
  { code, ...ended }: Pick<Dispute, "status"> & Required<Pick<Dispute, "end">> & { code: number },
): number {
  const kept = worthOf(dispute.of, dispute.amount);
  const more = setCredit(dispute, kept, (of) => {
    of.settled += kept;
    of.claimed -= dispute.amount - kept;
  });
  note(card, dispute, code, "CR", more);
  Object.assign(dispute, { ...ended, kept });
  return more;
}

/** The Card gives the credit back, and the amount can be disputed again. Returns what is moved. */
function giveUp(card: Card, dispute: Dispute, status: DisputeStatus, code: number): number {
  const isNew = dispute.status === "new";
  const change = setCredit(dispute, 0, (of) => {
    of.claimed -= dispute.amount;
  });
  const less = Math.abs(change);
  if (!isNew) note(card, dispute, code, "DR", less);
  Object.assign(dispute, { status, end: "denied" });
  return less;
}

/** After a change of what is refunded: the Card has as much of the credits as is left. */
export function creditAfter(card: Card, of: Debit, change: () => void): void {
  const before = paidOf(of);
  change();
  const more = paidOf(of) - before;
  if (more !== 0) note(card, { of }, more > 0 ? 6 : 7, more > 0 ? "CR" : "DR", Math.abs(more));
}

/** By the code of a purchase. PIN debits have no code for a representment. */
function note(
  card: Card,
  { of }: Pick<Dispute, "of">,
  code: number,
  type: "DR" | "CR",
  amount: number,
): void {
  const byPin = { 4: 42, 5: 43, 6: 44, 7: 45, 8: 46, 9: 47, 10: 42 }[code] ?? 0;
  post(card, of.byPin ? byPin : code, type, amount);
}
