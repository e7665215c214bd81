import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { walletSumFaults } from "../../infra/commands/audit/account-books.ts";
import { accountLists, accountRecords, programRecords } from "../../infra/commands/audit/list-records.ts";
import { cardholderList, cardholders } from "../../shared/cardholders/cardholder.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { programLists } from "../../shared/list-kinds.ts";
import { checkList } from "../../shared/lists/rebuild.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { walletList, wallets } from "../../shared/wallets/wallet.ts";
import { givenBulks, person } from "../functions/bulk/given-bulk.ts";
import { reportsOf } from "../functions/reports/given-reports.ts";
import { newIban } from "../harness/bank-accounts.ts";
import { verified } from "../harness/cases/payout-cases.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenWallet,
  overwrite,
} from "../harness/given-cards.ts";

/** A Program in which everything happened that changes what a list shows. */
async function givenBusyProgram(): Promise<GivenProgram> {
  const program = await givenBulks({ settings: { threeDSecure: true } });
  const call = async (
    route: Parameters<typeof program.call>[0],
    path: Record<string, string>,
    body: object = {},
  ) => {
    const answer = await program.call(route, { path, body });
    if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const draft = await givenCardholder(program);
  await call(
    "PUT /cardholders/{cardholderId}",
    { cardholderId: draft },
    { lastName: "Byron", firstName: "A" },
  );
  await call("DELETE /cardholders/{cardholderId}", { cardholderId: draft });
  const cardholderId = await givenApprovedCardholder(program);
  for (const hasEnded of [false, true]) {
    const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
    const { externalAccountId } = await call("POST /external-accounts", {}, body);
    if (hasEnded) await call("DELETE /external-accounts/{externalAccountId}", { externalAccountId });
  }
  const { walletId } = await call("POST /wallets", {}, { name: "Float" });
  const { cardId } = await givenCard(program, { cardholderId });
  const closed = await givenCard(program, { cardholderId });
  await call("PUT /cards/{cardId}/status", { cardId: closed.cardId }, { status: 2 });
  await call("POST /cards/{cardId}/close", { cardId: closed.cardId }, { sweepToWalletId: walletId });
  for (const settle of ["clear", "reverse", undefined] as const) {
    const { depositId } = await call("POST /cards/{cardId}/deposits", { cardId }, { amount: 50_000 });
    if (settle) await call(`POST /deposits/{depositId}/${settle}`, { depositId });
  }
  // A Closed Card takes no deposit: it goes into suspense.
  await call("POST /cards/{cardId}/deposits", { cardId: closed.cardId }, { amount: 80 });
  await call("POST /wallets/{walletId}/bank-deposit", { walletId }, { amount: 900 });
  const { depositId } = await call("POST /wallets/{walletId}/deposits", { walletId }, { amount: 70 });
  await call("POST /deposits/{depositId}/reverse", { depositId });
  const transfer = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId };
  await call("POST /wallets/transfer", {}, { ...transfer, amount: 250 });
  await call("POST /wallets/transfer", {}, { ...transfer, amount: 9_000 });
  const authorize = (amount: number) => call("POST /cards/{cardId}/authorizations", { cardId }, { amount });
  const [one, two, three] = [await authorize(500), await authorize(700), await authorize(40)];
  await call(
    "POST /authorizations/{authorizationId}/clear",
    { authorizationId: one.authorizationId },
    { amount: 100, final: false },
  );
  await call(
    "POST /authorizations/{authorizationId}/increment",
    { authorizationId: two.authorizationId },
    { amount: 5 },
  );
  await call(
    "POST /authorizations/{authorizationId}/reverse",
    { authorizationId: two.authorizationId },
    { amount: 3 },
  );
  await call("POST /authorizations/{authorizationId}/expire", { authorizationId: three.authorizationId });
  const withdrawal = { amount: 100, feeAmount: 7 };
  const { transId: referenceCode } = await call(
    "POST /cards/{cardId}/atm-withdrawals",
    { cardId },
    withdrawal,
  );
  const { disputeId } = await call("POST /disputes", {}, { referenceCode, reason: "atm_not_dispensed" });
  await call("POST /disputes/{disputeId}/submit", { disputeId });
  const { transId } = await call("POST /cards/{cardId}/refunds", { cardId }, { amount: 100 });
  await call("POST /cards/{cardId}/refunds/{transId}/reverse", { cardId, transId });
  await authorize(10_000_000);
  const control = { name: "Large", cardId, velocity: { amount: 10_000_000, window: "day" } };
  const addControl = async (state: string) => ({
    controlId: (await call("POST /controls", {}, { ...control, state })).controlId,
  });
  const { name: _, cardId: __, ...rules } = control;
  await call("PUT /controls/{controlId}", await addControl("active"), { name: "Larger", ...rules });
  await call("POST /controls/{controlId}/activate", await addControl("draft"));
  await call("DELETE /controls/{controlId}", await addControl("draft"));
  const device = { type: "phone", name: "Phone" };
  const wallet = { wallet: "apple_pay", network: "visa", requestorId: "40010030273", device };
  const { tokenId } = await call("POST /cards/{cardId}/token-requests", { cardId }, wallet);
  await call("POST /tokens/{tokenId}/verify", { tokenId }, { outcome: "approved" });
  const asked = { amount: 900, merchantName: "Web Shop", mcc: "5732" };
  const made = await call("POST /cards/{cardId}/authentications", { cardId }, asked);
  const { authenticationId } = made;
  await call(
    "POST /authentications/{authenticationId}/outcome",
    { authenticationId },
    { outcome: "approved" },
  );
  await call("POST /cards/{cardId}/authentications", { cardId }, asked);
  await call("POST /cards/{cardId}/replace", { cardId }, { reason: "lost" });
  await givePayments(call, await verified(program), await givenWallet(program, 5_000));
  const account = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
  const { externalAccountId = "" } = await call("POST /external-accounts", {}, account);
  const path = { externalAccountId };
  await call("POST /external-accounts/{externalAccountId}/verification", path, { method: "micro_deposits" });
  const reports = reportsOf(program);
  const days = { kind: "fees", from: "2026-11-01", to: "2026-11-02" };
  await reports.make(days);
  await reports.ask(days);
  await program.run("cardholders", [person(1)]);
  await program.begin("cardholders", [person(2)]);
  return program;
}

type Call = (
  route: Parameters<GivenProgram["call"]>[0],
  path: Record<string, string>,
  body?: object,
) => Promise<Record<string, string>>;

/** Payouts and pulls: one that waits, one that was cancelled, and one that came back. */
async function givePayments(call: Call, externalAccountId: string, walletId: string): Promise<void> {
  const { mandateId } = await call(
    "POST /external-accounts/{externalAccountId}/mandates",
    { externalAccountId },
    { signedAt: "2026-11-01" },
  );
  const order = { walletId, externalAccountId, amount: 100 };
  const pay = async () => ({ payoutId: (await call("POST /payouts", {}, order)).payoutId as string });
  const pull = async () => ({
    pullId: (await call("POST /pulls", {}, { ...order, mandateId })).pullId as string,
  });
  await pay();
  await pull();
  await call("POST /payouts/{payoutId}/cancel", await pay());
  await call("POST /pulls/{pullId}/cancel", await pull());
  const [paid, pulled] = [await pay(), await pull()];
  for (const status of ["completed", "returned"])
    await call("POST /payouts/{payoutId}/outcome", paid, { status });
  for (const status of ["collected", "returned"])
    await call("POST /pulls/{pullId}/outcome", pulled, { status });
}

describe("lists and their records", () => {
  test("are equal after every kind of change", async () => {
    const { programId } = await givenBusyProgram();
    for (const kind of programLists) {
      const records = await programRecords(programId, kind);
      expect(records.length, kind.name).toBeGreaterThan(0);
      expect(await checkList({ programId, kind }, async () => records), kind.name).toEqual([]);
    }
    const accounts = [
      await programRecords(programId, walletList),
      await programRecords(programId, cardList),
    ].flat();
    const lists = accountLists(
      programId,
      accounts.map(({ id }) => id),
    );
    const found = new Set<string>();
    for (const list of lists) {
      const records = await accountRecords(list);
      if (records.length > 0) found.add(list.kind.name);
      expect(await checkList(list, async () => records), `${list.kind.name} of ${list.owner}`).toEqual([]);
    }
    expect([...found].toSorted()).toEqual(["accountDeposits", "transfers", "walletTransactions"]);
  });

  test("a Wallet whose transactions do not add up to its ledger balance is a fault", async () => {
    const { programId } = await givenBusyProgram();
    const [wallet] = await programRecords(programId, walletList);
    const walletId = wallet?.id ?? "";
    expect(await walletSumFaults(programId, walletId)).toEqual([]);
    await overwrite(wallets.key(programId, walletId), { ledgerMinor: 649 });
    expect(await walletSumFaults(programId, walletId)).toEqual([
      `${programId} ${walletId}: its listed transactions sum to 650, but its ledgerBalance is 649.`,
    ]);
  });

  test("npm run lists finds differences and repairs them", { timeout: 240_000 }, async () => {
    const { programId } = await givenBusyProgram();
    const [cardholder] = await programRecords(programId, cardholderList);
    const directory = mkdtempSync(path.join(tmpdir(), "lists-"));
    const connection = path.join(directory, "connection.json");
    const tables = { issuingTable: environment.issuingTable, accountsTable: environment.accountsTable };
    const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB;
    writeFileSync(connection, JSON.stringify({ store: { endpoint, region: "eu-west-1", ...tables } }));
    const lists = (action: string, ...options: string[]) =>
      spawnSync(process.execPath, ["infra/commands/lists.ts", action, programId, ...options], {
        encoding: "utf8",
        env: { ...process.env, LOCAL_DIR: directory },
      });
    expect(lists("check")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("transactions: equal to its records"),
    });
    await table.send(
      new UpdateCommand({
        TableName: environment.issuingTable,
        Key: cardholders.key(programId, cardholder?.id ?? ""),
        UpdateExpression: "SET lastName = :other",
        ExpressionAttributeValues: { ":other": "Behind the list's back" },
      }),
    );
    expect(lists("check")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("cardholders: 2 differences"),
    });
    expect(lists("rebuild")).toMatchObject({ status: 0 });
    expect(lists("check")).toMatchObject({ status: 0 });
    const json = lists("check", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ programId, differences: { cardholders: [] } });
    expect(lists("nothing")).toMatchObject({ status: 2 });
    rmSync(directory, { recursive: true });
  });
});
