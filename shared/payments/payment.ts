import * as z from "zod";
import { OrderedMandate } from "../contract/bank.ts";
import { Currency, currencyNames, TransferStatus } from "../contract/enums.ts";
import { type IdKind, idPrefixes, toId } from "../contract/identifiers.ts";
import { PayoutStatus } from "../contract/payouts.ts";
import { integerEnum } from "../contract/primitives.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList, type ListKind } from "../lists/kind.ts";
import { nextHour, nextQuarter } from "../platform/calendar.ts";
import { now, timestamp } from "../platform/clock.ts";
import { CarriedDeadline, deadlinePut, defineDeadline, toStoredDeadline } from "../platform/deadlines.ts";
import { idStart, newId, withoutPrefix } from "../platform/id.ts";
import { pick } from "../platform/pick.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { fromEach } from "../platform/table/transition.ts";
import { bankDayAfter } from "./bank-days.ts";

export const PaymentKind = z.enum(["payout", "pull", "micro_deposit"]);
export type PaymentKind = z.output<typeof PaymentKind>;

/** Those of payouts; pulls are collected beside them. */
export const PaymentStatus = z.enum([...PayoutStatus.options, "collected"]);
export type PaymentStatus = z.output<typeof PaymentStatus>;

/** An entry: to which status it moved a payment, and the bank's references, else its place. */
const said = z.string();
const Mover = z.object({ status: said, report: said, file: said, name: said, entry: said.optional() });
export type Mover = Readonly<z.output<typeof Mover>>;

/** What all kinds of payments have. Each kind's entity has the same key, and more. */
export const paymentFields = {
  programId: z.string(),
  paymentId: z.string(),
  /** The `paymentId`. */
  entityId: z.string(),
  kind: PaymentKind,
  status: PaymentStatus,
  /** A micro-deposit has none: the Program's reserve pays it. */
  walletId: z.string().optional(),
  externalAccountId: z.string(),
  amountMinor: z.int(),
  currency: integerEnum(Currency),
  /** What the bank, and who is paid or pays, call it by. */
  endToEndId: z.string(),
  /** What the bank calls it by to the platform. */
  instrId: z.string(),
  /** What who is paid or pays reads of it. */
  reference: z.string().optional(),
  /** A pull alone has these two: not before this day, and by what it is collected. */
  collectOn: z.string().optional(),
  mandate: OrderedMandate.optional(),
  /** The file that told the bank: from then on, for good. */
  fileId: z.string().optional(),
  sentAt: z.string().optional(),
  /** The entries that moved it. */
  movedBy: z.array(Mover).readonly().optional(),
  /** Also where money has moved all the same, and of one whose rejection came after that. */
  rejectedAt: z.string().optional(),
  createdAt: z.string(),
};

const Payment = z.object(paymentFields);
export type Payment = Readonly<z.output<typeof Payment>>;

/** What a client has ordered, a payout or a pull, has beside them. */
export const orderedFields = {
  ...paymentFields,
  walletId: z.string(),
  externalId: z.string().optional(),
  createdBy: z.string(),
  /** The day of the Program that counts it. */
  day: z.string(),
  completedAt: z.string().optional(),
  rejectedCode: z.string().optional(),
  returnedAt: z.string().optional(),
  returnedCode: z.string().optional(),
};
const Ordered = z.object(orderedFields);

const { pending, approved, declined, error } = TransferStatus;
const transStatuses = {
  awaiting_approval: pending,
  pending,
  sent: pending,
  collected: pending,
  completed: approved,
  declined,
  cancelled: error,
  rejected: error,
  returned: error,
} as const satisfies Record<PaymentStatus, TransferStatus>;

/** What callers see of a payout and of a pull. */
export function toShownPayment(payment: Readonly<z.output<typeof Ordered>>) {
  const { status, rejectedCode, returnedCode } = payment;
  return {
    transStatus: transStatuses[status],
    amount: payment.amountMinor,
    ...pick(payment, "walletId", "externalAccountId", "endToEndId", "currency", "reference", "externalId"),
    reasonCode: status === "rejected" ? rejectedCode : status === "returned" ? returnedCode : undefined,
    ...pick(payment, "fileId", "createdBy"),
    dateCreated: payment.createdAt,
    dateSent: payment.sentAt,
    dateCompleted: payment.completedAt,
    dateReturned: payment.returnedAt,
  };
}

export const payments = defineEntity({
  name: "payment",
  schema: Payment,
  saysWhenChanged: true,
  key: (programId: string, paymentId: string) => ({ pk: `${programId}#${paymentId}`, sk: "PAYMENT" }),
});

const listed = { filters: ["status", "walletId", "externalAccountId"], orders: ["amountMinor"] } as const;
const stored = {
  shards: 4,
  recordKey: ({ programId }, id) => payments.key(programId, id),
} as const satisfies Partial<ListKind>;

export const payoutList = defineList({ name: "payouts", ...listed, ...stored });
export const pullList = defineList({ name: "pulls", ...listed, ...stored });
/** Only the books read it: a micro-deposit's entries are stored with it. */
export const microDepositList = defineList({ name: "microDeposits", ...stored, shards: 1 });

const facts = {
  payout: { id: "payout", list: payoutList, file: "pain.001" },
  pull: { id: "pull", list: pullList, file: "pain.008" },
  micro_deposit: { id: "microDeposit", list: microDepositList, file: "pain.001" },
} as const satisfies Record<
  PaymentKind,
  { readonly id: IdKind; readonly list: ListKind; readonly file: PaymentFileKind }
>;

/** Which message orders it: credit transfers, or direct debits. */
export const PaymentFileKind = z.enum(["pain.001", "pain.008"]);
export type PaymentFileKind = z.output<typeof PaymentFileKind>;

export function newPaymentId(kind: PaymentKind): string {
  return newId(facts[kind].id);
}

/** All kinds have the same key: an id of another kind names none. */
export function isOfKind(kind: PaymentKind, paymentId: string): boolean {
  return paymentId.startsWith(idStart(facts[kind].id));
}

/** Capital letters and digits, which every bank carries unchanged. They are made of its id. */
export function paymentNames({ kind, paymentId }: Pick<Payment, "kind" | "paymentId">) {
  const instrId = withoutPrefix(paymentId);
  return { instrId, endToEndId: `${idPrefixes[facts[kind].id].toUpperCase()}${instrId}` };
}

/** What the bank's word leads to, whatever the kind. */
export const bankTransitions = [
  { from: "pending", trigger: "send", to: "sent" },
  { from: "sent", trigger: "reject", to: "rejected" },
  ...fromEach(["sent", "rejected", "completed"], "return", "returned"),
] as const;

/** The same of what is paid. */
export const paidTransitions = [
  ...bankTransitions,
  ...fromEach(["sent", "rejected"], "complete", "completed"),
] as const;

/** Leads from what a bank calls it to a payment, whose Program the bank does not say. */
const paymentPointers = defineEntity({
  name: "payment pointer",
  schema: z.object({ programId: z.string() }),
  key: (paymentId: string) => ({ pk: `PAYMENT#${paymentId}`, sk: "PAYMENT_OF" }),
});

/** The payment that an `EndToEndId` or `InstrId` names, however it is spaced. */
export async function findPayment(reference: string): Promise<Payment | undefined> {
  const paymentId = toPaymentId(reference);
  const pointer = paymentId === undefined ? undefined : await paymentPointers.at(paymentId).get();
  return pointer && paymentId !== undefined ? payments.at(pointer.programId, paymentId).get() : undefined;
}

/** The check characters tell the kind, and other payers' references from the platform's. */
function toPaymentId(reference: string): string | undefined {
  const plain = reference.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const [, prefix = "", ulid = ""] = /^([A-Z]{3})?([0-7][0-9A-Z]{25})$/.exec(plain) ?? [];
  return PaymentKind.options
    .map((kind) => toId(facts[kind].id, ulid))
    .find((id) => id !== undefined && (prefix === "" || id.startsWith(`${prefix.toLowerCase()}_`)));
}

/** The hour has come in which a Program's payments go to the bank, or a file was interrupted. */
export const sending = defineDeadline("send_payments", "normal", z.object({ sinceMs: z.int().optional() }));

/** What waits for a Program's next file of a kind, the oldest first: it is read without others. */
const pendingPayments = defineEntity({
  name: "pending payment",
  schema: CarriedDeadline.extend({ paymentId: z.string(), sinceMs: z.int().optional() }),
  key: (programId: string, file: PaymentFileKind, paymentId: string) => ({
    pk: `${programId}#PENDING_PAYMENTS#${file}`,
    sk: `PENDING#${withoutPrefix(paymentId)}`,
  }),
});

/** At most so many payments of the next file, the oldest first, as far as they are pending. */
export async function readPending(
  programId: string,
  file: PaymentFileKind,
  limit: number,
): Promise<Payment[]> {
  const found = await pendingPayments.first(limit, programId, file);
  const read = await Promise.all(found.map(({ paymentId }) => payments.at(programId, paymentId).get()));
  return read.filter((payment) => payment?.status === "pending") as Payment[];
}

/** A payment is new. `record` is the create of its own kind's entity. */
export function newPaymentWrites(
  payment: Payment & { readonly createdBy?: string },
  record: WriteAction,
  timeZone?: string,
): WriteAction[] {
  const { programId, paymentId, kind } = payment;
  const { list } = facts[kind];
  return [
    { ...record, alongside: [listInsert(list, programId, paymentId, payment)] },
    paymentPointers.at(paymentId).create({ programId }),
    eventPut(payment, payment.status, payment.createdBy ?? "platform", payment.createdAt),
    ...pendingWrites({ ...payment, status: "declined" }, payment, timeZone),
  ];
}

/**
 * A payment's status changes. `record` is the update of its own kind's entity, which requires
 * `before`'s status.
 */
export function statusWrites(
  before: Payment,
  after: Payment,
  { by, at, reasonCode }: { by: string; at: Date; reasonCode?: string | undefined },
  record: WriteAction,
): WriteAction[] {
  const { programId, paymentId, kind } = before;
  const { list } = facts[kind];
  const isInList = list.filters.includes("status");
  return [
    { ...record, alongside: isInList ? [listUpdate(list, programId, paymentId, before, after)] : [] },
    eventPut(after, after.status, by, timestamp(at), reasonCode),
    ...pendingWrites(before, after),
  ];
}

function pendingWrites(before: Payment, after: Payment, timeZone?: string): WriteAction[] {
  const { programId, paymentId, kind } = after;
  const pending = pendingPayments.at(programId, facts[kind].file, paymentId);
  if (after.status === "pending") {
    const sinceMs = now().getTime();
    const dueAt = timeZone ? nextHour(sinceMs, timeZone) : nextQuarter(sinceMs);
    const due = toStoredDeadline(sending.at({ ownerId: programId, deadlineId: paymentId, dueAt, sinceMs }));
    return [pending.create({ ...due, paymentId, sinceMs })];
  }
  return before.status === "pending" ? [pending.delete()] : [];
}

/** The bank has said nothing of it for five days on which it settles: an alarm, and no change. */
export const unreported = defineDeadline("unreported_payment", "normal", z.object({ paymentId: z.string() }));
const reportDays = 5;

export const unreportedId = (paymentId: string) => `unreported:${paymentId}`;

interface InFile {
  /** None where a sandbox sends without an account at a bank. */
  readonly fileId?: string;
  readonly at: Date;
  /** The Program's, whose days count. */
  readonly timeZone: string;
}

/**
 * A file has the payment: part of the one transaction that writes it there. Fails, under the name
 * `payment`, if it is not pending any more.
 */
export function sentWrites(payment: Payment, { fileId, at, timeZone }: InFile): WriteAction[] {
  const { programId, paymentId } = payment;
  const set = { status: "sent", ...(fileId !== undefined && { fileId }), sentAt: timestamp(at) } as const;
  const record = payments.at(programId, paymentId).update({ set }, { status: "pending" });
  const due = { ownerId: programId, deadlineId: unreportedId(paymentId), paymentId };
  const dueAt = bankDayAfter(at, reportDays, currencyNames[payment.currency], timeZone);
  return [
    ...statusWrites(payment, { ...payment, ...set }, { by: "platform", at }, record),
    deadlinePut(unreported.at({ ...due, dueAt })),
  ];
}

const PaymentEvent = z.object({
  /** Its `eventId`. */
  entityId: z.string(),
  status: PaymentStatus,
  /** The API user, `bank` or `platform`. */
  by: z.string(),
  reasonCode: z.string().optional(),
  createdAt: z.string(),
});
export type PaymentEvent = Readonly<z.output<typeof PaymentEvent>>;

/** What happened to a payment. */
export const paymentEvents = defineEntity({
  name: "payment event",
  schema: PaymentEvent,
  key: (programId: string, paymentId: string, eventId: string) => ({
    pk: `${programId}#${paymentId}`,
    sk: `PAYMENT_EVENT#${eventId}`,
  }),
});

function eventPut(
  { programId, paymentId }: Payment,
  status: PaymentStatus,
  by: string,
  createdAt: string,
  reasonCode?: string,
): WriteAction {
  const entityId = newId("event");
  const event = { entityId, status, by, ...(reasonCode !== undefined && { reasonCode }), createdAt };
  return paymentEvents.at(programId, paymentId, entityId).create(event);
}
