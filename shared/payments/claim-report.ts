import { toBatchKey } from "../adapters/iso20022/write-orders.ts";
import type { BankDeposited, BankEvent, BankOrdered, BankReturned, BankStatus } from "../contract/bank.ts";
import { countDecimals, toDecimal } from "../contract/currencies.ts";
import { currencyNames } from "../contract/enums.ts";
import { toId } from "../contract/identifiers.ts";
import { applyBankEvent } from "../deposits/bank/apply-bank-event.ts";
import {
  type BankOutcome,
  findNamed,
  mostAlike,
  type BankReport as Report,
} from "../deposits/bank/payment.ts";
import { isOpen } from "../deposits/settle-suspense.ts";
import { suspenseItems } from "../deposits/suspense.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { keepRefused } from "../platform/refused/refused-input.ts";
import { readBatch } from "../platform/table/batch.ts";
import { isTimeUp, TimeUpError } from "../platform/time-budget.ts";
import { findProgramOfAccount } from "../tenancy/programs/collecting-account.ts";
import { applyOutcome } from "./apply-outcome.ts";
import type { Outcome } from "./outcome.ts";
import { type Payment, payments } from "./payment.ts";
import { fileParts, type PaymentFile, paymentFiles, toPieces, walkParts } from "./payment-file.ts";

type Claimed = BankEvent | BankOrdered;

/** A report of a bank: an event, or what is refused unless it is of a payment that was ordered. */
export interface OrderReport extends Omit<Report, "event"> {
  readonly event: Claimed;
  /** Why it is refused, if it is of none. */
  readonly reason?: string | undefined;
}

/** What names a payment wrongly is not of whom its text names: it is `ACCOUNT_UNKNOWN`. */
export function suspend(
  report: OrderReport,
  { creditorReferences: _, suspend: __, ...event }: BankDeposited,
): Promise<BankOutcome> {
  return applyBankEvent({ ...report, event: { ...event, remittance: [] } });
}

export const disagreement = "It names a payment of another account, amount or currency.";

/** An outcome of what was ordered; undefined if the report names nothing of it. */
export type Claim = BankOutcome | "disagrees" | undefined;

/** A report that a payout came back moves nothing: what waits in suspense under its name stays. */
export async function claimPayment(report: OrderReport, payment: Payment): Promise<Claim> {
  const { event, programId } = report;
  const isReport = event.kind === "returned" && !isEntry(event) && payment.kind !== "pull";
  if (isReport && (await isWaiting(event, payment))) {
    const reason = "An entry that names the payment, and has this amount, waits in suspense.";
    return { status: "rejected", reason, programId: payment.programId };
  }
  const claimed = await claimOne(report, payment);
  if (claimed !== "disagrees" || !isReport) return claimed;
  return { status: "rejected", reason: disagreement, programId: programId ?? payment.programId };
}

/** Less than was paid, of an entry that did not say that it came back. */
async function isWaiting({ amount }: BankReturned, payment: Payment): Promise<boolean> {
  const { programId, endToEndId, amountMinor } = payment;
  if (amount === undefined || amount === amountMinor || payment.status === "returned") return false;
  const { payments: named } = await findNamed([endToEndId], mostAlike, programId);
  const alike = named.filter((one) => one.amountMinor === amount);
  const items = await Promise.all(alike.map((one) => suspenseItems.at(programId, one.depositId).get()));
  return items.some((item) => item && isOpen(item));
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
      if (!isPull) return isComeBack(event, reason, payment) || isReturned(payment) ? "returned" : undefined;
      // What takes a debit back is no collection.
      return reason === undefined ? "collected" : undefined;
    case "returned":
      // What an entry takes from the account gives no Wallet anything.
      return event.place === undefined || isPull ? "returned" : undefined;
  }
}

const isReturned = ({ kind, status }: Payment) => kind === "payout" && status === "returned";

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
  const entry = event.kind === "deposited" ? nameEntry(event) : undefined;
  const isUnsaid = event.kind === "deposited" && !isComeBack(event, report.reason, payment);
  const applied = await applyOutcome({
    ...{ programId: payment.programId, paymentId, kind, status },
    ...(status === "returned" && amountMinor !== undefined && { amountMinor }),
    ...(entry !== undefined && { entry, isUnsaid }),
    movedBy: toMover(report, status),
    ...(reasonCode !== undefined && { reasonCode }),
  });
  if (applied.result === "refused") {
    if (applied.reason !== "BOOKED_TWICE" || event.kind === "deposited") return "disagrees";
    return { status: "rejected", reason: twice, programId: payment.programId };
  }
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

const twice = "Another entry has moved the payment. This one has moved as much once more.";

/** Two entries of a file are two movements, whatever they name. */
function toMover({ event, file }: OrderReport, status: Outcome["status"]): Outcome["movedBy"] {
  if (event.kind === "status" || !isEntry(event) || file === undefined) return undefined;
  const { place, report = "", references } = event;
  const { copy: _, ...there } = place ?? {};
  const name = nameEntry(event) || `#${JSON.stringify(there)}`;
  return { status, report, file, name, entry: references.entry ?? references.accountServicer ?? name };
}

/** What tells an entry from others of the same payment, in whichever report. */
function nameEntry({ references, place }: Exclude<Claimed, BankStatus>): string {
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
export async function claimBatch(report: OrderReport, batch: string): Promise<Claim> {
  const [, message = "", number = ""] = /^(.+)-(\d+)$/.exec(toPlain(batch)) ?? [];
  const name = `${message}-${number}`;
  const found = await findMessage(message);
  if (!found || !Object.values(found.ids).includes(name)) return undefined;
  const { event } = report;
  if (event.kind === "status") return claimAll(report, found, walkMembers(found, withoutOwn(event, name)));
  const wanted: Member[][] = [];
  const isIn: Wanted = ({ batch: own, status }) => own === name && status !== "rejected";
  for await (const members of walkMembers(found, isIn)) wanted.push(members);
  // One that was paid after its rejection was paid by another entry.
  const others = wanted.map((members) => members.filter(({ rejectedAt }) => rejectedAt === undefined));
  const entered = [wanted, others].find((some) => addUp(some) === event.amount);
  if (!entered) return event.kind === "debited" ? misfit(found, event, addUp(wanted)) : "disagrees";
  let leftMinor = 0;
  const claimed = await claimAll(report, found, entered, ({ amountMinor }) => {
    leftMinor += amountMinor;
  });
  // What has come back before by entries of its own has come twice.
  const isClaimed = claimed !== undefined && claimed !== "disagrees" && claimed.status !== "rejected";
  if (leftMinor === 0 || event.kind !== "deposited" || !isClaimed) return claimed;
  const left = await suspend(report, { ...event, amount: leftMinor });
  return left.status === "suspense" ? { ...claimed, waitingMinor: leftMinor } : claimed;
}

const addUp = (some: Member[][]) => some.flat().reduce((sum, { amountMinor }) => sum + amountMinor, 0);

/** The bank may have left one out whose rejection is not reported yet: it is told what to do. */
function misfit({ file }: Message, { amount = 0 }: Claimed, sumMinor: number): BankOutcome {
  const [sum, booked] = [sumMinor, amount].map((minor) => toDecimal(minor, countDecimals(file.currency)));
  const differ = `The batch's payments that were not rejected are ${sum}, the entry is ${booked}.`;
  const reason = `${differ} If the bank rejected some of them, feed that report, and then this one again.`;
  return { status: "rejected", reason, programId: file.programId };
}

export async function claimGroup(report: OrderReport, event: BankStatus, message: string): Promise<Claim> {
  const found = await findMessage(message);
  return found && claimAll(report, found, walkMembers(found, withoutOwn(event)));
}

interface Member extends Payment {
  readonly batch: string;
}

type Wanted = (member: Member) => boolean;

function withoutOwn({ except = [] }: BankStatus, name?: string): Wanted {
  const own = new Set(except.map(toPlain));
  return ({ endToEndId, instrId, batch }) =>
    (name === undefined || batch === name) && ![endToEndId, instrId, batch].some((one) => own.has(one));
}

/** As the platform has written it, in whichever case and with whatever blanks it comes back. */
function toPlain(written: string): string {
  return written.toUpperCase().replace(/[^A-Z0-9-]/g, "");
}

/**
 * Each has its own amount: the report's is that of all. One that the report says nothing new of is
 * known by its status, so that a report of thousands comes to its end, however often it is begun.
 * @throws TimeUpError if there was no time for all
 */
async function claimAll(
  report: OrderReport,
  message: Message,
  wanted: AsyncIterable<Member[]> | Iterable<Member[]>,
  whenDisagrees?: (member: Member) => void,
): Promise<Claim> {
  const { event } = report;
  const { programId } = message.file;
  if (event.kind === "status" && event.status === "accepted") return { status: "applied", programId };
  let claimed: Claim;
  for await (const members of wanted) {
    const claims = await inLanes(
      members,
      async (member): Promise<Claim> => {
        const isAgreed = claimed !== undefined && claimed !== "disagrees";
        // A payout comes back by one entry: by which, it knows itself.
        const isByEntry = event.kind === "deposited" && member.kind !== "pull";
        if (isAgreed && !isByEntry && member.status === toStatus(report, member)) return claimed;
        if (isTimeUp()) throw new TimeUpError();
        const own = await claimOne({ ...report, event: { ...event, amount: member.amountMinor } }, member);
        if (own === "disagrees") whenDisagrees?.(member);
        return own;
      },
      lanes,
    );
    claimed = [claimed, ...claims].reduce(toOne, undefined);
  }
  return claimed;
}

/** One that has changed says more than one that was known, and that than one that disagrees. */
function toOne(one: Claim, other: Claim): Claim {
  const rank = (claim: Claim) =>
    claim === undefined ? 0 : claim === "disagrees" ? 1 : claim.status === "applied" ? 3 : 2;
  return rank(other) > rank(one) ? other : one;
}

interface Message {
  readonly file: PaymentFile;
  /** The `PmtInfId` by the batch's key. */
  readonly ids: NonNullable<PaymentFile["batchIds"]>;
}

async function findMessage(message: string): Promise<Message | undefined> {
  const fileId = toId("paymentFile", toPlain(message));
  const first = fileId === undefined ? undefined : await fileParts.at(fileId, 1).get();
  if (fileId === undefined || !first) return undefined;
  const file = await paymentFiles.at(first.programId, fileId).require();
  // The bank may have a file before the platform has noted it.
  return { file, ids: file.batchIds ?? (await toPieces(file)).batchIds };
}

/** The payments of a file as they are now, some at a time. */
async function* walkMembers({ file, ids }: Message, isWanted: Wanted = () => true): AsyncGenerator<Member[]> {
  const { programId } = file;
  for await (const parts of walkParts(file)) {
    const orders = parts.flatMap((part) => part.orders);
    const items = await readBatch(orders.map(({ paymentId }) => payments.key(programId, paymentId)));
    const found = new Map(items.map((item) => payments.parse(item)).map((one) => [one.paymentId, one]));
    const members = orders.flatMap((order) => {
      const payment = found.get(order.paymentId);
      return payment ? [{ ...payment, batch: ids[toBatchKey(file, order)] ?? "" }] : [];
    });
    yield members.filter(isWanted);
  }
}
