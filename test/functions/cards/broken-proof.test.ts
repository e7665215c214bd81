import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { parseEntry } from "../../../shared/ledger/stored-entry.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { log } from "../../../shared/platform/log.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenProvableCard, type ProvableCard } from "../../harness/given-provable-card.ts";
import { type StoredItem, storedItems } from "../../harness/stored.ts";

let given: ProvableCard;

beforeEach(async () => {
  given = await givenProvableCard();
});

async function itemOf(isMeant: (item: StoredItem) => boolean): Promise<StoredItem> {
  const item = (await storedItems(given.program.programId)).find(isMeant);
  if (!item) throw new Error("There is no such item.");
  return item;
}

async function keyOf(isMeant: (item: StoredItem) => boolean): Promise<Key> {
  const { pk, sk } = await itemOf(isMeant);
  return { pk, sk };
}

const remove = (key: Key) => table.send(new DeleteCommand({ TableName: environment.issuingTable, Key: key }));

describe("GET /cards/{cardId}/balance/proof, 200: not proven where", () => {
  const isEntry = (kind: string) => (item: StoredItem) => parseEntry(item)?.kind === kind;
  const card = () => cards.key(given.program.programId, given.cardId);
  const cases: [string, string[], () => Promise<unknown>][] = [
    [
      "a stored available balance is wrong",
      ["storedAvailable"],
      () => overwrite(card(), { availableMinor: 7_781 }),
    ],
    ["a stored ledger balance is wrong", ["storedLedger"], () => overwrite(card(), { ledgerMinor: 0 })],
    ["the stored holds are wrong", ["storedHeld"], () => overwrite(card(), { heldMinor: 1 })],
    [
      "the stored pending deposits are wrong",
      ["storedPending"],
      () => overwrite(card(), { pendingDepositMinor: 1 }),
    ],
    [
      "an entry is not double",
      ["doubleEntry"],
      async () => {
        const { pk, sk, entry } = await itemOf(isEntry("clearing"));
        const postings = [
          { account: `${given.cardId}:available`, amountMinor: -700 },
          { account: "network_settlement", amountMinor: 699 },
        ];
        await overwrite({ pk, sk }, { entry: { ...(entry as object), postings } });
      },
    ],
    [
      "an entry is missing",
      ["storedAvailable", "storedLedger", "entries", "statement"],
      async () => {
        const { entry: _, ...record } = await itemOf(isEntry("clearing"));
        await table.send(new PutCommand({ TableName: environment.issuingTable, Item: record }));
      },
    ],
    [
      "a transaction and its entry are missing",
      ["storedAvailable", "storedLedger", "entries"],
      async () => remove(await keyOf(({ transType }) => transType === 3)),
    ],
    [
      "a fee and its entry are missing",
      ["storedAvailable", "storedLedger", "entries"],
      async () => remove(await keyOf(({ sk }) => String(sk).startsWith("FEE#"))),
    ],
    [
      "a hold is released without an entry",
      ["outstanding", "available", "holds", "storedHeld"],
      async () => overwrite(await keyOf(({ sk }) => sk === "HOLD"), { closedBy: "reversed" }),
    ],
    [
      "a deposit is cleared without an entry",
      ["outstanding", "available", "pending", "storedPending"],
      async () => overwrite(await keyOf((item) => item.sk === "DEPOSIT" && item.status === 0), { status: 1 }),
    ],
  ];
  test.each(cases)("%s", async (_, expected, breakIt) => {
    await given.used();
    await breakIt();
    expect(await given.broken()).toEqual(expected);
  });
});

test("GET /cards/{cardId}/balance/proof, 500: a malformed entry, which a log line names", async () => {
  await given.used();
  const { pk, sk } = await keyOf((item) => parseEntry(item) !== undefined);
  await overwrite({ pk, sk }, { entry: { kind: "gift" } });
  using error = vi.spyOn(log, "error");
  const path = { cardId: given.cardId };
  expect((await given.program.call("GET /cards/{cardId}/balance/proof", { path })).status).toBe(500);
  const fields = expect.objectContaining({ key: { pk, sk } });
  expect(error).toHaveBeenCalledWith("The journal entry is malformed.", fields);
});
