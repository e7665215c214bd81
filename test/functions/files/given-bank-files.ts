import { makeIban } from "../../../infra/development/iban.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import {
  amountOf,
  detailsOf,
  entryOf,
  notificationOf,
  refsOf,
  textOf,
} from "../../shared/adapters/iso20022/camt.ts";
import type { GivenFiles } from "./given-files.ts";

/** A Program with a bank account and a Wallet, and credits of 1.00 for it. */
export async function givenBankFiles(files: GivenFiles) {
  const programId = await givenStoredProgram();
  const wallet = await givenStoredWallet(programId);
  const account = makeIban(programId);
  await operate("set-bank-account", { programId, bankAccount: account });
  const reference = newId("event");
  const creditOf = (number: number, text = wallet) =>
    entryOf(detailsOf(refsOf(`${reference}-${number}`) + amountOf("1.00") + textOf(text)));
  const available = async () => balancesIn(await expectBooksInOrder(programId), wallet).availableMinor;
  const feed = (...entries: string[]) => files.feed("bank", notificationOf(account, ...entries));
  return { programId, wallet, account, reference, creditOf, available, feed };
}
