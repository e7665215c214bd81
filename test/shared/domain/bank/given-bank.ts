import { ibanOf } from "../../../../infra/development/iban.ts";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { applyBankEvent, type BankOutcome } from "../../../../shared/domain/bank/apply-bank-event.ts";
import { reportedDeposits } from "../../../../shared/domain/bank/reported.ts";
import { deposits } from "../../../../shared/domain/deposits/deposit.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { givenStoredProgram, givenStoredWallet } from "../../../harness/given-stored.ts";

/** A Program in USD with a bank account and a Wallet. */
export async function givenBank() {
  const programId = await givenStoredProgram();
  const wallet = await givenStoredWallet(programId);
  const collectOn = async (bankAccount: string) => {
    await operate("set-bank-account", { programId, bankAccount });
    return bankAccount;
  };
  const account = await collectOn(ibanOf(programId));
  const bankReference = `ref-${programId}`;
  const arrived = (more: object = {}): BankEvent => ({
    kind: "deposited",
    account,
    bankReference,
    remittance: [`For ${wallet}`],
    amount: 1250,
    currency: "USD",
    ...more,
  });
  const returned = (more: object = {}): BankEvent => ({
    ...{ kind: "returned", account, bankReference },
    ...more,
  });
  const report = (event: BankEvent, origin: string = newId("event")) => applyBankEvent({ event, origin });
  /** A webhook names no account. */
  const announce = (more: object = {}, origin: string = newId("event")) =>
    applyBankEvent({
      event: arrived({ account: undefined, ...more }),
      origin: `webhook:${programId}:${origin}`,
      programId,
    });
  const depositOf = async (reference = bankReference, place = programId) => {
    const { depositId = "" } = (await reportedDeposits.at(reference, place).get()) ?? {};
    return { ...(await deposits.at(programId, depositId).get()), depositId };
  };
  const availableIn = async (accountId = wallet) =>
    balancesIn(await expectBooksInOrder(programId), accountId).availableMinor;
  const given = { programId, wallet, account, bankReference, collectOn, arrived, returned };
  return { ...given, report, announce, depositOf, availableIn };
}

export const statusOf = ({ status }: BankOutcome) => status;
