import { makeIban } from "../../../infra/development/iban.ts";
import {
  externalAccountUpdate,
  readExternalAccount,
} from "../../../shared/external-accounts/external-account.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { operate } from "../../harness/administration.ts";
import { newIban } from "../../harness/bank-accounts.ts";
import { givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { callsOf } from "../../harness/given-payouts.ts";
import { amountOf, detailsOf, entryOfAmount, notificationOf } from "../../shared/adapters/iso20022/camt.ts";
import type { GivenFiles } from "../files/given-files.ts";

/** A Program with an account at a bank, a Wallet with 100.00, and a verified account to pay to. */
export async function givenBank(files: GivenFiles) {
  const program = await givenProgram();
  const { programId } = program;
  const account = makeIban(programId);
  await operate("set-bank-account", { programId, bankAccount: account });
  const walletId = await givenWallet(program, 10_000);
  const iban = newIban();
  const body = { holderName: "Ana <&> Müller", holderType: "person", iban };
  const { body: added } = await program.call("POST /external-accounts", { body });
  const { externalAccountId } = added.data;
  const before = await readExternalAccount(programId, externalAccountId);
  await transact([externalAccountUpdate(before, { ...before, status: "verified" })]);
  const feed = (...entries: string[]) => files.feed("bank", notificationOf(account, ...entries));
  const calls = callsOf(program, walletId, externalAccountId);
  return { ...calls, program, programId, walletId, externalAccountId, account, iban, feed };
}

export const namesOf = (endToEnd: string) => `<Refs><EndToEndId>${endToEnd}</EndToEndId></Refs>`;
export const debitOf = (amount: string, ...parts: string[]) =>
  entryOfAmount(amount, ...parts).replace("CRDT", "DBIT");
export const returnedOf = (endToEnd: string, amount: string) =>
  entryOfAmount(
    amount,
    detailsOf(`${namesOf(endToEnd)}${amountOf(amount)}<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`),
  );
export const statusFile = (endToEnd: string, status: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><OrgnlPmtInfAndSts>
<OrgnlPmtInfId>X</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>${endToEnd}</OrgnlEndToEndId><TxSts>${status}</TxSts>
<StsRsnInf><Rsn><Cd>AC01</Cd></Rsn></StsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
