import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { parseEntry, withEntry } from "../../../shared/domain/ledger/journal-entry.ts";
import { proveBalances } from "../../../shared/domain/proofs/prove-balances.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { expectBooksInOrder, storedEntries } from "../../harness/books.ts";
import { givenProvableCard } from "../../harness/given-provable-card.ts";
import { storedItems } from "../../harness/stored.ts";

it("entries within their records, as the next version stores them, prove the same balances", async () => {
  const { program, cardId, used } = await givenProvableCard();
  await used();
  const { programId } = program;
  const account = { kind: "card", accountId: cardId } as const;
  const before = await proveBalances(programId, account);
  const { issuingTable: TableName } = environment;
  const items = await storedItems(programId);
  let moved = 0;
  for (const { pk, sk, entry } of storedEntries(items)) {
    const record = items.find((item) => item.pk === pk && item.sk.endsWith(`#${entry.relatedId}`));
    if (!record) continue;
    const writes = withEntry(programId, entry, [{ name: "record", Put: { TableName, Item: record } }]);
    const write = writes.at(-1);
    if (!write || !("Put" in write)) throw new Error("The record is not written.");
    expect(parseEntry(write.Put.Item ?? {})).toEqual(entry);
    await table.send(new PutCommand({ TableName, Item: write.Put.Item }));
    await table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    moved += 1;
  }
  expect(moved).toBeGreaterThan(2);
  const after = await proveBalances(programId, account);
  expect(after.proven).toBe(true);
  expect({ ...after, provenAt: "" }).toEqual({ ...before, provenAt: "" });
  await expectBooksInOrder(programId);
});
