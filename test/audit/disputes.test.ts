import { expect, test } from "vitest";
import { disputes } from "../../shared/disputes/dispute.ts";
import { entryPuts, journalEntry } from "../../shared/ledger/journal-entry.ts";
import { amountDisputed } from "../../shared/ledger/postings.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { transactions } from "../../shared/transactions/transaction.ts";
import { givenPurchase } from "../functions/disputes/given-dispute.ts";
import { findFaults } from "../harness/audit-books.ts";
import { overwrite } from "../harness/given-cards.ts";
import { givenNetwork } from "../harness/given-network.ts";

test("the audit compares each dispute's liability with its journal entries", async () => {
  const { create, program } = await givenPurchase();
  const created = await create({ amount: 1_000 });
  const { disputeId } = created.body.data;
  const path = { disputeId };
  await program.call("PUT /disputes/{disputeId}", { path, body: { amount: 900 } });
  await program.call("PUT /disputes/{disputeId}", { path, body: { amount: 1_200 } });
  await program.call("POST /disputes/{disputeId}/submit", { path });
  const { status } = await program.call("POST /disputes/{disputeId}/outcome", {
    path,
    body: { status: "won" },
  });
  expect(status).toBe(200);
  expect(await findFaults()).toEqual([]);
  const liability = { original: 1_200, recovered: 1_100, writtenOff: 100, denied: 0, remaining: 0 };
  const key = disputes.key(program.programId, disputeId);
  await overwrite(key, { liability });
  expect(await findFaults()).toEqual([
    `${program.programId} ${disputeId}: recovered is 1100, but 1200 in the journal.`,
  ]);
  await overwrite(key, { liability: { ...liability, recovered: 1_200, writtenOff: 0 } });
});

test("the audit compares what is claimed of a transaction with its disputes and refunds", async () => {
  const { create, onCard, program, cardId, transId } = await givenPurchase();
  const step = (disputeId: string, name: string, more: object = {}) =>
    program.call(`POST /disputes/{disputeId}/${name}`, { path: { disputeId }, ...more });
  for (const [amount, outcome] of [
    [100, "won"],
    [200, "lost"],
    [300, undefined],
  ] as const) {
    const { disputeId } = (await create({ amount })).body.data;
    await step(disputeId, "submit");
    if (outcome) expect((await step(disputeId, "outcome", { body: { status: outcome } })).status).toBe(200);
  }
  await onCard("refunds", { amount: 50, originalTransId: transId });
  const reversed = (await onCard("refunds", { amount: 25, originalTransId: transId })) as { transId: string };
  await program.call("POST /cards/{cardId}/refunds/{transId}/reverse", {
    path: { cardId, transId: reversed.transId },
  });
  expect(await findFaults()).toEqual([]);
  const key = transactions.key(program.programId, cardId, transId);
  await overwrite(key, { claimedMinor: 449 });
  expect(await findFaults()).toEqual([
    `${program.programId} ${transId}: 449 of it is claimed, but its disputes and refunds sum to 450.`,
  ]);
  await overwrite(key, { claimedMinor: 450, amountMinor: 399 });
  expect(await findFaults()).toContain(
    `${program.programId} ${transId}: 400 of it is disputed or given back, but 399 was settled.`,
  );
  await overwrite(key, { amountMinor: 3_000 });
});

test("the audit finds a Card that has more of its disputes than refunds leave", async () => {
  const { create, onCard, program, cardId, transId } = await givenPurchase({ provisionalCreditAtOnce: true });
  const { disputeId } = (await create()).body.data;
  await program.call("POST /disputes/{disputeId}/submit", { path: { disputeId } });
  await onCard("refunds", { amount: 1_000, originalTransId: transId });
  expect(await findFaults()).toEqual([]);
  const key = transactions.key(program.programId, cardId, transId);
  await overwrite(key, { amountMinor: 3_100 });
  expect(await findFaults()).toContain(
    `${program.programId} ${transId}: the Card has 2000 of its disputes, but may have 2100.`,
  );
  await overwrite(key, { amountMinor: 3_000 });
});

test("the audit compares what is given back of a purchase with the refunds of its reversals", async () => {
  const { apply, programId, cardId } = await givenNetwork();
  const { transId = "" } = await apply({ kind: "clearing", authorizationId: "a", amount: 2_000 });
  const reversal = {
    kind: "authorization_reversal",
    authorizationId: "a",
    amount: 500,
    ofPosted: true,
  } as const;
  await apply(reversal);
  const { transId: reversed = "" } = await apply(reversal);
  await apply({ kind: "refund_reversal", transId: reversed });
  expect(await findFaults()).toEqual([]);
  const key = transactions.key(programId, cardId, transId);
  await overwrite(key, { reversedMinor: 0 });
  expect(await findFaults()).toEqual([
    `${programId} ${transId}: 0 of it is given back, but refunds of its reversals sum to 500.`,
  ]);
  await overwrite(key, { reversedMinor: 500 });
});

test("the audit names an entry that disputes an amount for no dispute", async () => {
  const { program, transId } = await givenPurchase();
  const entry = journalEntry("dispute_opened", transId, amountDisputed(100), new Date());
  await transact(entryPuts(program.programId, entry));
  expect(await findFaults()).toEqual([
    `${program.programId} ${entry.entryId} changes what is disputed, but belongs to no dispute.`,
  ]);
});
