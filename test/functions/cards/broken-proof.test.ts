import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { issuingKey, type Key } from "../../../shared/platform/table/keys.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenProvableCard, type ProvableCard } from "../../harness/given-provable-card.ts";
import { storedItems } from "../../harness/stored.ts";

let given: ProvableCard;

beforeEach(async () => {
  given = await givenProvableCard();
});

async function keyOf(isMeant: (item: Record<string, unknown>) => boolean): Promise<Key> {
  const item = (await storedItems(given.program.programId)).find(isMeant);
  expect(item).toBeDefined();
  return { pk: String(item?.pk), sk: String(item?.sk) };
}

const remove = (key: Key) => table.send(new DeleteCommand({ TableName: environment.issuingTable, Key: key }));

describe("GET /cards/{cardId}/balance/proof, 200: not proven where", () => {
  const isEntry = (kind: string) => (item: Record<string, unknown>) =>
    item.kind === kind && String(item.sk).startsWith("ENTRY#");
  const card = () => issuingKey.card(given.program.programId, given.cardId);
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
        const key = await keyOf(isEntry("clearing"));
        const postings = [
          { account: `${given.cardId}:available`, amountMinor: -700 },
          { account: "network_settlement", amountMinor: 699 },
        ];
        await overwrite(key, { postings });
      },
    ],
    [
      "an entry is missing",
      ["storedAvailable", "storedLedger", "statement"],
      async () => remove(await keyOf(isEntry("clearing"))),
    ],
    [
      "a transaction is missing",
      ["statement"],
      async () => remove(await keyOf(({ transType }) => transType === 3)),
    ],
    [
      "a fee is missing",
      ["statement"],
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
