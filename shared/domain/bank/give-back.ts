import { DepositStatus } from "../../contract/enums.ts";
import { newId } from "../../platform/id.ts";
import { absent, any, isNew } from "../../platform/table/condition.ts";
import { deposits } from "../deposits/deposit.ts";
import { isOpen, suspenseItems } from "../deposits/suspense.ts";
import { applyEvent } from "../network/execute-event.ts";
import type { BankOutcome } from "./apply-bank-event.ts";
import { type BankPayment, type BankReturn, bankReturns } from "./payment.ts";

/** Takes the return's amount back from its deposit, once, in the commit that notes it. */
export async function giveBack(
  { programId, depositId }: BankPayment,
  returned: BankReturn,
): Promise<BankOutcome> {
  const { returnKey, amountMinor, origin } = returned;
  const taken = { ...returned, programId, takenBy: depositId };
  const isFree = any<BankReturn>(isNew, { takenBy: absent });
  const result = await applyEvent(
    {
      kind: "deposit_returned",
      // What is refused may be applied later: the return itself says whether it was.
      eventId: newId("event"),
      programId,
      depositId,
      ...(amountMinor !== undefined && { amount: amountMinor }),
    },
    { report: { writes: [bankReturns.at(returnKey).put(taken, isFree)] } },
  );
  if (result.outcome !== "refused") return { status: "applied", programId };
  const { takenBy, origin: first } = (await bankReturns.at(returnKey).get()) ?? {};
  if (takenBy !== undefined) return { status: first === origin ? "applied" : "duplicate", programId };
  return { status: "rejected", programId, reason: "The deposit, or too much of it, is returned already." };
}

/** Whether nothing is left of it, on its account or in suspense. */
export async function isGivenBack({ programId, depositId }: BankPayment): Promise<boolean> {
  const [deposit, suspended] = await Promise.all([
    deposits.at(programId, depositId).get(),
    suspenseItems.at(programId, depositId).get(),
  ]);
  if (deposit) return deposit.status === DepositStatus.returned;
  return suspended !== undefined && !isOpen(suspended);
}
