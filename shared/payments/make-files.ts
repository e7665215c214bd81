import { toAccountKey } from "../contract/bank-account.ts";
import { currencyNames } from "../contract/enums.ts";
import { type ExternalAccount, externalAccounts } from "../external-accounts/external-account.ts";
import { dateAt } from "../platform/calendar.ts";
import { now, timestamp } from "../platform/clock.ts";
import { toStoredDeadline } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import { readBatch } from "../platform/table/batch.ts";
import { isNew } from "../platform/table/condition.ts";
import { transact } from "../platform/table/transact.ts";
import { isTimeUp, TimeUpError } from "../platform/time-budget.ts";
import { getProgram, type Program } from "../tenancy/programs/program.ts";
import { bankDayFrom } from "./bank-days.ts";
import { type Payment, PaymentFileKind, readPending, sending, sentWrites } from "./payment.ts";
import {
  fileParts,
  type Order,
  openFiles,
  type PaymentFile,
  paymentFiles,
  type Upload,
} from "./payment-file.ts";
import { uploadFile } from "./upload-file.ts";

/** Payments of one transaction: each writes six items at most. */
const partSize = 12;
/** Banks take larger files, but none is read by people. */
const mostParts = 2_000;
/** Names that a file keeps: each may have a day of its own, and an item has 400 KB. */
const mostBatches = 1_000;
/** An interrupted file is taken up again after so long. */
const resumeMs = 60_000;

/**
 * Writes what is pending into files, and ends what was interrupted before. A payment is in one file
 * for good, by one commit with the file. Without time for all, the sweep goes on. A Program
 * without an account at the bank has no files.
 */
export async function makeFiles(programId: string): Promise<PaymentFile[]> {
  const program = await getProgram(programId);
  const made: PaymentFile[] = [];
  if (program.settings.bankAccount === undefined) return made;
  for (const kind of PaymentFileKind.options) {
    for (;;) {
      if (isTimeUp()) return made;
      const file = await findOpen(program, kind);
      if (!file) break;
      const ready = await finish(program, file);
      if (!ready) return made;
      if (ready.count > 0) made.push(ready);
    }
  }
  return made;
}

/** Whether anything waits for a file, or a file for its end. */
export async function isPaymentPending(programId: string): Promise<boolean> {
  const found = await Promise.all(
    PaymentFileKind.options.map(async (kind) => {
      const [pending, open] = await Promise.all([
        readPending(programId, kind, 1),
        openFiles.at(programId, kind).get(),
      ]);
      return pending.length > 0 || open !== undefined;
    }),
  );
  return found.includes(true);
}

/** The one that is under way, else a new one if anything is pending. */
async function findOpen(program: Program, kind: PaymentFileKind): Promise<PaymentFile | undefined> {
  const { programId } = program;
  const open = await openFiles.at(programId, kind).get();
  if (open) return paymentFiles.at(programId, open.fileId).get();
  const [pending] = await readPending(programId, kind, 1);
  if (!pending) return undefined;
  const file = newFile(program, kind, now());
  const dueAt = new Date(Date.parse(file.createdAt) + resumeMs);
  const due = toStoredDeadline(sending.at({ ownerId: programId, deadlineId: file.fileId, dueAt }));
  const begun = await transact([
    paymentFiles.at(programId, file.fileId).create(file),
    openFiles.at(programId, kind).put({ ...due, fileId: file.fileId }, isNew),
  ]);
  return begun.committed ? file : findOpen(program, kind);
}

function newFile(
  { programId, name, currency, settings }: Program,
  kind: PaymentFileKind,
  at: Date,
): PaymentFile {
  const { timeZone, bankAccount = "", creditorId } = settings;
  return {
    programId,
    fileId: newId("paymentFile"),
    kind,
    status: "open",
    name,
    account: toAccountKey(bankAccount),
    currency: currencyNames[currency],
    ...(creditorId !== undefined && { creditorId }),
    date: bankDayFrom(dateAt(at.getTime(), timeZone), currencyNames[currency]),
    createdAt: timestamp(at),
    ...{ count: 0, sumMinor: 0, parts: 0 },
  };
}

/** Undefined if the time was up before its end. */
async function finish(program: Program, begun: PaymentFile): Promise<PaymentFile | undefined> {
  let file = begun;
  while (file.status === "open") {
    if (isTimeUp()) return undefined;
    file = await addPart(program, file);
  }
  if (file.status === "ready") return file;
  return publish(file);
}

/** Adds pending payments, or closes the file. After a concurrent write, it is read again. */
async function addPart(program: Program, file: PaymentFile): Promise<PaymentFile> {
  const { programId, fileId, kind, parts, count, sumMinor } = file;
  const item = paymentFiles.at(programId, fileId);
  const payments = file.parts < mostParts ? await readPending(programId, kind, partSize) : [];
  if (payments.length === 0) {
    const closed = { ...file, status: "closed" } as const;
    const done = await transact([item.put(closed, { status: "open", parts })]);
    return done.committed ? closed : item.require();
  }
  const orders = await toOrders(file, payments);
  const sum = payments.reduce((total, { amountMinor }) => total + amountMinor, sumMinor);
  const after = { ...file, parts: parts + 1, count: count + payments.length, sumMinor: sum };
  const inFile = { fileId, at: now(), timeZone: program.settings.timeZone };
  const done = await transact([
    item.put(after, { status: "open", parts }),
    fileParts.at(fileId, parts + 1).create({ programId, orders }),
    ...payments.flatMap((payment) => sentWrites(payment, inFile)),
  ]);
  return done.committed ? after : item.require();
}

async function toOrders(
  { programId, date, currency }: PaymentFile,
  payments: readonly Payment[],
): Promise<Order[]> {
  const ids = new Set(payments.map(({ externalAccountId }) => externalAccountId));
  const items = await readBatch([...ids].map((id) => externalAccounts.key(programId, id)));
  const accounts = new Map<string, ExternalAccount>(
    items.map((item) => externalAccounts.parse(item)).map((one) => [one.externalAccountId, one]),
  );
  return payments.map((payment) => {
    const account = accounts.get(payment.externalAccountId);
    if (!account) throw new Error(`The external account ${payment.externalAccountId} does not exist.`);
    const { paymentId, endToEndId, instrId, amountMinor, externalAccountId, reference } = payment;
    const { collectOn = date, mandate } = payment;
    return {
      ...{ paymentId, endToEndId, instrId, amountMinor, externalAccountId },
      date: collectOn > date ? bankDayFrom(collectOn, currency) : date,
      name: account.holderName,
      country: account.country,
      sealed: account.sealed,
      ...{ reference, mandate },
    };
  });
}

/**
 * The file is there before anybody is told. After a kill, the same bytes are put again. Undefined
 * if the time was up before.
 */
async function publish(file: PaymentFile): Promise<PaymentFile | undefined> {
  const { programId, fileId, kind, count, sumMinor: sum } = file;
  const item = paymentFiles.at(programId, fileId);
  const note = async (upload: Upload) => {
    await transact([item.put({ ...file, upload }, { status: "closed" })]);
  };
  let batchIds: PaymentFile["batchIds"];
  try {
    if (count > 0) batchIds = await uploadFile(file, note);
  } catch (error) {
    if (error instanceof TimeUpError) return undefined;
    throw error;
  }
  const { upload: _, ...uploaded } = file;
  const isMany = Object.keys(batchIds ?? {}).length > mostBatches;
  const ready = { ...uploaded, status: "ready", batchIds: isMany ? undefined : batchIds } as const;
  const done = await transact([
    item.put(ready, { status: "closed" }),
    openFiles.at(programId, kind).delete({ fileId }),
    ...(count > 0 ? [outsidePut(programId, "payments.ready", { fileId, kind, count, sum })] : []),
  ]);
  return done.committed ? ready : item.require();
}
