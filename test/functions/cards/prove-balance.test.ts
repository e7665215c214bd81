import { BatchWriteCommand, DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { environment } from "../../../shared/environment.ts";
import { newId } from "../../../shared/id.ts";
import { table } from "../../../shared/table/client.ts";
import { issuingKey, type Key } from "../../../shared/table/keys.ts";
import { type GivenProgram, givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";

interface Side {
  readonly expression: string;
  readonly amount: number;
}
interface Identity {
  readonly name: string;
  readonly left: Side;
  readonly right: Side;
  readonly holds: boolean;
}

let program: GivenProgram;
let cardId: string;

beforeEach(async () => {
  program = await givenProgram();
  ({ cardId } = await givenCard(program));
});
afterEach(() => vi.restoreAllMocks());

const done = async (route: `POST /${string}`, path: Record<string, string>, body?: object) => {
  const answer = await program.call(route, { path, ...(body && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data as Record<string, string>;
};
const onCard = (route: string, body: object) => done(`POST /cards/{cardId}/${route}`, { cardId }, body);

const prove = async () => {
  const { status, body } = await program.call("GET /cards/{cardId}/balance/proof", { path: { cardId } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data as { identities: Identity[]; proven: boolean } & Record<string, unknown>;
};
const broken = async () => {
  const { identities, proven } = await prove();
  const failing = identities.filter(({ holds }) => !holds).map(({ name }) => name);
  expect(proven).toBe(failing.length === 0);
  return failing;
};

/** What most of the tests below break: a hold, a pending deposit, a settlement and a fee. */
async function used() {
  await onCard("bank-deposit", { amount: 10_000 });
  await onCard("authorizations", { amount: 1_500 });
  await onCard("force-post", { amount: 700 });
  await onCard("fees", { feeType: 5, amount: 20 });
  await onCard("deposits", { amount: 3_000 });
}

async function keyOf(isMeant: (item: Record<string, unknown>) => boolean): Promise<Key> {
  const item = (await storedItems(program.programId)).find(isMeant);
  expect(item).toBeDefined();
  return { pk: String(item?.pk), sk: String(item?.sk) };
}

const remove = (key: Key) => table.send(new DeleteCommand({ TableName: environment.issuingTable, Key: key }));

describe("GET /cards/{cardId}/balance/proof", () => {
  test("200: a card on which nothing ever happened", async () => {
    const proof = await prove();
    expect(proof).toMatchObject({
      cardId,
      currency: 0,
      journalEntries: 0,
      availableBalance: 0,
      ledgerBalance: 0,
    });
    expect(proof.proven).toBe(true);
    expect(proof.identities).toHaveLength(11);
  });

  test("200: both sides of each identity, in figures", async () => {
    await used();
    const proof = await prove();
    expect(proof).toMatchObject({
      journalEntries: 5,
      availableBalance: 7_780,
      ledgerBalance: 12_280,
      depositsAndCredits: 13_000,
      clearedDepositsAndCredits: 10_000,
      settledDebits: 720,
      openHolds: { count: 1, amount: 1_500 },
      pendingDeposits: { count: 1, amount: 3_000 },
      stored: { availableBalance: 7_780, ledgerBalance: 12_280 },
      proven: true,
    });
    const sides = proof.identities.map(({ name, left, right }) => [name, left.amount, right.amount]);
    expect(sides).toEqual([
      ["outstanding", 4_500, 4_500],
      ["ledger", 12_280, 12_280],
      ["available", 7_780, 7_780],
      ["holds", 1_500, 1_500],
      ["pending", 3_000, 3_000],
      ["doubleEntry", 0, 0],
      ["storedAvailable", 7_780, 7_780],
      ["storedLedger", 12_280, 12_280],
      ["storedHeld", 1_500, 1_500],
      ["storedPending", 3_000, 3_000],
      ["statement", 12_280, 12_280],
    ]);
  });

  test("200: proven after each event of a card's life", async () => {
    const steps: (() => Promise<unknown>)[] = [];
    const step = (run: () => Promise<unknown>) => steps.push(run);
    let authorizationId = "";
    let refund = "";
    let purchase = "";
    let fee = "";
    let dispute = "";
    const authorize = async (amount: number) => {
      ({ authorizationId = "" } = await onCard("authorizations", { amount }));
    };
    const onHold = (route: string, body: object) =>
      done(`POST /authorizations/{authorizationId}/${route}`, { authorizationId }, body);
    step(() => onCard("bank-deposit", { amount: 20_000 }));
    step(() => authorize(1_000));
    step(() => onHold("increment", { amount: 500 }));
    step(() => onHold("clear", { amount: 400, final: false }));
    step(() => onHold("clear", { amount: 1_400 }));
    step(() => authorize(2_000));
    step(() => onHold("reverse", { amount: 700 }));
    step(() => onHold("expire", {}));
    step(() => onHold("clear", { amount: 90 }));
    step(() => onCard("authorizations", { amount: 900_000 }));
    step(async () => ({ transId: refund = "" } = await onCard("refunds", { amount: 250 })));
    step(() => done("POST /cards/{cardId}/refunds/{transId}/reverse", { cardId, transId: refund }));
    step(() => onCard("atm-withdrawals", { amount: 3_000, feeAmount: 300 }));
    step(async () => ({ feeId: fee = "" } = await onCard("fees", { feeType: 2, amount: 50 })));
    step(() => done("POST /cards/{cardId}/fees/{feeId}/reverse", { cardId, feeId: fee }));
    step(async () => ({ transId: purchase = "" } = await onCard("force-post", { amount: 30_000 })));
    step(
      async () =>
        ({ chargebackId: dispute = "" } = await onCard("chargebacks", { transId: purchase, amount: 9_000 })),
    );
    step(() => done("POST /chargebacks/{chargebackId}/outcome", { chargebackId: dispute }, { status: 3 }));
    step(async () => {
      const { depositId = "" } = await onCard("deposits", { amount: 6_000 });
      expect(await broken()).toEqual([]);
      await done("POST /deposits/{depositId}/clear", { depositId });
    });
    step(async () => {
      const { depositId = "" } = await onCard("deposits", { amount: 11 });
      await done("POST /deposits/{depositId}/reverse", { depositId });
    });
    for (const [index, run] of steps.entries()) {
      await run();
      expect(await broken(), `after step ${index}`).toEqual([]);
      const { availableBalance, ledgerBalance } = await prove();
      const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
      expect(body.data).toMatchObject({ availableBalance, ledgerBalance });
    }
    expect(await prove()).toMatchObject({ openHolds: { count: 0 }, pendingDeposits: { count: 0 } });
  });

  test("200: a deposit that went back is neither a credit nor a debit", async () => {
    await onCard("bank-deposit", { amount: 500 });
    const { depositId = "" } = await onCard("deposits", { amount: 70 });
    await done("POST /deposits/{depositId}/reverse", { depositId });
    expect(await prove()).toMatchObject({ depositsAndCredits: 500, settledDebits: 0, proven: true });
  });

  test("200: an authorization with increments is one open hold", async () => {
    await onCard("bank-deposit", { amount: 5_000 });
    const { authorizationId = "" } = await onCard("authorizations", { amount: 100 });
    for (const amount of [20, 30]) {
      await done("POST /authorizations/{authorizationId}/increment", { authorizationId }, { amount });
    }
    expect(await prove()).toMatchObject({ openHolds: { count: 1, amount: 150 }, proven: true });
    // Even where they are so far apart that they are read one after the other.
    const filler = () => ({
      PutRequest: {
        Item: {
          ...issuingKey.transaction(program.programId, cardId, newId("transaction")),
          memo: "x".repeat(200_000),
        },
      },
    });
    for (let put = 0; put < 3; put += 1) {
      const requests = [filler(), filler(), filler()];
      await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
    }
    await done("POST /authorizations/{authorizationId}/increment", { authorizationId }, { amount: 7 });
    expect(await prove()).toMatchObject({ openHolds: { count: 1, amount: 157 }, proven: true });
  });

  describe("200: not proven where", () => {
    const isEntry = (kind: string) => (item: Record<string, unknown>) =>
      item.kind === kind && String(item.sk).startsWith("ENTRY#");
    const card = () => issuingKey.card(program.programId, cardId);
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
            { account: `${cardId}:available`, amountMinor: -700 },
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
        async () =>
          overwrite(await keyOf((item) => item.sk === "DEPOSIT" && item.status === 0), { status: 1 }),
      ],
    ];
    test.each(cases)("%s", async (_, expected, breakIt) => {
      await used();
      await breakIt();
      expect(await broken()).toEqual(expected);
    });
  });

  test("200: entries over more pages than one", async () => {
    await used();
    const filler = (index: number) => ({
      ...issuingKey.entry(program.programId, cardId, newId("journalEntry")),
      kind: index % 2 === 0 ? "refund" : "clearing",
      postings: [
        { account: `${cardId}:available`, amountMinor: index % 2 === 0 ? 9 : -9 },
        { account: "network_settlement", amountMinor: index % 2 === 0 ? -9 : 9 },
      ],
      relatedId: newId("transaction"),
      memo: "x".repeat(150_000),
    });
    for (let entry = 0; entry < 14; entry += 2) {
      const requests = [entry, entry + 1].map((index) => ({ PutRequest: { Item: filler(index) } }));
      await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
    }
    expect(await prove()).toMatchObject({ journalEntries: 19, depositsAndCredits: 13_063, proven: true });
  });

  test("200: an account that moves while it is read is read again", async () => {
    await used();
    const send = table.send.bind(table) as (command: unknown) => Promise<unknown>;
    let moves = 2;
    vi.spyOn(table, "send").mockImplementation((async (command: unknown) => {
      const answer = await send(command);
      if (command instanceof QueryCommand && moves > 0) {
        moves -= 1;
        await onCard("force-post", { amount: 1 });
      }
      return answer;
    }) as never);
    expect(await prove()).toMatchObject({ ledgerBalance: 12_278, proven: true });
    expect(moves).toBe(0);
  });

  test("503: an account that never stands still", async () => {
    await used();
    const send = table.send.bind(table) as (command: unknown) => Promise<unknown>;
    vi.spyOn(table, "send").mockImplementation((async (command: unknown) => {
      const answer = await send(command);
      if (command instanceof QueryCommand) await onCard("force-post", { amount: 1 });
      return answer;
    }) as never);
    const { status } = await program.call("GET /cards/{cardId}/balance/proof", { path: { cardId } });
    expect(status).toBe(503);
  });

  test("404: a card of another Program, and none at all", async () => {
    const stranger = await givenProgram();
    const path = { cardId };
    expect((await stranger.call("GET /cards/{cardId}/balance/proof", { path })).status).toBe(404);
    const unknown = { cardId: "crd_unknown" };
    expect((await program.call("GET /cards/{cardId}/balance/proof", { path: unknown })).status).toBe(404);
  });
});

describe("GET /wallets/{walletId}/balance/proof", () => {
  const proveWallet = async (walletId: string) =>
    (await program.call("GET /wallets/{walletId}/balance/proof", { path: { walletId } })).body.data;

  test("200: deposits and transfers in both directions, in figures; a Wallet has no statement of transactions", async () => {
    const { walletId = "" } = await done("POST /wallets", {}, { name: "One" });
    const { walletId: other = "" } = await done("POST /wallets", {}, { name: "Two" });
    const path = { walletId };
    await done("POST /wallets/{walletId}/bank-deposit", path, { amount: 5_000 });
    await done("POST /wallets/{walletId}/deposits", path, { amount: 800 });
    const transfer = { sourceWalletId: walletId, destinationType: 0, destinationId: other, amount: 1_200 };
    await done("POST /wallets/transfer", {}, transfer);
    await done(
      "POST /wallets/transfer",
      {},
      { ...transfer, destinationType: 1, destinationId: cardId, amount: 300 },
    );
    const proof = await proveWallet(walletId);
    expect(proof).toMatchObject({
      walletId,
      journalEntries: 4,
      availableBalance: 3_500,
      ledgerBalance: 4_300,
      depositsAndCredits: 5_800,
      settledDebits: 1_500,
      openHolds: { count: 0, amount: 0 },
      pendingDeposits: { count: 1, amount: 800 },
      proven: true,
    });
    expect(proof.identities.map(({ name }: Identity) => name)).not.toContain("statement");
    expect(await proveWallet(other)).toMatchObject({ ledgerBalance: 1_200, proven: true });
    expect(await broken()).toEqual([]);
    await overwrite(issuingKey.wallet(program.programId, walletId), { availableMinor: 3_499 });
    expect(await proveWallet(walletId)).toMatchObject({ proven: false });
  });

  test("404: no such Wallet", async () => {
    const path = { walletId: "wlt_unknown" };
    expect((await program.call("GET /wallets/{walletId}/balance/proof", { path })).status).toBe(404);
  });
});
