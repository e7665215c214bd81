import * as z from "zod";
import type { MicroDeposits } from "../external-accounts/account-changes.ts";
import type { ExternalAccount } from "../external-accounts/external-account.ts";
import { timestamp } from "../platform/clock.ts";
import { randomInteger } from "../platform/id.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { TransitionTable } from "../platform/table/transition.ts";
import {
  newPaymentId,
  newPaymentWrites,
  paidTransitions,
  paymentFields,
  paymentNames,
  payments,
} from "./payment.ts";

export const MicroDepositStatus = z.enum(["pending", "sent", "completed", "rejected", "returned"]);
type MicroDepositStatus = z.output<typeof MicroDepositStatus>;

/** Every legal change of a micro-deposit's status. */
export const microDepositTransitions = paidTransitions satisfies TransitionTable<MicroDepositStatus, string>;

const MicroDeposit = z.object({
  ...paymentFields,
  status: MicroDepositStatus,
  completedAt: z.string().optional(),
  rejectedCode: z.string().optional(),
  returnedAt: z.string().optional(),
  returnedMinor: z.int().optional(),
});
export type MicroDeposit = Readonly<z.output<typeof MicroDeposit>>;

/** A small amount that proves an external account. The Program's reserve pays it. */
export const microDeposits = defineEntity({
  name: "microDeposit",
  schema: MicroDeposit,
  saysWhenChanged: true,
  key: payments.key,
});

const [smallest, largest] = [1, 49];

/** Two that differ: each pair is as likely. */
export function drawAmounts(): [number, number] {
  const one = randomInteger(smallest, largest + 1);
  const other = randomInteger(smallest, largest);
  return [one, other < one ? other : other + 1];
}

/** What verifies an account this way: payments that wait for the next file. */
export function newMicroDeposits(
  { programId, externalAccountId, currency }: ExternalAccount,
  amounts: readonly number[],
  at: Date,
): MicroDeposits {
  const made = amounts.map((amountMinor): MicroDeposit => {
    const paymentId = newPaymentId("micro_deposit");
    return {
      ...{ programId, paymentId, entityId: paymentId, kind: "micro_deposit", status: "pending" },
      ...{ externalAccountId, amountMinor, currency },
      ...paymentNames({ kind: "micro_deposit", paymentId }),
      createdAt: timestamp(at),
    };
  });
  return {
    amounts,
    paymentIds: made.map(({ paymentId }) => paymentId),
    writes: made.flatMap((one) =>
      newPaymentWrites(one, microDeposits.at(programId, one.paymentId).create(one)),
    ),
  };
}
