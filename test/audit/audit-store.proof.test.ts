import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { auditStore } from "../../infra/commands/audit/audit-store.ts";
import { JournalFile } from "../../infra/commands/audit/journal-file.ts";
import { cards } from "../../shared/cards/card.ts";
import { appliedEvents } from "../../shared/changes/applied-event.ts";
import { parseEntry } from "../../shared/ledger/stored-entry.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { table } from "../../shared/platform/table/client.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { overwrite } from "../harness/given-cards.ts";
import { givenProvableCard, type ProvableCard } from "../harness/given-provable-card.ts";
import { measure } from "../harness/measure.ts";
import { allStoredItems, storedItem, storedItems } from "../harness/stored.ts";
import { type PlainJournal, readJournal } from "./plain-journal.ts";

let directory: string;
let given: ProvableCard;
let walletId: string;
/** Repairs the store, which the file's tests share. */
let mend: (() => Promise<unknown>)[];

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "audit-"));
  mend = [];
  given = await givenProvableCard();
  await given.used();
  ({ walletId = "" } = await given.done("POST /wallets", {}, { name: "One" }));
  await given.done("POST /wallets/{walletId}/bank-deposit", { walletId }, { amount: 900 });
  const transfer = { sourceWalletId: walletId, destinationType: 1, destinationId: given.cardId, amount: 250 };
  await given.done("POST /wallets/transfer", {}, transfer);
});
afterEach(async () => {
  for (const undo of mend) await undo();
  rmSync(directory, { recursive: true });
});

async function audit() {
  const file = path.join(directory, "audit.journal");
  const [journal, progress]: [JournalFile, number[]] = [new JournalFile(file), []];
  const result = await auditStore({ journal, onProgress: (items) => progress.push(items) });
  await journal.end();
  expect(progress.at(-1)).toBe(result.items);
  return { ...result, file, journal: readJournal(readFileSync(file, "utf8")) };
}

const put = (Item: Record<string, unknown>) =>
  table.send(new PutCommand({ TableName: environment.issuingTable, Item }));
const remove = (Key: Key) => table.send(new DeleteCommand({ TableName: environment.issuingTable, Key }));

/** Finds an item of the Program and restores it after the test. */
async function itemOf(isMeant: (item: Record<string, unknown>) => boolean) {
  const item = (await storedItems(given.program.programId)).find(isMeant);
  if (!item) throw new Error("There is no such item.");
  mend.push(() => put(item));
  return { item, key: { pk: String(item.pk), sk: String(item.sk) } };
}

const isEntry = (kind: string, accountId: string) => (item: Record<string, unknown>) =>
  parseEntry(item)?.kind === kind && String(item.pk).endsWith(accountId);

describe("the audit of a whole store", () => {
  test("finds no fault in a sound store, counts its items, and balances accounts against contra accounts", async () => {
    const result = await audit();
    expect(result.faults).toEqual([]);
    const own = result.journal.entries.filter(({ program }) => program === given.program.programId);
    expect(own.map(({ kind }) => kind).toSorted()).toEqual(
      [
        ...["clearing", "deposit_cleared", "deposit_cleared", "deposit_pending", "fee", "hold_placed"],
        "transfer",
      ].toSorted(),
    );
    expect(result.entries).toBe(result.journal.entries.length);
    expect(result.trialBalance.lines()).toEqual(
      expect.arrayContaining(
        [
          ...["cards and wallets  13180", "bank_funding  -10900", "crypto_funding  -3000", "fee_income  20"],
          "network_settlement  700",
        ].map((line) => `${given.program.programId}  ${line}`),
      ),
    );
  });

  test("in a sound store queries only each Wallet's list and proves no account again", async () => {
    const queries = (await measure(audit)).cost.calls.filter((call) => call === "Query");
    expect(queries).toHaveLength(3 * (await allStoredItems()).filter(({ sk }) => sk === "WALLET").length);
  });

  test("exports each entry once, in double entry, and asserts the stored balances", async () => {
    const { journal } = await audit();
    expect(journal.unbalanced).toEqual([]);
    expect(journal.brokenAssertions).toEqual([]);
    const account = `${given.program.programId}:${given.cardId}`;
    expect(journal.asserted.get(`${account}:available`)).toBe("80.30 USD");
    expect(journal.asserted.get(`${account}:held`)).toBe("15.00 USD");
    expect(journal.asserted.get(`${account}:pending`)).toBe("30.00 USD");
  });

  test("exports a journal that hledger proves independently, if it is installed", async () => {
    const { file, journal } = await audit();
    const check = hledger(["check", "-f", file]);
    const balance = hledger(["balance", "-f", file, "--flat", "--no-total", "-E", "-O", "csv"]);
    // Without hledger, the export is read without any code of the audit.
    expect(check?.stderr ?? "").toBe("");
    expect(check?.status ?? 0).toBe(0);
    const found = balance ? balancesOf(balance.stdout) : journal.balances;
    for (const [account, amount] of journal.asserted)
      expect([account, found.get(account)]).toEqual([account, amount]);
    expect(journal.asserted.size).toBeGreaterThan(6);
  });

  test("exports a journal that hledger rejects if a stored balance is wrong", async () => {
    const { key } = await itemOf(({ sk, pk }) => sk === "CARD" && String(pk).endsWith(given.cardId));
    await overwrite(key, { availableMinor: 8_031 });
    const { file, journal } = await audit();
    expect(journal.brokenAssertions).toEqual([`${given.program.programId}:${given.cardId}:available`]);
    const check = hledger(["check", "-f", file]);
    expect(check?.status ?? 1).toBe(1);
  });

  const cases: [string, string[], () => Promise<unknown>][] = [
    [
      "a stored balance is wrong",
      ["storedHeld: stored holds is 1, openHolds is 1500."],
      async () => overwrite((await itemOf(({ sk }) => sk === "CARD")).key, { heldMinor: 1 }),
    ],
    [
      "a hold differs from its postings",
      ["holds: postings of holds is 1500, openHolds is 1499."],
      async () => overwrite((await itemOf(({ sk }) => sk === "HOLD")).key, { releasedMinor: 1 }),
    ],
    [
      "the copies of an entry differ",
      ["differs in"],
      async () =>
        overwrite((await itemOf(isEntry("transfer", walletId))).key, {
          createdAt: "2026-01-01T00:00:00.000Z",
        }),
    ],
    [
      "a copy of an entry is missing",
      [`is not stored with ${"wlt_"}`, "accounts and contra accounts differ by"],
      async () => remove((await itemOf(isEntry("transfer", walletId))).key),
    ],
    [
      "an entry was written twice",
      ["is a second clearing of txn_"],
      async () => {
        const { item, key } = await itemOf(isEntry("clearing", given.cardId));
        const twin = { ...parseEntry(item), entryId: newId("journalEntry") };
        const twinKey = { ...key, sk: `ENTRY#${twin.entryId}` };
        mend.push(() => remove(twinKey));
        await put({ ...twin, ...twinKey });
      },
    ],
    [
      "an entry does not balance",
      ["sums to 1 instead of zero.", "accounts and contra accounts differ by 1."],
      async () => {
        const { item, key } = await itemOf(isEntry("fee", given.cardId));
        const postings = [
          { account: `${given.cardId}:available`, amountMinor: -20 },
          { account: "fee_income", amountMinor: 21 },
        ];
        await overwrite(key, { entry: { ...(item.entry as object), postings } });
      },
    ],
    [
      "an entry is stored with an account that it does not change",
      ["which it does not change"],
      async () => {
        const entry = parseEntry((await itemOf(isEntry("fee", given.cardId))).item);
        const stray = { pk: `${given.program.programId}#${walletId}`, sk: `ENTRY#${entry?.entryId}` };
        mend.push(() => remove(stray));
        await put({ ...entry, ...stray });
      },
    ],
    [
      "the transaction of an event is missing",
      ["is an event's answer but has no record."],
      async () => {
        const { item } = await itemOf(({ sk, kind }) => sk === "EVENT" && kind === "clearing");
        const { transId } = item.result as { transId: string };
        await remove(
          (await itemOf((one) => one.transId === transId && String(one.sk).startsWith("TRANSACTION#"))).key,
        );
      },
    ],
    [
      "two events have the same transaction",
      ["which another event names too."],
      async () => {
        const { item } = await itemOf(({ sk, kind }) => sk === "EVENT" && kind === "clearing");
        const twin = appliedEvents.key(given.program.programId, "twin");
        mend.push(() => remove(twin));
        await put({ ...item, ...twin });
      },
    ],
    [
      "postings belong to no account",
      ["has postings or records but is not a Card or Wallet."],
      async () =>
        remove((await itemOf(({ sk, pk }) => sk === "WALLET" && String(pk).endsWith(walletId))).key),
    ],
  ];
  test.each(cases)("reports that %s", async (_, expected, breakIt) => {
    await breakIt();
    const { faults } = await audit();
    for (const part of expected) expect(faults.join("\n")).toContain(part);
    expect(faults.every((fault) => fault.includes(given.program.programId))).toBe(true);
  });

  test("proves an account that changed during the scan separately, and reports only a remaining fault", async () => {
    const key = cards.key(given.program.programId, given.cardId);
    const item = (await storedItem(key)) ?? {};
    await overwrite(key, { heldMinor: 1 });
    const journal = new JournalFile(path.join(directory, "moved.journal"));
    const { faults } = await auditStore({ journal, onProgress: () => void put(item) });
    await journal.end();
    expect(faults).toEqual([]);
  });
});

/** Undefined if hledger is not installed. */
function hledger(args: string[]) {
  const run = spawnSync("hledger", args, { encoding: "utf8" });
  return run.error ? undefined : run;
}

/** hledger writes nothing as a bare 0. */
function balancesOf(csv: string): PlainJournal["balances"] {
  const rows = csv.trim().split("\n").slice(1);
  return new Map(
    rows.map((row) => {
      const [account = "", amount = ""] = row.slice(1, -1).split('","');
      return [account, amount === "0" ? "0.00 USD" : amount];
    }),
  );
}
