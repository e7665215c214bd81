import * as z from "zod";
import { OrderBatches, orderText, toBatchKey } from "../adapters/iso20022/write-orders.ts";
import { type OrderedAccount, OrderedMandate, type PaymentOrders } from "../contract/bank.ts";
import type { AccountDetails } from "../contract/bank-account.ts";
import { Envelope } from "../contract/vault.ts";
import { readAccountDetails } from "../external-accounts/account-details.ts";
import { CarriedDeadline } from "../platform/deadlines.ts";
import { filesBucket } from "../platform/file-store.ts";
import { withoutPrefix } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { PaymentFileKind } from "./payment.ts";

/** An upload in parts: the piece that is next, and the tags of the parts that are there. */
const Upload = z.object({ uploadId: z.string(), next: z.int(), tags: z.array(z.string()).readonly() });
export type Upload = Readonly<z.output<typeof Upload>>;

/** A file of payments for the bank. What it says of the Program stays as it was. */
const PaymentFile = z.object({
  programId: z.string(),
  fileId: z.string(),
  kind: PaymentFileKind,
  /** Open: it takes payments. Closed: it takes no more. Ready: the bank can have it. */
  status: z.enum(["open", "closed", "ready"]),
  name: z.string(),
  /** The Program's account at the bank. */
  account: z.string(),
  currency: z.string(),
  creditorId: z.string().optional(),
  /** When the bank is to pay. */
  date: z.string(),
  createdAt: z.string(),
  count: z.int(),
  sumMinor: z.int(),
  /** Its number of parts. */
  parts: z.int(),
  /** How far a closed one has come to the bank's folder. */
  upload: Upload.optional(),
  /** The `PmtInfId` by the key of each batch, once it is written. */
  batchIds: z.record(z.string(), z.string()).optional(),
});
export type PaymentFile = Readonly<z.output<typeof PaymentFile>>;

export const paymentFiles = defineEntity({
  name: "payment file",
  schema: PaymentFile,
  key: (programId: string, fileId: string) => ({
    pk: `${programId}#PAYMENT_FILES`,
    sk: `PAYMENT_FILE#${withoutPrefix(fileId)}`,
  }),
});

/** The file that is being made. It is due: a sweep ends what was interrupted. */
export const openFiles = defineEntity({
  name: "open payment file",
  schema: CarriedDeadline.extend({ fileId: z.string() }),
  key: (programId: string, kind: PaymentFileKind) => ({
    pk: `${programId}#OPEN_PAYMENT_FILE`,
    sk: `OPEN#${kind}`,
  }),
});

/** Those that the bank can have, the oldest first. */
export async function listFiles(programId: string, limit: number, after?: string): Promise<PaymentFile[]> {
  const { pk, sk } = paymentFiles.key(programId, after ?? "");
  const query = { ...toPartitionQuery(pk, { first: `${sk}!`, last: "PAYMENT_FILE#~" }), Limit: limit };
  const ready: PaymentFile[] = [];
  for await (const item of readItems(query)) {
    const file = paymentFiles.parse(item);
    if (file.status === "ready" && file.count > 0) ready.push(file);
    if (ready.length === limit) break;
  }
  return ready;
}

const Order = z.object({
  paymentId: z.string(),
  endToEndId: z.string(),
  instrId: z.string(),
  amountMinor: z.int(),
  date: z.string(),
  name: z.string(),
  externalAccountId: z.string(),
  /** The account's. */
  country: z.string(),
  /** As it was when it was written: only the vault opens it. */
  sealed: Envelope,
  reference: z.string().optional(),
  mandate: OrderedMandate.optional(),
});
export type Order = Readonly<z.output<typeof Order>>;

/** Some payments of a file, written in the transaction that sends them. */
export const fileParts = defineEntity({
  name: "payment file part",
  schema: z.object({ programId: z.string(), orders: z.array(Order) }),
  key: (fileId: string, number: number) => ({
    pk: `${fileId}#PARTS`,
    sk: `PART#${String(number).padStart(6, "0")}`,
  }),
});

/** Where the bank's channel takes it. */
export const objectKey = (fileId: string) => `out/bank/${fileId}.xml`;

/** How its orders are grouped: each has a key at once, a `PmtInfId` once all are added. */
function toBatches({ kind, fileId, currency }: PaymentFile): OrderBatches {
  return new OrderBatches({ kind, messageId: withoutPrefix(fileId), currency });
}

const addOrder = (batches: OrderBatches, { amountMinor, ...order }: Order) =>
  batches.add({ ...order, amount: amountMinor });

/** Parts that are in memory together: 300 orders. */
const partsAtOnce = 25;

/** All orders, some at a time: those of a large file are never in memory together. */
export async function* walkParts({ fileId, parts }: Pick<PaymentFile, "fileId" | "parts">) {
  for (const numbers of inSome(Array.from({ length: parts }, (_, index) => index + 1)))
    yield readParts(fileId, numbers);
}

function inSome(numbers: readonly number[]): number[][] {
  const starts = Array.from({ length: Math.ceil(numbers.length / partsAtOnce) }, (_, index) => index);
  return starts.map((start) => numbers.slice(start * partsAtOnce, (start + 1) * partsAtOnce));
}

/**
 * The pieces of its text, and the names of its batches. The bytes are the same each time: all that
 * is in them was kept with the file. Each piece is made when it is asked for.
 */
export async function toPieces(file: PaymentFile) {
  const batches = toBatches(file);
  const parts = new Map<string, number[]>();
  for await (const some of walkParts(file)) {
    for (const { number, orders } of some)
      for (const key of new Set(orders.map((order) => addOrder(batches, order))))
        parts.set(key, [...(parts.get(key) ?? []), number]);
  }
  const told = toTold(file);
  const opened = new Map<string, AccountDetails>();
  const all = batches.list().flatMap((batch) => {
    const some = inSome(parts.get(batch.key) ?? []);
    return some.map((numbers, index) => async () => {
      const texts = await writePiece(file, told, batch, numbers, opened);
      return [
        ...(index === 0 ? [orderText.beginBatch(told, batch)] : []),
        ...texts,
        ...(index === some.length - 1 ? [orderText.endBatch()] : []),
      ].join("");
    });
  });
  return {
    pieces: [async () => orderText.begin(told), ...all, async () => orderText.end(told)],
    batchIds: Object.fromEntries(batches.list().map(({ key, id }) => [key, id])),
  };
}

async function readParts(fileId: string, numbers: readonly number[]) {
  const items = await readBatch(numbers.map((number) => fileParts.key(fileId, number)));
  const byKey = new Map(items.map((item) => [item.sk, item]));
  return numbers.map((number) => {
    const { orders } = fileParts.parse(byKey.get(fileParts.key(fileId, number).sk) ?? {});
    return { number, orders };
  });
}

/** The orders of these parts that are in the batch. `opened`: the accounts of pieces before it. */
async function writePiece(
  file: PaymentFile,
  told: PaymentOrders,
  batch: ReturnType<OrderBatches["list"]>[number],
  numbers: readonly number[],
  opened: Map<string, AccountDetails>,
): Promise<string[]> {
  const { programId, fileId } = file;
  const read = (await readParts(fileId, numbers)).flatMap(({ orders }) => orders);
  const orders = read.filter((order) => toBatchKey(file, order) === batch.key);
  // Those of other batches too: payments of many days would each ask the vault for their own.
  const accounts = new Map(read.map((one) => [one.externalAccountId, one]));
  const unknown = [...accounts.values()].filter((one) => !opened.has(one.externalAccountId));
  for (const [id, details] of await readAccountDetails(programId, unknown)) opened.set(id, details);
  return orders.map((order) => {
    const account = opened.get(order.externalAccountId);
    if (!account) throw new Error(`The account ${order.externalAccountId} was not opened.`);
    return orderText.order(told, batch, { ...order, amount: order.amountMinor, account });
  });
}

function toTold(file: PaymentFile): PaymentOrders {
  const { fileId, kind, name, currency, creditorId, createdAt, count, sumMinor: sum } = file;
  return {
    kind,
    messageId: withoutPrefix(fileId),
    // Some banks take no milliseconds.
    createdAt: createdAt.replace(/\.\d+Z$/, "Z"),
    name,
    account: toOrderedAccount(file.account),
    ...{ currency, creditorId, count, sum },
  };
}

function toOrderedAccount(account: string): OrderedAccount {
  const [routingNumber = "", accountNumber] = account.split("/");
  return accountNumber === undefined ? { iban: routingNumber } : { routingNumber, accountNumber };
}

/** An answer has at most 6 MB. */
const mostBytes = 4_000_000;

/** What the bank has, from a byte on, and where the rest begins. It has no others than ASCII's. */
export async function readXml(
  fileId: string,
  start = 0,
): Promise<{ readonly xml: string; readonly next?: number } | undefined> {
  // One more: a range that begins at the end would be none.
  const bytes = await filesBucket.read(objectKey(fileId), { range: [start, start + mostBytes] });
  if (!bytes) return undefined;
  const xml = Buffer.from(bytes.subarray(0, mostBytes)).toString();
  return { xml, ...(bytes.length > mostBytes && { next: start + mostBytes }) };
}
