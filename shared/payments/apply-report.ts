import type { BankDeposited, BankEvent, BankOrdered, BankStatus } from "../contract/bank.ts";
import { countDecimals, toDecimal } from "../contract/currencies.ts";
import { currencyNames } from "../contract/enums.ts";
import { toId } from "../contract/identifiers.ts";
import { applyBankEvent } from "../deposits/bank/apply-bank-event.ts";
import type { BankOutcome, BankReport as Report, Returns } from "../deposits/bank/payment.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { keepRefused } from "../platform/refused/refused-input.ts";
import { findProgramOfAccount } from "../tenancy/programs/bank-account.ts";
import { applyOutcome } from "./apply-outcome.ts";
import type { Outcome } from "./outcome.ts";
import { findPayment, type Payment, payments } from "./payment.ts";
import { fileParts, readBatches, readOrders } from "./payment-file.ts";

type Claimed = BankEvent | BankOrdered;

/** A report of a bank: an event, or what is refused unless it is of a payment that was ordered. */
export interface OrderReport extends Omit<Report, "event"> {
  readonly event: Claimed;
  /** Why it is refused, if it is of none. */
  readonly reason?: string | undefined;
}

/**
 * Applies what a bank reports. What names a payment that the platform has ordered is its outcome,
 * if account and amount agree; everything else is a deposit, a return, or refused.
 * @throws ContendedError
 */
export async function applyReport(report: OrderReport, returns: Returns): Promise<BankOutcome> {
  const { event, reason } = report;
  const claimed = await claim(report);
  if (claimed === "disagrees" && event.kind === "deposited")
    return applyBankEvent({ ...report, event: withoutNames(event) }, returns);
  if (claimed !== undefined && claimed !== "disagrees") return claimed;
  if (reason !== undefined || event.kind === "status" || event.kind === "debited") {
    const programId = await findProgramId(report);
    const why =
      claimed === "disagrees" ? "It names a payment of another account, amount or currency." : undefined;
    const refused = [why, reason ?? "It is of no payment that was ordered."].filter(Boolean).join(" ");
    return { status: "rejected", reason: refused, ...(programId !== undefined && { programId }) };
  }
  return applyBankEvent({ ...report, event }, returns);
}

/** What names a payment wrongly is not of whom its text names: it is `ACCOUNT_UNKNOWN`. */
function withoutNames({ creditorReferences: _, suspend: __, ...event }: BankDeposited): BankDeposited {
  return { ...event, remittance: [] };
}

async function findProgramId({ event, programId }: OrderReport): Promise<string | undefined> {
  const account = event.kind === "status" ? undefined : event.account;
  if (programId !== undefined || account === undefined) return programId;
  return (await findProgramOfAccount(account))?.programId;
}

type Claim = BankOutcome | "disagrees" | undefined;

async function claim(report: OrderReport): Promise<Claim> {
  const { event } = report;
  const { endToEnd, instruction, message } = event.references;
  for (const name of [endToEnd, instruction]) {
    const payment = name === undefined ? undefined : await findPayment(name);
    if (payment) return claimOne(report, payment);
  }
  if (event.batch !== undefined) return claimBatch(report, event.batch);
  // The status of a payment that is not known says nothing of the others of its message.
  const isOfGroup = event.kind === "status" && endToEnd === undefined && instruction === undefined;
  return isOfGroup && message !== undefined ? claimGroup(report, event, message) : undefined;
}

/** What an event says of a payment: undefined if it can say nothing of its kind. */
function toStatus({ event, reason }: OrderReport, payment: Payment): Outcome["status"] | undefined {
  const isPull = payment.kind === "pull";
  switch (event.kind) {
    case "status":
      // The credit alone says that what is collected came.
      return isPull && event.status === "completed" ? "accepted" : event.status;
    case "debited":
      return isPull ? "returned" : "completed";
    case "deposited":
      if (!isPull) return isComeBack(event, reason, payment) ? "returned" : undefined;
      // What takes a debit back is no collection.
      return reason === undefined ? "collected" : undefined;
    case "returned":
      // What an entry takes from the account gives no Wallet anything.
      return event.place === undefined || isPull ? "returned" : undefined;
  }
}

/** Less than was paid comes back only where the entry says so: else it is other money. */
function isComeBack(
  { isReturn, amount, charges = 0 }: BankDeposited,
  reason: string | undefined,
  { amountMinor }: Payment,
): boolean {
  const isWhole = amount === amountMinor || amount + charges === amountMinor;
  return isReturn === true || reason !== undefined || isWhole;
}

async function claimOne(report: OrderReport, payment: Payment): Promise<Claim> {
  const { event, programId } = report;
  const status = toStatus(report, payment);
  if (status === undefined) return "disagrees";
  const chargedMinor = findCharge(event, payment);
  const amountMinor = event.amount === undefined ? undefined : event.amount - chargedMinor;
  if (!(await agrees(event, payment, status, amountMinor))) return "disagrees";
  if (programId !== undefined && programId !== payment.programId) return "disagrees";
  const { reasonCode } = event;
  const { paymentId, kind } = payment;
  const entry = toEntry(event);
  const applied = await applyOutcome({
    ...{ programId: payment.programId, paymentId, kind, status },
    ...(status === "returned" && amountMinor !== undefined && { amountMinor }),
    ...(entry !== undefined && { entry }),
    ...(reasonCode !== undefined && { reasonCode }),
  });
  if (applied.result === "refused") return "disagrees";
  if (chargedMinor > 0) await keepCharge(event, payment, chargedMinor);
  return { status: applied.result === "known" ? "duplicate" : "applied", programId: payment.programId };
}

/** What an entry has taken beside the payment: a return may be in one sum with its charge. */
function findCharge(event: Claimed, { kind, amountMinor }: Payment): number {
  if (event.kind !== "debited" && event.kind !== "returned") return 0;
  const { amount = 0, charges = 0 } = event;
  if (!isEntry(event) || amount <= amountMinor) return 0;
  const isTold = amount - charges === amountMinor;
  const isPullsReturn = kind === "pull" && event.kind === "returned";
  return isTold || isPullsReturn ? amount - amountMinor : 0;
}

/** No Wallet pays it: the operator is told, once however often it comes. */
async function keepCharge(event: Claimed, payment: Payment, chargedMinor: number): Promise<void> {
  const { programId, paymentId, endToEndId, currency, kind } = payment;
  const code = currencyNames[currency];
  const amount = `${toDecimal(chargedMinor, countDecimals(code))} ${code}`;
  const name = kind.replace("_", "-");
  const reason = `The bank has charged for a ${name}, or taken more than it. Nobody has paid it yet: ${amount}.`;
  const input = JSON.stringify({ paymentId, endToEndId, charge: amount });
  await keepRefused({ port: "bank", reason, input, programId, identity: `${paymentId} ${event.kind}` });
}

/** A booked entry of a statement has moved money; a status report has not. */
function isEntry(event: Claimed): boolean {
  return event.kind === "debited" || (event.kind !== "status" && event.place !== undefined);
}

/** What tells a credit from others of the same payment, in whichever report. */
function toEntry(event: Claimed): string | undefined {
  if (event.kind !== "deposited") return undefined;
  const { references, place } = event;
  const { accountServicer, entry } = references;
  if (accountServicer === undefined) return "";
  // Payments of one entry may share its reference.
  const isShared = entry === undefined && place?.detail !== undefined;
  return isShared ? `${accountServicer} ${place.detail}` : accountServicer;
}

/** The account is the Program's, and the amount the payment's; of what comes back, not more. */
async function agrees(
  event: Claimed,
  payment: Payment,
  status: Outcome["status"],
  amountMinor: number | undefined,
): Promise<boolean> {
  const { currency } = event;
  if (currency !== undefined && currency !== currencyNames[payment.currency]) return false;
  if (event.kind === "status" && event.of !== undefined && !isCalled(event.of, payment)) return false;
  if (isEntry(event)) {
    const account = event.kind === "status" ? undefined : event.account;
    const program = account === undefined ? undefined : await findProgramOfAccount(account);
    if (program?.programId !== payment.programId) return false;
  }
  if (amountMinor === undefined) return true;
  return status === "returned" ? amountMinor <= payment.amountMinor : amountMinor === payment.amountMinor;
}

/** A micro-deposit is paid out: its bank calls it a payout. */
const isCalled = (of: NonNullable<BankStatus["of"]>, { kind }: Payment) =>
  (of === "pull") === (kind === "pull");

/** Statuses of many at once: a Wallet takes one commit after the other. */
const lanes = 4;

/** An entry of a `PmtInf` has the sum of its payments that were not rejected. */
async function claimBatch(report: OrderReport, batch: string): Promise<Claim> {
  const [, message = "", number = ""] = /^(.+)-(\d+)$/.exec(toPlain(batch)) ?? [];
  const found = await readMembers(message, `${message}-${number}`);
  if (found.length === 0) return undefined;
  const { event } = report;
  if (event.kind !== "status") {
    // One that was paid after its rejection was paid by another entry.
    const ways = [
      found.filter(({ status }) => status !== "rejected"),
      found.filter(({ rejectedAt }) => rejectedAt === undefined),
    ];
    const left = ways.find((some) => addUp(some) === event.amount);
    if (!left) return "disagrees";
    return claimAll(report, left);
  }
  return claimAll(report, withoutOwn(found, event));
}

const addUp = (some: readonly Payment[]) => some.reduce((total, { amountMinor }) => total + amountMinor, 0);

async function claimGroup(report: OrderReport, event: BankStatus, message: string): Promise<Claim> {
  const found = await readMembers(message);
  return found.length === 0 ? undefined : claimAll(report, withoutOwn(found, event));
}

interface Member extends Payment {
  readonly batch: string;
}

function withoutOwn(found: readonly Member[], { except = [] }: BankStatus): Member[] {
  const own = new Set(except.map(toPlain));
  return found.filter(
    ({ endToEndId, instrId, batch }) => ![endToEndId, instrId, batch].some((one) => own.has(one)),
  );
}

/** As the platform has written it, in whichever case and with whatever blanks it comes back. */
function toPlain(written: string): string {
  return written.toUpperCase().replace(/[^A-Z0-9-]/g, "");
}

/** Each has its own amount: the report's is that of all. */
async function claimAll(report: OrderReport, members: readonly Member[]): Promise<Claim> {
  const { event } = report;
  if (event.kind === "status" && event.status === "accepted")
    return { status: "applied", programId: members[0]?.programId ?? report.programId ?? "" };
  const claims = await inLanes(
    members,
    (member) => claimOne({ ...report, event: { ...event, amount: member.amountMinor } }, member),
    lanes,
  );
  const outcomes = claims.filter((one) => one !== undefined && one !== "disagrees");
  const [first] = outcomes;
  if (!first) return members.length === 0 ? undefined : "disagrees";
  return outcomes.find(({ status }) => status === "applied") ?? first;
}

async function readMembers(message: string, batch?: string): Promise<Member[]> {
  const fileId = toId("paymentFile", toPlain(message));
  const first = fileId === undefined ? undefined : await fileParts.at(fileId, 1).get();
  if (fileId === undefined || !first) return [];
  const orders = await readOrders(fileId);
  const batches = await readBatches(first.programId, fileId, orders);
  const members = orders.map((order, index) => ({ order, batch: batches[index] ?? "" }));
  const wanted = members.filter((one) => batch === undefined || one.batch === batch);
  const read = await inLanes(wanted, async (one) => {
    const payment = await payments.at(first.programId, one.order.paymentId).get();
    return payment && { ...payment, batch: one.batch };
  });
  return read.filter((one) => one !== undefined);
}
