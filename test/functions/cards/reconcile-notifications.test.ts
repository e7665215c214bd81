import { beforeAll, describe, expect, it } from "vitest";
import type { NotificationEnvelope, SettlementOriginal } from "../../../shared/contract/notifications.ts";
import { readNotification } from "../../../shared/notifications/stored-notification.ts";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";

interface Line {
  readonly id: string;
  readonly cardId: string;
  readonly transType: number;
  readonly type: string;
  readonly amount: number;
}

/** Every notification of the Program, with its decoded payload. */
async function readBodies(program: GivenProgram) {
  const { items } = (await program.call("GET /webhooks/events", { query: { limit: "200" } })).body;
  return Promise.all(
    (items as { transIdSc: string }[]).map(async ({ transIdSc }) => {
      const stored = await readNotification(program.programId, transIdSc);
      const envelope = JSON.parse(stored?.body ?? "") as NotificationEnvelope;
      const { OriginalDataFromSp } = JSON.parse(envelope.SpData);
      return { envelope, original: JSON.parse(OriginalDataFromSp) as SettlementOriginal };
    }),
  );
}

/** Every kind of posting that a Card can have, on three Cards, of which two are closed. */
async function givenEveryPosting() {
  const program = await givenProgram();
  const walletId = await givenWallet(program);
  const cardIds: string[] = [];
  for (let card = 0; card < 3; card += 1) cardIds.push((await givenCard(program)).cardId);
  const [cardId = "", swept = "", indebted = ""] = cardIds;
  const post = async (route: string, path: object, body: object = {}) => {
    const answer = await program.call(`POST ${route}` as never, { path, body } as never);
    expect(answer.status, `${route}: ${JSON.stringify(answer.body)}`).toBe(200);
    return answer.body.data;
  };
  const on = (route: string, body: object, id = cardId) =>
    post(`/cards/{cardId}/${route}`, { cardId: id }, body);
  await post("/wallets/{walletId}/bank-deposit", { walletId }, { amount: 100_000 });
  const load = (amount: number, destinationId: string) =>
    post("/wallets/transfer", {}, { sourceWalletId: walletId, destinationType: 1, destinationId, amount });
  await load(20_000, cardId);
  await load(5_000, swept);
  await on("bank-deposit", { amount: 3_000 });
  const { depositId } = await on("deposits", { amount: 700, pending: false });
  await post("/deposits/{depositId}/return", { depositId });
  const { authorizationId } = await on("authorizations", { amount: 900 });
  await post("/authorizations/{authorizationId}/clear", { authorizationId }, { amount: 950 });
  await on("force-post", { amount: 1_200, srcAmount: 1_000, srcCurrency: "978" });
  const { transId } = await on("refunds", { amount: 300 });
  await post("/cards/{cardId}/refunds/{transId}/reverse", { cardId, transId });
  await on("atm-withdrawals", { amount: 2_000, feeAmount: 250 });
  await on("atm-withdrawals", { amount: 1_000, feeAmount: 0 });
  const { feeId } = await on("fees", { feeType: 5, amount: 99 });
  await post("/cards/{cardId}/fees/{feeId}/reverse", { cardId, feeId });
  await on("fees", { feeType: 5, amount: 45 });
  for (const status of [2, 3]) {
    const disputed = await on("force-post", { amount: 400 });
    const { chargebackId } = await on("chargebacks", { transId: disputed.transId });
    await post("/chargebacks/{chargebackId}/outcome", { chargebackId }, { status });
  }
  await on("unload", { walletId, amount: 1_500 });
  await on("close", { sweepToWalletId: walletId }, swept);
  await on("force-post", { amount: 650 }, indebted);
  await on("close", {}, indebted);
  return { program, cardIds, swept, indebted };
}

describe("ACTTXN and the lists of transactions and fees", () => {
  let given: Awaited<ReturnType<typeof givenEveryPosting>>;
  let listed: Line[];
  let notified: (Line & { balance: number; group: string; result: number })[];

  beforeAll(async () => {
    given = await givenEveryPosting();
    const { call } = given.program;
    const query = { limit: "200" };
    const transactions = (await call("GET /cards/transactions", { query })).body.items as Line[];
    const fees = (await call("GET /cards/fees", { query })).body.items as Line[];
    listed = [
      ...transactions.map((line) => ({
        ...line,
        id: (line as never as { referenceCode: string }).referenceCode,
      })),
      ...fees.map((fee) => ({
        ...fee,
        id: (fee as never as { feeId: string }).feeId,
        transType: 15,
        type: "DR",
      })),
    ].filter(({ amount }) => amount > 0);
    const bodies = await readBodies(given.program);
    notified = bodies
      .filter(({ envelope }) => envelope.TransAmount > 0 && [3, 12, 13].includes(envelope.TransResult))
      .map(({ envelope, original: { payload } }) => ({
        id: payload.referenceCode ?? (payload as never as { depositId: string }).depositId,
        cardId: envelope.CardId,
        transType: envelope.TransType,
        type: payload.type ?? (envelope.TransResult === 12 ? "CR" : "DR"),
        amount: envelope.TransAmount,
        balance: payload.balance,
        group: payload.txnGroup,
        result: envelope.TransResult,
      }));
  });

  const keyOf = ({ cardId, transType, type, amount, id }: Line) =>
    [cardId, transType, type, amount, id].join(" ");

  it("are the same: each posting has one ACTTXN, and each deposit that moved money its own notification", () => {
    const moved = listed.filter(({ transType }) => transType !== 1);
    // What a dispute says without moving money is listed, and is no posting.
    const posted = moved.filter(({ transType }) => ![4, 5, 9, 10].includes(transType));
    expect(notified.map(keyOf).toSorted()).toEqual(posted.map(keyOf).toSorted());
    const types = new Set(posted.map(({ transType }) => transType));
    for (const type of [3, 15, 17, 18, 26, 36, 54, 64, 80, 84, 88]) expect(types).toContain(type);
  });

  it("add up to the ledger balance of each Card", async () => {
    for (const cardId of given.cardIds) {
      const own = notified.filter((one) => one.cardId === cardId);
      const sum = own.reduce((total, { type, amount }) => total + (type === "CR" ? amount : -amount), 0);
      const { ledgerBalance } = (
        await given.program.call("GET /cards/{cardId}/balance", { path: { cardId } })
      ).body.data;
      expect(sum).toBe(ledgerBalance);
    }
  });

  it("are PAYMENT for what the Program moves itself, with the balance after it", () => {
    const own = notified.filter(({ group }) => group === "PAYMENT");
    const facts = ({ cardId, transType, type, amount, balance }: (typeof own)[number]) => ({
      card: given.cardIds.indexOf(cardId),
      ...{ transType, type, amount, balance },
    });
    expect(
      own
        .map(facts)
        .toSorted((left, right) => left.amount - right.amount || left.transType - right.transType),
    ).toEqual([
      { card: 2, transType: 64, type: "CR", amount: 650, balance: 0 },
      { card: 0, transType: 88, type: "DR", amount: 1_500, balance: expect.any(Number) },
      { card: 1, transType: 80, type: "CR", amount: 5_000, balance: 50 },
      { card: 1, transType: 88, type: "DR", amount: 5_000, balance: 0 },
      { card: 0, transType: 80, type: "CR", amount: 20_000, balance: 200 },
    ]);
    const last = own.find(({ amount }) => amount === 1_500);
    const sum = notified
      .filter(({ cardId }) => cardId === given.cardIds[0])
      .reduce((total, { type, amount }) => total + (type === "CR" ? amount : -amount), 0);
    expect(Math.round((last?.balance ?? 0) * 100)).toBe(sum);
  });
});
