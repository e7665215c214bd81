import { makeIban } from "../../../../infra/development/iban.ts";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { applyBankEvent } from "../../../../shared/deposits/bank/apply-bank-event.ts";
import { type BankOutcome, paymentNames } from "../../../../shared/deposits/bank/payment.ts";
import { deposits } from "../../../../shared/deposits/deposit.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { givenStoredProgram, givenStoredWallet } from "../../../harness/given-stored.ts";

interface Named {
  readonly bankReference?: string | undefined;
  readonly endToEndId?: string | undefined;
}

/** A return names the bank's reference of the payment as the transaction's. */
function toEvent(
  kind: BankEvent["kind"],
  { bankReference, endToEndId: endToEnd, ...more }: Named & Record<string, unknown>,
) {
  const own = kind === "deposited" ? { accountServicer: bankReference } : { transaction: bankReference };
  const references = (more.references ?? {}) as object;
  return { kind, ...more, references: { ...own, endToEnd, ...references } } as BankEvent;
}

/** A Program in USD, a new one where none is given, with a bank account and a Wallet. */
export async function givenBank(programId?: string) {
  return bankOf(programId ?? (await givenStoredProgram()));
}

async function bankOf(programId: string) {
  const wallet = await givenStoredWallet(programId);
  const collectOn = async (bankAccount: string) => {
    await operate("set-bank-account", { programId, bankAccount });
    return bankAccount;
  };
  const account = await collectOn(makeIban(programId));
  const bankReference = `ref-${programId}`;
  const arrived = (more: object = {}): BankEvent => {
    const own = { bankReference, remittance: [`For ${wallet}`], amount: 1250, currency: "USD", ...more };
    return toEvent("deposited", { account, ...own });
  };
  const returned = (more: object = {}): BankEvent => toEvent("returned", { account, bankReference, ...more });
  const report = (event: BankEvent, origin: string = newId("event")) => applyBankEvent({ event, origin });
  /** A webhook names no account. */
  const announce = (more: object = {}, origin: string = newId("event")) =>
    applyBankEvent({
      event: arrived({ account: undefined, ...more }),
      origin: `webhook:${programId}:${origin}`,
      programId,
    });
  const depositOf = async (reference = bankReference) => {
    const [{ depositId } = { depositId: "" }] = await paymentNames.list(reference, programId);
    return { ...(await deposits.at(programId, depositId).get()), depositId };
  };
  const availableIn = async (accountId = wallet) =>
    balancesIn(await expectBooksInOrder(programId), accountId).availableMinor;
  /** What is available, and what is pending. */
  const sums = async (accountId = wallet) => {
    const { availableMinor, pendingDepositMinor } = balancesIn(
      await expectBooksInOrder(programId),
      accountId,
    );
    return [availableMinor, pendingDepositMinor];
  };
  /** Another transfer each time. */
  const transfer = (more: object = {}) => arrived({ bankReference: newId("event"), ...more });
  const given = { programId, wallet, account, bankReference, collectOn, arrived, returned, sums, transfer };
  return { ...given, report, announce, depositOf, availableIn };
}

export const statusOf = ({ status }: BankOutcome) => status;
