import { expect, test, vi } from "vitest";
import { handler as processor } from "../../functions/processor-events/handler.ts";
import { TrialBalance } from "../../infra/commands/audit/journal-checks.ts";
import { keepClosing } from "../../shared/books/closing.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { usageParts } from "../../shared/controls/usage.ts";
import { suspenseItems } from "../../shared/deposits/suspense.ts";
import { disputes } from "../../shared/disputes/dispute.ts";
import { walletShards } from "../../shared/ledger/hot/shards.ts";
import { entryPuts, journalEntries, journalEntry } from "../../shared/ledger/journal-entry.ts";
import { amountDisputed } from "../../shared/ledger/movements.ts";
import { parseEntry } from "../../shared/ledger/stored-entry.ts";
import { changesWalkId } from "../../shared/lists/compaction.ts";
import { deadlineDelete } from "../../shared/platform/deadlines.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { transactions } from "../../shared/transactions/transaction.ts";
import { givenPurchase } from "../functions/disputes/given-dispute.ts";
import { givenHotWallet } from "../functions/wallets/given-hot-wallet.ts";
import { auditBooks, findFaults } from "../harness/audit-books.ts";
import { givenProgram, givenWallet, overwrite } from "../harness/given-cards.ts";
import { givenNetwork } from "../harness/given-network.ts";
import { approve, decline, givenReceiver, heldBack } from "../harness/given-receiver.ts";
import { givenSplitProgram } from "../harness/given-split-program.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../harness/given-stored.ts";
import { givenWalk } from "../harness/given-walk.ts";
import { storedItems } from "../harness/stored.ts";
import { sweepDeadlines } from "../harness/sweep-deadlines.ts";

/** Those of a Program: the tests share a store. */
const faultsOf = async (programId: string) =>
  (await findFaults()).filter((fault) => fault.includes(programId));

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
  expect(await faultsOf(program.programId)).toEqual([]);
  const liability = { original: 1_200, recovered: 1_100, writtenOff: 100, denied: 0, remaining: 0 };
  const key = disputes.key(program.programId, disputeId);
  await overwrite(key, { liability });
  expect(await faultsOf(program.programId)).toEqual([
    `${program.programId} ${disputeId}: recovered is 1100, but 1200 in the journal.`,
  ]);
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
  expect(await faultsOf(program.programId)).toEqual([]);
  const key = transactions.key(program.programId, cardId, transId);
  await overwrite(key, { claimedMinor: 449 });
  expect(await faultsOf(program.programId)).toEqual([
    `${program.programId} ${transId}: 449 of it is claimed, but its disputes and refunds sum to 450.`,
  ]);
  await overwrite(key, { claimedMinor: 450, amountMinor: 399 });
  expect(await faultsOf(program.programId)).toContain(
    `${program.programId} ${transId}: 400 of it is disputed or given back, but 399 was settled.`,
  );
});

test("the audit finds a Card that has more of its disputes than refunds leave", async () => {
  const { create, onCard, program, cardId, transId } = await givenPurchase({ provisionalCreditAtOnce: true });
  const { disputeId } = (await create()).body.data;
  await program.call("POST /disputes/{disputeId}/submit", { path: { disputeId } });
  await onCard("refunds", { amount: 1_000, originalTransId: transId });
  expect(await faultsOf(program.programId)).toEqual([]);
  const key = transactions.key(program.programId, cardId, transId);
  await overwrite(key, { amountMinor: 3_100 });
  expect(await faultsOf(program.programId)).toContain(
    `${program.programId} ${transId}: the Card has 2000 of its disputes, but may have 2100.`,
  );
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
  expect(await faultsOf(programId)).toEqual([]);
  const key = transactions.key(programId, cardId, transId);
  await overwrite(key, { reversedMinor: 0 });
  expect(await faultsOf(programId)).toEqual([
    `${programId} ${transId}: 0 of it is given back, but refunds of its reversals sum to 500.`,
  ]);
});

test("the audit lets a Card's money go to a Wallet as often as the Card comes to spend from one", async () => {
  const { program, cardId, onCard } = await givenPurchase();
  const fundingWalletId = await givenWallet(program, 5_000);
  for (const amount of [100, 200]) {
    await onCard("refunds", { amount });
    for (const body of [{ fundingWalletId, moveBalance: true }, { fundingWalletId: null }])
      expect((await program.call("PUT /cards/{cardId}/funding", { path: { cardId }, body })).status).toBe(
        200,
      );
  }
  expect(await faultsOf(program.programId)).toEqual([]);
});

test("the audit names an entry that disputes an amount for no dispute", async () => {
  const { program, transId } = await givenPurchase();
  const entry = journalEntry("dispute_opened", transId, amountDisputed(100), new Date());
  await transact(entryPuts(program.programId, entry));
  expect(await faultsOf(program.programId)).toEqual([
    `${program.programId} ${entry.entryId} changes what is disputed, but belongs to no dispute.`,
  ]);
});

test("the audit adds up the contra accounts at the end of each day that was read", async () => {
  const program = await givenProgram();
  await givenWallet(program, 700);
  const { programId } = program;
  const tomorrow = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString();
  const day = { timeZone: "Etc/UTC", from: "2026-01-01T00:00:00.000Z" };
  const right = { ...day, date: "2098-01-01", until: tomorrow, contraMinor: { bank_funding: -700 } };
  await keepClosing(programId, right);
  expect(await faultsOf(programId)).toEqual([]);
  const wrong = { ...day, date: "2020-01-01", until: "2020-01-02T00:00:00.000Z" };
  await keepClosing(programId, { ...wrong, contraMinor: { suspense: 5 } });
  expect(await faultsOf(programId)).toEqual([
    `${programId}: suspense closed 2020-01-01 with 5, but with 0 in the journal.`,
  ]);
});

test("the audit adds up the shards of a hot Wallet, and finds a cent too much in one", async () => {
  const { programId, walletId, transfer, shards } = await givenHotWallet(6_500);
  await transfer(150);
  expect(await shards()).toHaveLength(64);
  expect(await faultsOf(programId)).toEqual([]);
  const { key } = walletShards.at(programId, walletId, "7");
  const before = (await walletShards.at(programId, walletId, "7").get())?.availableMinor ?? 0;
  await overwrite(key, { availableMinor: before + 1 });
  const found = await faultsOf(programId);
  expect(found).not.toEqual([]);
  expect(found.every((fault) => fault.includes(walletId))).toBe(true);
});

test("the audit names a malformed journal entry, and goes on to the other faults", async () => {
  const { programId, walletId, shards } = await givenHotWallet(6_400);
  expect(await shards()).toHaveLength(64);
  const entry = (await storedItems(programId)).find(({ sk }) => String(sk).startsWith("ENTRY#"));
  const { pk = "", sk = "" } = entry ?? {};
  await overwrite({ pk: String(pk), sk: String(sk) }, { kind: "gift" });
  const found = await faultsOf(programId);
  expect(found).toContain(`${pk} ${sk} is not a journal entry.`);
  expect(found.some((fault) => !fault.includes("not a journal entry") && fault.includes(walletId))).toBe(
    true,
  );
});

test("the audit accepts a reservation for each question, and finds a second one for the same question", async () => {
  const { programId, cardId, apply, send, everything } = await givenNetwork();
  const receiver = await givenReceiver(programId, approve);
  const increment = { kind: "authorization_incremental", authorizationId: "A", amount: 500 } as const;
  await apply({ kind: "authorization", authorizationId: "A", amount: 3_000 });
  await apply(increment);
  receiver.answer(() => decline);
  await apply(increment);
  const open = heldBack();
  receiver.answer(open.answer);
  const answered = send(increment);
  await open.asked;
  expect(await faultsOf(programId)).toEqual([]);
  open.reply({ kind: "approve", amountMinor: 500 });
  await answered;
  receiver.answer(approve);
  await apply({ kind: "atm_withdrawal", amount: 200 });
  expect(await faultsOf(programId)).toEqual([]);

  const entries = (await everything()).flatMap((item) => parseEntry(item) ?? []);
  const reserved = entries.filter(({ kind, relatedId }) => kind === "hold_reserved" && relatedId === "A");
  expect(reserved).toHaveLength(4);
  const [first] = reserved;
  if (!first) throw new Error("Nothing was reserved.");
  const entryId = newId("journalEntry");
  await journalEntries.at(programId, cardId, entryId).createNow({ ...first, entryId });
  expect(await faultsOf(programId)).toContain(`${programId} A has 5 reservations for 4 questions.`);
});

test("the audit compares the suspense account with its open deposits", async () => {
  const programId = await givenStoredProgram();
  const accountId = await givenStoredCard(programId, CardStatus.closed);
  const depositId = newId("deposit");
  const details = { accountType: 1, accountId, amount: 45, channel: "bank", depositId };
  await processor({ programId, eventId: "one", kind: "deposit_cleared", ...details });
  expect(await faultsOf(programId)).toEqual([]);
  expect((await auditBooks()).trialBalance.lines()).toContain(`${programId}  suspense  45`);
  await overwrite(suspenseItems.key(programId, depositId), { amountMinor: 44 });
  expect(await faultsOf(programId)).toEqual([
    `${programId}: the suspense account is 45, but its open deposits sum to 44.`,
  ]);
});

test("the audit adds up the parts of a split usage, and finds a cent too much and a lost part", async () => {
  const { programId, controlId, authorize, split, send, forget } = await givenSplitProgram({
    amount: 64_000,
    window: "PT10M",
  });
  const authorizationId = newId("hold");
  await authorize(1_000, authorizationId);
  await split();
  for (let n = 0; n < 4; n += 1) {
    forget();
    await authorize(100);
  }
  await send({ kind: "authorization_reversal", authorizationId, amount: 300 });
  expect(await faultsOf(programId)).toEqual([]);
  const first = usageParts.at(programId, 0);
  const { version = 0, controls = {} } = (await first.get()) ?? {};
  const { cells = {}, ...usage } = controls[controlId] ?? {};
  const more = Object.entries(cells).map(([since, all]) => [
    since,
    all.map((cell) => ({ ...cell, amount: cell.amount + 1 })),
  ]);
  const changed = { ...controls, [controlId]: { ...usage, cells: Object.fromEntries(more) } };
  await first.updateNow({ set: { version: version + 1, controls: changed } });
  expect(await faultsOf(programId)).toEqual([
    `${programId}: ${controlId} has counted 1101 in 5, its transactions 1100 in 5.`,
  ]);
  await first.updateNow({ set: { version: version + 2, controls } });
  await usageParts.at(programId, 95).deleteNow();
  expect(await faultsOf(programId)).toContain(`${programId}: the usage of its controls has 95 of 96 parts.`);
});

const split = journalEntry(
  "refund",
  "txn_1",
  [
    { account: "network_settlement", amountMinor: -30 },
    { account: "crd_a:available", amountMinor: 10 },
    { account: "crd_b:available", amountMinor: 20 },
  ],
  new Date(0),
);

test("an entry of several accounts counts once for its contra account", () => {
  const balance = new TrialBalance();
  balance.add("prg_1", "crd_a", split, true);
  expect(balance.faults()).toEqual(["prg_1: accounts and contra accounts differ by -20."]);
  balance.add("prg_1", "crd_b", split, false);
  expect(balance.faults()).toEqual([]);
  expect(balance.lines()).toEqual(["prg_1  cards and wallets  30", "prg_1  network_settlement  -30"]);
});

test("the audit finds an open hold that no walk has given its deadline, and a Program without walks", async () => {
  const day = 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2040, 0, 1) });
  const { programId, apply } = await givenNetwork();
  await givenStoredWallet(programId);
  await apply({ kind: "authorization", authorizationId: "open", amount: 100 });
  await apply({ kind: "authorization", authorizationId: "ended", amount: 100 });
  await apply({ kind: "clearing", authorizationId: "ended", amount: 100 });
  vi.setSystemTime(Date.now() + 5 * day);
  expect(await faultsOf(programId)).toEqual([]);
  vi.setSystemTime(Date.now() + 1.1 * day);
  const forgotten = `${programId} open is an open hold without a deadline.`;
  expect(await faultsOf(programId)).toEqual([forgotten]);
  await transact([deadlineDelete(programId, changesWalkId(programId))]);
  const noWalk = `${programId} has no deadline that walks its changes.`;
  expect(await faultsOf(programId)).toEqual([noWalk, forgotten]);
  await givenWalk(programId, new Date(Date.now() - day));
  await sweepDeadlines();
  expect(await faultsOf(programId)).toEqual([]);
  vi.useRealTimers();
});
