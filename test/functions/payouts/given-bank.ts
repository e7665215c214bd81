import { expect } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import {
  externalAccountUpdate,
  readExternalAccount,
} from "../../../shared/external-accounts/external-account.ts";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { operate } from "../../harness/administration.ts";
import { newIban } from "../../harness/bank-accounts.ts";
import { givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { callsOf } from "../../harness/given-payouts.ts";
import { refusedOf } from "../../harness/refused.ts";
import {
  amountOf,
  detailsOf,
  entryOfAmount,
  notificationOf,
  returnOf,
} from "../../shared/adapters/iso20022/camt.ts";
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

/** A pull of 10.00 from the account of `bank`, which a file has. */
export async function givenPull(bank: Awaited<ReturnType<typeof givenBank>>) {
  const { program, programId, walletId, externalAccountId } = bank;
  const route = "POST /external-accounts/{externalAccountId}/mandates";
  const path = { externalAccountId };
  const { mandateId } = (await program.call(route, { path, body: { signedAt: "2026-11-01" } })).body.data;
  const body = { walletId, externalAccountId, mandateId, amount: 1_000 };
  const { pullId, endToEndId } = (await program.call("POST /pulls", { body })).body.data;
  await makeFiles(programId);
  const status = async () =>
    (await program.call("GET /pulls/{pullId}", { path: { pullId } })).body.data.status as string;
  return { pullId, endToEndId, status };
}

/** Why what was reported of a Program is kept for the operator. */
export const toldOf = async (programId: string) =>
  (await refusedOf({ programId })).map(({ reason }) => reason);

export const returnInfo = "<RtrInf><Rsn><Cd>MS03</Cd></Rsn></RtrInf>";
export const reportOf = (endToEnd: string, amount: string) =>
  returnOf(
    `<RtrId>X${endToEnd}</RtrId><OrgnlEndToEndId>${endToEnd}</OrgnlEndToEndId><RtrdIntrBkSttlmAmt Ccy="USD">${amount}</RtrdIntrBkSttlmAmt>`,
  );

/** Two payouts, of 10.00 and 2.50, of one file and one batch. */
export async function givenTwo(files: GivenFiles) {
  const bank = await givenBank(files);
  const [one, other] = [await bank.created(), await bank.created({ amount: 250 })];
  const [file] = await makeFiles(bank.programId);
  const message = file?.fileId.slice(4) ?? "";
  const suspense = async (): Promise<number[]> =>
    (await operate("list-suspense", { programId: bank.programId })).items.map(({ amount }) => amount);
  const statuses = async () => [
    (await bank.view(one.payoutId)).status,
    (await bank.view(other.payoutId)).status,
  ];
  const batch = `<NtryDtls><Btch><PmtInfId>${message}-1</PmtInfId></Btch></NtryDtls>`;
  return { ...bank, one, other, message, batch, suspense, statuses };
}

/** Of what a report adds up to: what was booked, known, in suspense and refused. */
export function sumsOf({ sums = [], addsUp }: Awaited<ReturnType<GivenFiles["feed"]>>) {
  expect(addsUp).toBe(true);
  return sums.map(({ currency, booked, known, suspense, refused }) => [
    currency,
    ...[booked, known, suspense, refused].map(({ amount }) => amount),
  ]);
}
