import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import type { Account } from "../../shared/ledger/account.ts";
import { parseEntry } from "../../shared/ledger/stored-entry.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { type Checkpoint, checkpoints } from "../../shared/proofs/checkpoint.ts";
import { advanceCheckpoint } from "../../shared/proofs/read-journal.ts";
import { auditBooks } from "../harness/audit-books.ts";
import { overwrite } from "../harness/given-cards.ts";
import { givenHistory } from "../harness/given-journal.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../harness/given-stored.ts";
import { storedItem, storedItems } from "../harness/stored.ts";

let programId: string;
let accounts: Account[];

beforeEach(async () => {
  programId = await givenStoredProgram();
  accounts = [
    { kind: "card", accountId: await givenStoredCard(programId) },
    { kind: "wallet", accountId: await givenStoredWallet(programId) },
  ];
  for (const account of accounts) {
    await givenHistory({ programId, account, count: 300, since: new Date(Date.now() - 600_000) });
    await advanceCheckpoint(programId, account);
    expect(await storedItem(checkpointKey(account))).toMatchObject({ journalEntries: 300 });
  }
});

const checkpointKey = ({ accountId }: Account) => checkpoints.at(programId, accountId).key;

/** Of this test's Program: the tests of the file share a store. */
async function faults(): Promise<string[]> {
  const { faults } = await auditBooks();
  return faults.filter((fault) => fault.startsWith(programId));
}

/** Of those that the checkpoint covers. */
async function oldEntry({ accountId }: Account) {
  const items = (await storedItems(programId)).filter(({ pk }) => pk === `${programId}#${accountId}`);
  const { pk, sk, ...item } = items.filter((one) => parseEntry(one) !== undefined)[7] ?? { pk: "", sk: "" };
  return { key: { pk, sk }, item };
}

test("the audit adds up again what checkpoints cover, and finds no fault", async () => {
  expect(await faults()).toEqual([]);
});

test.each<[string, (checkpoint: Checkpoint) => Partial<Checkpoint>]>([
  ["journalEntries is 301, but 300 in the journal", () => ({ journalEntries: 301 })],
  ["availableMinor is 1, but", ({ balances }) => ({ balances: { ...balances, availableMinor: 1 } })],
  ["settledDebitsMinor is 1, but", () => ({ settledDebitsMinor: 1 })],
  ["the digest of ENTRY is other, but", ({ parts }) => ({ parts: digestOf(parts, "ENTRY") })],
  ["it cannot be read", () => ({ parts: "none" as never })],
])("the audit reports a checkpoint that was changed: %s", async (fault, change) => {
  for (const account of accounts) {
    const key = checkpointKey(account);
    await overwrite(key, change(checkpoints.parse((await storedItem(key)) ?? {})));
    expect(await faults()).toContainEqual(
      expect.stringContaining(`${account.accountId}: its checkpoint: ${fault}`),
    );
  }
});

function digestOf(parts: Checkpoint["parts"], part: string): Checkpoint["parts"] {
  return { ...parts, [part]: { before: parts[part]?.before ?? "", digest: "other" } };
}

test("the audit reports an old entry that was changed, even if it adds up as before", async () => {
  for (const account of accounts) {
    const { key, item } = await oldEntry(account);
    const change =
      item.entry === undefined ? { relatedId: "other" } : { entry: { ...item.entry, relatedId: "other" } };
    await overwrite(key, change);
    expect(await faults()).toContainEqual(
      expect.stringMatching(
        new RegExp(`${account.accountId}: its checkpoint: the digest of ${key.sk.split("#")[0]} is`),
      ),
    );
  }
});

test("the audit reports an old entry that was deleted", async () => {
  for (const account of accounts) {
    const { key } = await oldEntry(account);
    await table.send(new DeleteCommand({ TableName: environment.issuingTable, Key: key }));
    const found = (await faults()).filter((fault) => fault.includes(account.accountId));
    expect(found).toContainEqual(expect.stringContaining("its checkpoint: journalEntries is 300, but 299"));
    expect(found).toContainEqual(expect.stringContaining("entries: entries that the account counted is 300"));
  }
});
