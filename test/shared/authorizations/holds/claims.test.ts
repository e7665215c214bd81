import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import {
  changePosting,
  changeUnread,
  freeMinor,
  giveBack,
  namePosting,
  olderIn,
  type Posting,
  paidMinor,
  roomMinor,
  withOlder,
  worthMinor,
} from "../../../../shared/authorizations/holds/claims.ts";
import { holds } from "../../../../shared/authorizations/holds/hold.ts";
import { environment } from "../../../../shared/platform/environment.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { table } from "../../../../shared/platform/table/client.ts";
import { transact, type WriteAction } from "../../../../shared/platform/table/transact.ts";
import { transactions } from "../../../../shared/transactions/transaction.ts";
import { storedItems } from "../../../harness/stored.ts";

const posted = (fields: Partial<Posting> = {}): Posting => ({
  programId: newId("program"),
  cardId: "crd_1",
  transId: "txn_1",
  amountMinor: 100,
  ...fields,
});

const put = (Item: object) =>
  table.send(new PutCommand({ TableName: environment.issuingTable, Item: Item as Record<string, unknown> }));

/** Stored with these differences, perhaps with its hold. */
async function given(posting: Posting, differences: object = {}, hold?: object): Promise<Posting> {
  const { programId, cardId, transId, authorizationId = "" } = posting;
  await put({ ...transactions.key(programId, cardId, transId), ...posting, ...differences });
  if (hold) await put({ ...holds.key(programId, authorizationId), version: 3, ...hold });
  return posting;
}

/** What failed, if anything did. */
async function write(actions: readonly WriteAction[]): Promise<string[]> {
  const outcome = await transact(actions);
  return outcome.committed ? [] : [...outcome.failedConditions.keys()];
}

async function stored({ programId }: Posting, sk = "TRANSACTION#"): Promise<object | undefined> {
  return (await storedItems(programId)).find((item) => item.sk.startsWith(sk));
}

/** As many postings as a hold names. */
const full = Array.from({ length: 50 }, (_, nth) => `txn_${nth}`);

describe("of a posting of 100", () => {
  it.each<[Partial<Posting>, room: number, free: number, worth: number, paid: number]>([
    [{}, 100, 100, 90, 0],
    [{ claimedMinor: 30 }, 70, 70, 90, 0],
    [{ reversedMinor: 20 }, 80, 80, 80, 0],
    [{ claimedMinor: 80, reversedMinor: 30 }, -10, 0, 70, 0],
    [{ refundedMinor: 25 }, 100, 100, 75, 0],
    [{ refundedMinor: 25, settledMinor: 60 }, 100, 100, 15, 0],
    [{ refundedMinor: 25, settledMinor: 80 }, 100, 100, 0, 0],
    [{ refundedMinor: 70, creditedMinor: 40 }, 100, 100, 30, 30],
    [{ refundedMinor: 90, reversedMinor: 20, creditedMinor: 40 }, 80, 80, 0, 0],
    [{ creditedMinor: 40 }, 100, 100, 90, 40],
  ])("with %j, so much is free, worth a dispute of 90, and paid of its credits", (fields, ...amounts) => {
    const posting = posted(fields);
    expect([roomMinor(posting), freeMinor(posting), worthMinor(posting, 90), paidMinor(posting)]).toEqual(
      amounts,
    );
  });
});

describe("a posting that changes", () => {
  it("adds to its amounts, and says what its credits and the sum of its hold change by", async () => {
    const posting = await given(posted({ isOlder: true, claimedMinor: 10, creditedMinor: 60 }));
    const { writes, ...change } = changePosting(posting, { refundedMinor: 70, claimedMinor: 5 });
    expect(change).toEqual({ creditMinor: -30, olderMinor: -5 });
    expect(await write(writes)).toEqual([]);
    expect(await stored(posting)).toMatchObject({ refundedMinor: 70, claimedMinor: 15, creditedMinor: 60 });
    expect(changePosting({ ...posting, isOlder: undefined }, { claimedMinor: 5 }).olderMinor).toBe(0);
    expect(changePosting(posted(), { creditedMinor: 20, claimedMinor: 0 })).toMatchObject({
      creditMinor: 20,
    });
  });

  it("is not written where nothing changes", () => {
    const nothing = { writes: [], creditMinor: 0, olderMinor: 0 };
    expect(changePosting(posted(), { claimedMinor: 0, refundedMinor: undefined })).toEqual(nothing);
  });

  it.each([
    { claimedMinor: 1 },
    { refundedMinor: 1 },
    { settledMinor: 1 },
    { creditedMinor: 1 },
    { reversedMinor: 1 },
    { isOlder: true },
  ])("fails if another event has changed %j of it meanwhile, or it is gone", async (changed) => {
    const oldest = posted({ transId: "txn_0" });
    for (const read of [await given(oldest, changed), { ...oldest, programId: newId("program") }]) {
      expect(await write(changePosting(read, { claimedMinor: 2 }).writes)).toEqual(["original"]);
      expect(await write(namePosting(full, "txn_new", [read]).writes)).toEqual(["original"]);
    }
  });

  it("changes the sum of the hold that names it no more; a dispute must fit into that", async () => {
    const of = (olderMinor: number) =>
      given(posted({ isOlder: true, authorizationId: "A" }), {}, { olderMinor });
    const claim = (posting: Posting, claimedMinor: number, isDisputed?: boolean) =>
      write(withOlder(posting, changePosting(posting, { claimedMinor }), isDisputed));
    const hold = await of(10);
    expect(await claim(hold, 10, true)).toEqual([]);
    expect(await stored(hold, "HOLD")).toMatchObject({ olderMinor: 0, version: 4 });
    expect(await claim(await of(10), 11, true)).toEqual(["older"]);
    const refunded = await of(10);
    expect(await claim(refunded, 11)).toEqual([]);
    expect(await stored(refunded, "HOLD")).toMatchObject({ olderMinor: -1 });
    const taken = await given(posted({ isOlder: true, authorizationId: "A", claimedMinor: 9 }), {}, {});
    expect(await claim(taken, -9, true)).toEqual([]);
    const gone = await given(posted({ isOlder: true, authorizationId: "A" }));
    expect(await claim(gone, 1)).toEqual(["older"]);
    for (const one of [{ authorizationId: "A" }, { isOlder: true }])
      expect(await claim(await given(posted(one)), 1, true)).toEqual([]);
  });

  it("is changed unread only where nothing else depends on it", async () => {
    const add = (posting: Posting) => write([changeUnread(posting, { claimedMinor: 7 })]);
    const alone = await given(posted(), { claimedMinor: 3 });
    expect(await add(alone)).toEqual([]);
    expect(await stored(alone)).toMatchObject({ claimedMinor: 10 });
    expect(await add(await given(posted(), { creditedMinor: 1 }))).toEqual(["claimed"]);
    expect(await add(await given(posted(), { isOlder: true }))).toEqual(["claimed"]);
    expect(await add(posted())).toEqual(["claimed"]);
  });
});

describe("an amount that is given back", () => {
  const [first, second, older] = [
    posted({ transId: "txn_1", amountMinor: 10 }),
    posted({ transId: "txn_2", amountMinor: 10, claimedMinor: 4 }),
    posted({ transId: "txn_0", amountMinor: 10, isOlder: true }),
  ];
  const given = (amountMinor: number, olderMinor?: number) => {
    const found = giveBack([older, first, second], olderMinor, amountMinor);
    return found && [found.parts.map((part) => `${part.transId} ${part.amountMinor}`), found.olderMinor];
  };

  it("is of the newest postings first, then of the older ones, and of nothing that is claimed", () => {
    expect(given(6)).toEqual([["txn_2 6"], 0]);
    expect(given(16)).toEqual([["txn_2 6", "txn_1 10"], 0]);
    expect(given(21, 5)).toEqual([["txn_2 6", "txn_1 10"], 5]);
    expect(given(22, 5)).toBeUndefined();
    expect(given(17)).toBeUndefined();
    expect(given(16, -1)).toEqual([["txn_2 6", "txn_1 10"], 0]);
    expect(giveBack([first, second], 0, 6)?.writes).toHaveLength(1);
  });

  it("changes a hold's sum only where it has a part of it", () => {
    expect([olderIn({}, 0), olderIn({ olderMinor: 5 }, -5), olderIn({}, 3)]).toEqual([
      {},
      { olderMinor: 0 },
      { olderMinor: 3 },
    ]);
  });
});

describe("a hold that names its postings", () => {
  it("names fifty", () => {
    const named = full.slice(0, 49);
    const read = [posted({ transId: "txn_0" })];
    expect(namePosting(named, "txn_new", read)).toEqual({
      named: [...named, "txn_new"],
      olderMinor: 0,
      writes: [],
    });
  });

  it("has a sum of what is free of the older ones, each of which says so", async () => {
    const oldest = await given(posted({ transId: "txn_0", claimedMinor: 30 }));
    const { writes, ...named } = namePosting(full, "txn_new", [posted({ transId: "txn_1" }), oldest]);
    expect(named).toEqual({ named: [...full.slice(1), "txn_new"], olderMinor: 70 });
    expect(await write(writes)).toEqual([]);
    expect(await stored(oldest)).toMatchObject({ isOlder: true });
  });

  it.each<[string, Posting[]]>([
    ["is in that already", [posted({ transId: "txn_0", isOlder: true })]],
    ["is not known", [posted({ transId: "txn_7" })]],
  ])("adds nothing of the oldest if it %s", (_, read) => {
    const named = [...full.slice(1), "txn_new"];
    expect(namePosting(full, "txn_new", read)).toEqual({ named, olderMinor: 0, writes: [] });
  });
});
