import { isPaymentPending, makeFiles } from "../../shared/payments/make-files.ts";
import { listFiles, type PaymentFile, readXml } from "../../shared/payments/payment-file.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { auditProgram } from "../../shared/tenancy/audit-log.ts";
import { type Command, requireProgram } from "./command.ts";

/** @throws CommandRejected if the Program does not exist, or has no account at a bank */
export const sendPayments: Command<"send-payments"> = async ({ programId }, actor) => {
  const program = await requireProgram(programId);
  if (program.settings.bankAccount === undefined)
    throw new CommandRejected("programId: the Program has no bankAccount to pay from");
  const made = await makeFiles(programId);
  const change = { before: null, after: { files: made.length } };
  await transact([auditProgram(actor, program, "payments.send", change)]);
  return { items: made.map(toListed), more: await isPaymentPending(programId) };
};

export const listPaymentFiles: Command<"list-payment-files"> = async ({ programId, limit, after }) => {
  await requireProgram(programId);
  return { items: (await listFiles(programId, limit, after)).map(toListed) };
};

/** @throws CommandRejected if it does not exist, or is not ready */
export const viewPaymentFile: Command<"view-payment-file"> = async ({ fileId, from }) => {
  const read = await readXml(fileId, from);
  if (!read) throw new CommandRejected(`${fileId} does not exist, is not ready, or ends before.`);
  return read;
};

function toListed({ fileId, kind, count, sumMinor: sum, createdAt: dateCreated }: PaymentFile) {
  return { fileId, kind, count, sum, dateCreated };
}
