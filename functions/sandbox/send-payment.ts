import { makeFiles } from "../../shared/payments/make-files.ts";
import { type Payment, sentWrites } from "../../shared/payments/payment.ts";
import { now } from "../../shared/platform/clock.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/**
 * A pending one is sent before the bank says anything of it. One that was cancelled stays so.
 * Without an account at a bank there are no files: it is in none.
 */
export async function sendFirst(payment: Payment): Promise<void> {
  if (payment.status !== "pending") return;
  const { settings } = await getProgram(payment.programId);
  const { timeZone, bankAccount } = settings;
  if (bankAccount !== undefined) {
    await makeFiles(payment.programId);
    return;
  }
  await transact(sentWrites(payment, { at: now(), timeZone }));
}
