import * as z from "zod";
import { toBatches, writeOrders } from "../adapters/iso20022/write-orders.ts";
import type { OrderedAccount, PaymentOrder } from "../contract/bank.ts";
import { Envelope } from "../contract/vault.ts";
import { readAccountDetails } from "../external-accounts/account-details.ts";
import { CarriedDeadline } from "../platform/deadlines.ts";
import { filesBucket } from "../platform/file-store.ts";
import { withoutPrefix } from "../platform/id.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { OrderedMandate, PaymentFileKind } from "./payment.ts";

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
  isIban: z.boolean(),
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

export async function readOrders(fileId: string): Promise<Order[]> {
  const parts = await fileParts.list(fileId);
  return parts.flatMap(({ orders }) => orders);
}

/** Where the bank's channel takes it. */
export const objectKey = (fileId: string) => `out/bank/${fileId}.xml`;

/** The bytes are the same each time: all that is in them was kept with the file. */
export async function writeFile(file: PaymentFile): Promise<string> {
  const { programId, fileId, kind, name, currency, creditorId, createdAt } = file;
  const orders = await readOrders(fileId);
  const accounts = new Map(orders.map((one) => [one.externalAccountId, one]));
  const details = await readAccountDetails(programId, [...accounts.values()]);
  const toOrder = (order: Order): PaymentOrder => {
    const account = details.get(order.externalAccountId);
    if (!account) throw new Error(`The account ${order.externalAccountId} was not opened.`);
    return { ...order, amount: order.amountMinor, account };
  };
  return writeOrders({
    kind,
    messageId: withoutPrefix(fileId),
    // Some banks take no milliseconds.
    createdAt: createdAt.replace(/\.\d+Z$/, "Z"),
    name,
    account: toOrderedAccount(file.account),
    currency,
    creditorId,
    orders: orders.map(toOrder),
  });
}

/** The `PmtInfId` of each order, in their order. */
export async function readBatches(
  programId: string,
  fileId: string,
  orders: readonly Order[],
): Promise<readonly string[]> {
  const { kind, currency } = await paymentFiles.at(programId, fileId).require();
  const described = orders.map((order) => ({
    ...order,
    amount: order.amountMinor,
    account: order.isIban ? { iban: "" } : { routingNumber: "", accountNumber: "" },
  }));
  return toBatches({ kind, messageId: withoutPrefix(fileId), currency, orders: described });
}

function toOrderedAccount(account: string): OrderedAccount {
  const [routingNumber = "", accountNumber] = account.split("/");
  return accountNumber === undefined ? { iban: routingNumber } : { routingNumber, accountNumber };
}

export async function readXml(fileId: string): Promise<string | undefined> {
  const bytes = await filesBucket.read(objectKey(fileId));
  return bytes && Buffer.from(bytes).toString();
}
