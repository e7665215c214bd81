import { describe, expect, it } from "vitest";
import {
  findStatus,
  isAuthorization,
  toAdded,
  toListed,
  toSums,
  withHistory,
} from "../../../../shared/authorizations/holds/history.ts";
import { type Hold, holds } from "../../../../shared/authorizations/holds/hold.ts";
import { closeHold, emptyHold, increaseHold } from "../../../../shared/authorizations/holds/hold-rules.ts";
import {
  changedAt,
  countEvents,
  isNear,
  lastTime,
  readEvents,
} from "../../../../shared/authorizations/holds/named-events.ts";
import { Currency, TransactionStatus, TransactionType } from "../../../../shared/contract/enums.ts";
import { earliestId, idTime, newId } from "../../../../shared/platform/id.ts";
import { isNew } from "../../../../shared/platform/table/condition.ts";
import { transact, type WriteAction } from "../../../../shared/platform/table/transact.ts";
import { type Transaction, transactions } from "../../../../shared/transactions/transaction.ts";

const begunMs = Date.UTC(2026, 10, 1);
const timeAt = (ms: number) => new Date(begunMs + ms).toISOString();
const idAt = (ms: number) => earliestId("transaction", new Date(begunMs + ms)).padEnd(30, "0");
const card = { programId: "prg_1", cardId: "crd_1", cardholderId: "chd_1", currency: Currency.usd };
const empty = emptyHold(card, "A", timeAt(0));
const open = { ...increaseHold(empty, 100), version: 1 };

const transaction = (fields: Partial<Transaction>): Transaction => ({
  ...card,
  transId: idAt(0),
  transType: TransactionType.authorization,
  transStatus: TransactionStatus.pending,
  type: "DR",
  amountMinor: 100,
  referenceCode: "",
  description: "",
  transDate: timeAt(0),
  createdAt: timeAt(0),
  authorizationId: "A",
  ...fields,
});

const sums = (hold: Partial<Hold>) => {
  const { requestedMinor, authorizedMinor, releasedMinor, clearedMinor, refundedMinor } = toSums({
    ...open,
    ...hold,
  });
  return [requestedMinor, authorizedMinor, releasedMinor, clearedMinor, refundedMinor];
};

describe("what is shown of an authorization", () => {
  it.each<[Partial<Hold>, number[]]>([
    [{}, [100, 100, 0, 0, 0]],
    [{ releasedMinor: 30 }, [100, 100, 30, 0, 0]],
    [{ clearedMinor: 40, releasedMinor: 40 }, [100, 100, 0, 40, 0]],
    [{ clearedMinor: 40, closedBy: "cleared" }, [100, 100, 60, 40, 0]],
    [{ clearedMinor: 140, closedBy: "cleared" }, [100, 100, 0, 140, 0]],
    [{ clearedMinor: 90, refundedMinor: 50, undoneMinor: -20, closedBy: "cleared" }, [100, 100, 10, 90, 30]],
    [{ shown: { requestedMinor: 150 } }, [150, 100, 0, 0, 0]],
    [{ shown: { authorizedMinor: 120 } }, [120, 120, 20, 0, 0]],
    [{ shown: { authorizedMinor: 120, releasedMinor: 50 } }, [120, 120, 50, 0, 0]],
  ])("follows from its amounts, unless it is kept: %j", (hold, expected) => {
    expect(sums(hold)).toEqual(expected);
  });

  it.each<[Partial<Hold>, string]>([
    [{}, "pending"],
    [{ clearedMinor: 1 }, "pending"],
    [{ closedBy: "cleared", clearedMinor: 1 }, "cleared"],
    [{ closedBy: "expired", clearedMinor: 1 }, "cleared"],
    [{ closedBy: "expired" }, "expired"],
    [{ closedBy: "reversed" }, "reversed"],
    [{ closedBy: "declined" }, "declined"],
    [
      { closedBy: "reversed", authorizedMinor: 0, decline: { amountMinor: 5, reason: "CARD_CLOSED" } },
      "declined",
    ],
    [{ closedBy: "reversed", decline: { amountMinor: 5, reason: "CARD_CLOSED" } }, "reversed"],
  ])("has the status of what ended it: %j", (hold, status) => {
    expect(findStatus({ ...open, ...hold })).toBe(status);
  });

  it("is in the list of authorizations from its first event on, unless it is cash", () => {
    const merchant = { mcc: "5411", merchantCountry: "CH", merchantId: "M1", merchantName: "Shop" };
    const place = { ...merchant, merchantCity: "Chur" };
    expect(
      toListed({ ...open, merchant: place, clearedMinor: 3, shown: { requestedMinor: 150 } }),
    ).toMatchObject({ entityId: "A", status: "pending", requestedMinor: 150, clearedMinor: 3, ...merchant });
    expect(toListed({ ...open, version: 0 })).toBeUndefined();
    const withdrawal = { transId: "txn_1", amountMinor: 1, disputable: [] };
    for (const cash of [{ withdrawal }, { isCash: true }]) {
      expect(isAuthorization({ ...open, ...cash })).toBe(false);
      expect(toListed({ ...open, ...cash })).toBeUndefined();
    }
  });
});

describe("a transaction adds to its authorization", () => {
  const { authorization, authorization_advice, authorization_incremental, authorization_standin } =
    TransactionType;
  const { authorization_clearing, authorization_reversal, authorizationexpiry, refund } = TransactionType;
  const gaveBack = { authorizationId: "A", parts: [] };

  it.each<[Partial<Transaction>, number[]]>([
    [{ transType: authorization }, [100, 0, 0, 0]],
    [{ transType: authorization_advice }, [100, 0, 0, 0]],
    [{ transType: authorization_incremental }, [100, 0, 0, 0]],
    [{ transType: authorization_standin }, [100, 0, 0, 0]],
    [{ transStatus: TransactionStatus.declined }, [0, 0, 0, 0]],
    [{ transType: authorization_reversal }, [0, 100, 0, 0]],
    [{ transType: authorizationexpiry }, [0, 100, 0, 0]],
    [{ transType: refund, gaveBack }, [0, 0, 0, 100]],
    [{ transType: authorization_clearing, releasedMinor: 130, event: { kind: "clearing" } }, [0, 0, 100, 0]],
    [
      { transType: authorization_clearing, releasedMinor: 130, event: { kind: "clearing", final: true } },
      [0, 30, 100, 0],
    ],
    [
      { transType: authorization_clearing, releasedMinor: 70, event: { kind: "clearing", final: true } },
      [0, 0, 100, 0],
    ],
    [{ transType: authorization_clearing, event: { kind: "clearing", final: true } }, [0, 0, 100, 0]],
  ])("what its type and amounts say: %j", (fields, expected) => {
    const { authorizedMinor, releasedMinor, clearedMinor, refundedMinor } = toAdded(transaction(fields));
    expect([authorizedMinor, releasedMinor, clearedMinor, refundedMinor]).toEqual(expected);
  });

  it.each([
    { transType: authorization },
    { transType: authorization_clearing },
    { transType: authorization_reversal },
    { transType: refund, gaveBack },
    { transStatus: TransactionStatus.declined },
  ])("or what it says itself: %j", (fields) => {
    const added = { authorizedMinor: 7, releasedMinor: 3 };
    expect(toAdded(transaction({ ...fields, added }))).toMatchObject(added);
  });
});

interface Happened {
  readonly kind?: string;
  readonly amount?: number;
  readonly transaction?: Transaction;
  readonly question?: object;
  readonly sent?: object;
}

/** The hold that is written for an event, what its transaction has, and the lists that change. */
function happened(
  before: Hold | undefined,
  after: Hold,
  { kind = "authorization", ...given }: Happened = {},
) {
  const { amount, transaction: recorded, question, sent } = given;
  const put = { TableName: "issuing", Item: { ...holds.key("prg_1", "A"), ...after } };
  const other = { name: "other", Put: { TableName: "issuing", Item: { pk: "1", sk: "1" } } };
  const alongside = [{ ...other, name: "sum" }];
  const plan = {
    writes: [other, { name: "hold", Put: put, alongside }] as WriteAction[],
    ...(recorded && { transaction: recorded }),
    ...(question && { question }),
  };
  const event = { kind, ...(amount !== undefined && { amount }), ...sent };
  const made = withHistory(plan, { event, hold: before });
  const [first, write] = made.writes;
  if (!write || !("Put" in write)) throw new Error("No hold was written.");
  expect(first).toBe(other);
  expect(write.alongside?.[0]).toBe(alongside[0]);
  return {
    hold: write.Put.Item as unknown as Hold,
    transaction: made.transaction,
    lists: (write.alongside ?? []).slice(1),
  };
}

describe("a hold, after an event", () => {
  it("stays as it is where none is written", () => {
    const plan = { writes: [{ name: "account", Put: { TableName: "issuing", Item: {} } }] };
    expect(withHistory(plan, { event: { kind: "clearing" } })).toBe(plan);
    const check = { writes: [{ name: "hold", ConditionCheck: {} as never }] };
    expect(withHistory(check, { event: { kind: "clearing" } })).toBe(check);
    const noWrites = {};
    expect(withHistory(noWrites, { event: { kind: "clearing" } })).toBe(noWrites);
  });

  it("finds the first transaction by its time, and names it where that is not near", () => {
    const near = happened(undefined, open, { amount: 100, transaction: transaction({ transId: idAt(999) }) });
    expect(near.hold).toMatchObject({ namesFirst: undefined, events: undefined });
    expect(near.hold).not.toHaveProperty("earlierEvents");
    const far = happened(undefined, open, {
      amount: 100,
      transaction: transaction({ transId: idAt(1_000) }),
    });
    expect(far.hold).toMatchObject({ namesFirst: true, events: [idAt(1_000)] });
    const posted = { ...open, disputable: [idAt(0)] };
    expect(happened(undefined, posted, { transaction: transaction({}) }).hold).toMatchObject({
      namesFirst: true,
      events: undefined,
    });
    expect(happened(undefined, open).hold).toMatchObject({ namesFirst: true });
    expect(happened(open, open).hold).not.toHaveProperty("namesFirst");
  });

  it("names each of its transactions once, and twenty-four at the most: a later one names the others", () => {
    const named = Array.from({ length: 24 }, (_, nth) => idAt(2_000 + nth));
    const [first = "", ...others] = named;
    const before = { ...open, events: others, disputable: [idAt(9_000)], earlierEvents: 5 };
    const full = happened(before, before, { transaction: transaction({ transId: first }) });
    expect(full.hold).toMatchObject({ events: [...others, first], earlierEvents: 5 });
    expect(full.transaction).not.toHaveProperty("earlierEvents");
    const again = happened(full.hold, full.hold, { transaction: transaction({ transId: first }) });
    expect(again.hold.events).toEqual([...others, first]);
    const transId = idAt(8_000);
    const more = happened(full.hold, full.hold, { transaction: transaction({ transId }) });
    expect(more.hold).toMatchObject({ events: [transId], earlierEvents: 29, disputable: [idAt(9_000)] });
    expect(more.transaction).toMatchObject({ earlierEvents: [...others, first] });
    expect(countEvents(more.hold)).toBe(countEvents(full.hold) + 1);
    const settled = { ...full.hold, disputable: [idAt(9_000), transId] };
    const kept = happened(full.hold, settled, { transaction: transaction({ transId }) });
    expect(kept.hold).toMatchObject({ events: [...others, first], earlierEvents: 5 });
  });

  it("knows when its last event was, also where that is not the time of its id", () => {
    const of = (ms: number) =>
      happened(open, open, { transaction: transaction({ transId: idAt(5_000), createdAt: timeAt(ms) }) })
        .hold;
    expect([of(5_000).late, of(5_003).late]).toEqual([undefined, 3]);
    expect(changedAt(of(5_003))).toBe(timeAt(5_003));
    expect(changedAt(open)).toBe(open.createdAt);
  });

  it("shows what was asked for, what it added, and what an event took away that was there no more", () => {
    const asked = happened(undefined, open, { amount: 150, transaction: transaction({}) });
    expect(asked.hold.shown).toEqual({ requestedMinor: 150 });
    expect(happened(undefined, open, { amount: 100 }).hold.shown).toBeUndefined();
    expect(
      happened(undefined, open, { kind: "authorization_advice", amount: 150 }).hold.shown,
    ).toBeUndefined();
    const increased = { ...increaseHold(asked.hold, 20), version: 2 };
    const increment = { kind: "authorization_incremental", amount: 30 };
    expect(happened(asked.hold, increased, increment).hold.shown).toEqual({ requestedMinor: 180 });
    expect(happened(open, { ...open, version: 2 }, { kind: "authorization", amount: 9 }).hold.shown).toEqual({
      requestedMinor: 109,
    });
  });

  it("shows of a total what it adds to, or releases of, what was authorized", () => {
    const totals = (amountMinor: number) => ({ set: { amountMinor, at: timeAt(1) }, limits: [] });
    const advice = { kind: "authorization_advice" };
    const record = {
      ...advice,
      transaction: transaction({ transType: TransactionType.authorization_advice }),
    };
    const lower = { ...open, authorizedMinor: 40, totals: totals(40) };
    const released = happened(open, lower, record);
    expect(toSums(released.hold)).toMatchObject({ authorizedMinor: 100, releasedMinor: 60 });
    expect(released.transaction?.added).toEqual({ authorizedMinor: 0, releasedMinor: 60 });
    const higher = { ...open, authorizedMinor: 150, totals: totals(150) };
    const added = happened(open, higher, record);
    expect(toSums(added.hold)).toMatchObject({ authorizedMinor: 150, releasedMinor: 0 });
    expect(added.transaction?.added).toEqual({ authorizedMinor: 50, releasedMinor: 0 });
    const usual = transaction({ transType: TransactionType.authorization_advice, amountMinor: 50 });
    expect(happened(open, higher, { ...advice, transaction: usual }).transaction).not.toHaveProperty("added");
    const closed = { ...higher, closedBy: "cleared", clearedMinor: 100 } as const;
    expect(
      toSums(happened({ ...open, closedBy: "cleared", clearedMinor: 100 }, closed, record).hold),
    ).toMatchObject({ authorizedMinor: 100, releasedMinor: 0, clearedMinor: 100 });
  });

  it("shows of settlements and their reversals what they moved, and released with it", () => {
    const clearing = transaction({ transType: TransactionType.authorization_clearing, amountMinor: 70 });
    const cleared = closeHold({ ...open, clearedMinor: 70 }, "cleared");
    const after = happened(open, cleared, { kind: "clearing", transaction: clearing });
    expect(toSums(after.hold)).toMatchObject({ authorizedMinor: 100, releasedMinor: 30, clearedMinor: 70 });
    expect(after.transaction?.added).toEqual({ authorizedMinor: 0, releasedMinor: 30 });
    const returned = { ...after.hold, refundedMinor: 25 };
    const refund = transaction({ transType: TransactionType.refund, amountMinor: 25 });
    const gaveBack = { ...refund, gaveBack: { authorizationId: "A", parts: [] } };
    const refunded = happened(after.hold, returned, {
      kind: "authorization_reversal",
      transaction: gaveBack,
    });
    expect(toSums(refunded.hold)).toMatchObject({ releasedMinor: 30, clearedMinor: 70, refundedMinor: 25 });
    expect(refunded.transaction).not.toHaveProperty("added");
    const again = { ...refunded.hold, clearedMinor: 90, refundedMinor: 40 };
    const more = happened(refunded.hold, again, { kind: "clearing", transaction: clearing });
    expect(toSums(more.hold)).toMatchObject({ authorizedMinor: 100, releasedMinor: 30, clearedMinor: 90 });
    expect(more.transaction?.added).toBeUndefined();
  });

  it("shows settlements in parts, and an authorization after its reversal, as what they are", () => {
    const first = { ...open, clearedMinor: 20, releasedMinor: 20 };
    const second = { ...open, clearedMinor: 50, releasedMinor: 50 };
    const clearing = happened(first, second, { kind: "clearing" });
    expect(toSums(clearing.hold)).toMatchObject({ authorizedMinor: 100, releasedMinor: 0, clearedMinor: 50 });
    const reversed = { ...empty, version: 1, releasedMinor: 30 };
    const late = happened(reversed, increaseHold(reversed, 20), { amount: 20 });
    expect(toSums(late.hold)).toMatchObject({ requestedMinor: 20, authorizedMinor: 20, releasedMinor: 20 });
  });

  it("shows no more as authorized or released where more is settled than was held", () => {
    const cleared = closeHold({ ...open, clearedMinor: 140 }, "cleared");
    expect(toSums(happened(open, cleared, { kind: "clearing" }).hold)).toMatchObject({
      authorizedMinor: 100,
      releasedMinor: 0,
      clearedMinor: 140,
    });
    const reversed = { ...open, releasedMinor: 50 };
    const above = closeHold({ ...reversed, clearedMinor: 80 }, "cleared");
    expect(toSums(happened(reversed, above, { kind: "clearing" }).hold)).toMatchObject({
      authorizedMinor: 100,
      releasedMinor: 50,
      clearedMinor: 80,
    });
  });

  it("has how the card was presented, from its authorization or the advice in its place", () => {
    const sent = { tokenId: "tok_1", entryMode: "chip" };
    const presentedBy = (kind: string, before?: Hold) => happened(before, open, { kind, sent }).hold.tokenId;
    expect(presentedBy("authorization")).toBe("tok_1");
    expect(presentedBy("authorization", open)).toBe("tok_1");
    expect(presentedBy("authorization_advice")).toBe("tok_1");
    expect(presentedBy("authorization_advice", open)).toBeUndefined();
    expect(presentedBy("clearing")).toBeUndefined();
  });

  it("has how it was decided, and the entry while it is asked about", () => {
    const sent = { entryMode: "chip" };
    const entryOf = (given: Happened) => happened(undefined, open, { sent, ...given }).hold.entryMode;
    expect(entryOf({ question: {} })).toBe("chip");
    expect(entryOf({ question: {}, kind: "authorization_incremental" })).toBeUndefined();
    expect(entryOf({})).toBeUndefined();
    const why = { declineReason: "CONTROL_DECLINED", controlId: "ctl_1", decidedBy: "platform" } as const;
    const event = { kind: "authorization", entryMode: "chip" } as const;
    const declined = transaction({ ...why, refusal: { by: "cash" }, event });
    const decline = {
      amountMinor: 100,
      reason: "CONTROL_DECLINED",
      controlId: "ctl_1",
      refusal: { by: "cash" },
    };
    const hold = closeHold({ ...empty, version: 1 }, "declined");
    const after = happened(undefined, hold, { transaction: declined }).hold;
    expect(after).toMatchObject({ entryMode: "chip", decidedBy: "platform", decline });
    const late = happened(
      { ...open, closedBy: "expired" },
      { ...open, closedBy: "expired" },
      { transaction: declined },
    );
    expect(late.hold).not.toHaveProperty("decline");
    const increment = transaction({ ...why, event: { kind: "authorization_incremental" } });
    expect(happened(open, open, { transaction: increment }).hold).not.toHaveProperty("decidedBy");
    expect(happened(open, open, { transaction: transaction({ event }) }).hold).not.toHaveProperty("decline");
  });

  it("is cash while a withdrawal is asked about or declined, until one is posted or advised", () => {
    const withdrawal = { transId: "txn_1", amountMinor: 1, disputable: [] };
    const cash = happened(undefined, open, { kind: "atm_withdrawal", transaction: transaction({}) });
    expect([cash.hold.isCash, cash.hold.shown, cash.lists]).toEqual([true, undefined, []]);
    expect(cash.transaction).not.toHaveProperty("added");
    const later = { ...cash.hold, version: 2 };
    expect(happened(cash.hold, later, { kind: "authorization_reversal" }).hold.isCash).toBe(true);
    expect(happened(cash.hold, later, { kind: "authorization_advice" }).hold.isCash).toBeUndefined();
    expect(
      happened(cash.hold, { ...later, withdrawal }, { kind: "atm_withdrawal" }).hold.isCash,
    ).toBeUndefined();
    expect(happened(open, later, { kind: "clearing" }).hold.isCash).toBeUndefined();
  });

  it("changes the list of authorizations where what that shows of it changes", () => {
    expect(happened(undefined, open).lists).toHaveLength(1);
    expect(happened(open, { ...open, version: 2 }, { kind: "clearing" }).lists).toEqual([]);
    const closed = closeHold({ ...open, version: 2 }, "reversed");
    const [change] = happened(open, closed, { kind: "authorization_reversal" }).lists;
    const { entries } = (change as unknown as { Put: { Item: { entries: string[] } } }).Put.Item;
    expect(entries).toHaveLength(2);
    expect(JSON.stringify(entries)).toContain("reversed");
  });
});

describe("the transactions of an authorization", () => {
  it.each<[Partial<Hold>, number]>([
    [{ version: 0 }, 0],
    [{}, 1],
    [{ namesFirst: true }, 0],
    [{ events: ["a", "b"], disputable: ["c"], earlierEvents: 4 }, 8],
  ])("are counted by the names that its hold has: %j", (hold, count) => {
    expect(countEvents({ ...open, ...hold })).toBe(count);
  });

  it("are near the authorization within a second after it", () => {
    expect([-1, 0, 999, 1_000].map((ms) => isNear(idAt(ms), open))).toEqual([false, true, true, false]);
    const hold = { ...open, events: [idAt(7_000), idAt(2_000)], disputable: [idAt(3_000)] };
    expect(lastTime(hold)).toBe(begunMs + 7_000);
    expect(lastTime(open)).toBe(begunMs);
  });

  it("are read by these names, and the ones that they name, oldest first", async () => {
    const programId = newId("program");
    const stored = async (ms: number, fields: Partial<Transaction> = {}) => {
      const one = transaction({ programId, transId: idAt(ms), createdAt: timeAt(ms), ...fields });
      await transact([transactions.at(programId, card.cardId, one.transId).put(one, isNew)]);
      return one.transId;
    };
    const first = await stored(10);
    const gaveBack = await stored(20, {
      authorizationId: undefined,
      gaveBack: { authorizationId: "A", parts: [] },
    });
    await stored(30, { authorizationId: "B" });
    await stored(40, { authorizationId: undefined });
    await stored(1_001);
    const oldest = await stored(2_000);
    const older = await stored(3_000, { earlierEvents: [oldest] });
    const newer = await stored(4_000, { earlierEvents: [older] });
    const settled = await stored(2_500, { transType: TransactionType.authorization_clearing });
    const hold = { ...open, programId, events: [newer], disputable: [settled] };
    const read = async (of: Hold, newest?: number) =>
      (await readEvents(of, newest)).map(({ transId }) => transId);
    expect(await read(hold)).toEqual([first, gaveBack, oldest, settled, older, newer]);
    expect(await read({ ...hold, namesFirst: true })).toEqual([oldest, settled, older, newer]);
    expect(await read({ ...hold, namesFirst: true }, 1)).toEqual([settled, newer]);
    expect(await read({ ...hold, namesFirst: true }, 2)).toEqual([settled, older, newer]);
    expect(idTime(first).getTime()).toBe(begunMs + 10);
  });
});
