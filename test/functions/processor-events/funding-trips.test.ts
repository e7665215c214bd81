import { describe, expect, it } from "vitest";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import { accounts } from "../../../shared/ledger/account.ts";
import { getHotWallet } from "../../../shared/ledger/hot/known-wallets.ts";
import { walletShards } from "../../../shared/ledger/hot/shards.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { pause, timestamp } from "../../../shared/platform/clock.ts";
import { measure } from "../../harness/measure.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const limits = ["none", "day", "PT1H", "lifetime", "authorization"] as const;

interface Given {
  readonly window: (typeof limits)[number];
  readonly isContended: boolean;
  readonly limitMinor?: number;
}

const kinds = limits.flatMap((window) =>
  [false, true].map((isContended): Given => ({ window, isContended })),
);

async function givenCard({ window, isContended, limitMinor = 1_000 }: Given) {
  const given = await givenFundedCards(100_000, 2);
  const { programId, walletId, cardIds, setCard, send } = given;
  const [other = "", cardId = ""] = cardIds;
  const settings = { timeZone: "Europe/Berlin" };
  await given.setProgram(settings);
  if (window !== "none")
    await setCard(limitFields(newLimit({ amount: limitMinor, window }, timestamp(), settings)), cardId);
  if (isContended) await splitWallet(programId, { kind: "wallet", accountId: walletId }, 0);
  // The process knows the Program and the Wallet: none of both is the Card's.
  await send({ kind: "authorization", authorizationId: "other", amount: 1, cardId: other });
  let count = 0;
  const authorize = async (amount: number, id = cardId) => {
    count += 1;
    const event = { kind: "authorization", authorizationId: `A${count}`, amount, cardId: id } as const;
    const { cost, result } = await measure(() => send(event));
    const { approved, declineReason } = result as { approved?: boolean; declineReason?: string };
    return { ...cost, answer: approved ? "approved" : declineReason };
  };
  return { ...given, cardId, authorize };
}

/** As a large draw of another process does: the part that this one takes first is empty. */
async function movePart(programId: string, walletId: string) {
  const part = getHotWallet(accounts.wallet.key(programId, walletId).pk)?.take() ?? "";
  const shard = walletShards.at(programId, walletId, part);
  const { availableMinor = 0 } = (await shard.get()) ?? {};
  await shard.updateNow({ increase: { availableMinor: -availableMinor } });
  const other = part === "1" ? "2" : "1";
  await walletShards.at(programId, walletId, other).updateNow({ increase: { availableMinor } });
  getHotWallet(accounts.wallet.key(programId, walletId).pk)?.giveBack(part, true);
}

describe("round trips of an authorization that a Wallet pays", () => {
  it.each(kinds)("are at most two: $window, contended: $isContended", async (kind) => {
    const { authorize } = await givenCard(kind);
    const isLimited = kind.window !== "none";
    // The first one of the Card in this process has counted nothing yet.
    const met = await authorize(400);
    expect(met).toMatchObject({ answer: "approved", calls: ["Query", "TransactWriteItems"], readUnits: 1 });
    expect(met.roundTrips).toBe(2);
    const next = await authorize(400);
    expect(next).toMatchObject({ answer: "approved", readUnits: isLimited ? 1 : 0 });
    expect(next.roundTrips).toBe(isLimited ? 2 : 1);
    const above = await authorize(200_000);
    expect(above.answer).toBe(isLimited ? "SPEND_LIMIT" : "INSUFFICIENT_FUNDS");
    if (isLimited || !kind.isContended) expect(above.roundTrips).toBe(2);
  });

  it.each(limits)("are at most two where no part of a split Wallet has it alone: %s", async (window) => {
    const given = await givenCard({ window, isContended: true, limitMinor: 1_000_000 });
    const { authorize, programId, walletId } = given;
    const trips = window === "none" ? 1 : 2;
    // The process meets the Wallet: it learns that it is split, then what its parts have.
    const met = await authorize(5_000);
    expect(met).toMatchObject({ answer: "approved", roundTrips: 4 });
    expect(await authorize(5_000)).toMatchObject({
      answer: "approved",
      roundTrips: trips,
      readUnits: trips - 1,
    });
    const unknown = await authorize(5_000, await given.addCard());
    expect(unknown).toMatchObject({ answer: "approved", roundTrips: 2, readUnits: 1 });
    // What it has read of the parts is too old by then.
    await pause(1_100);
    expect(await authorize(20_000)).toMatchObject({ answer: "approved", roundTrips: 2 });
    expect(await authorize(95_000)).toMatchObject({ answer: "INSUFFICIENT_FUNDS", roundTrips: 2 });
    // Its part has something left, which another process takes: one try fails, and one reads.
    expect(await authorize(900)).toMatchObject({ answer: "approved", roundTrips: trips });
    await movePart(programId, walletId);
    expect(await authorize(100)).toMatchObject({ answer: "approved", roundTrips: trips + 2 });
    expect((await given.balances())[0]).toBe(100_000 - 1 - 15_000 - 20_000 - 1_000);
  });

  it("are no more where the Card's own money pays, nor are its units", async () => {
    const { authorize, setFunding, setCard, cardId } = await givenCard({
      window: "none",
      isContended: false,
    });
    await setFunding(undefined, cardId);
    await setCard({ availableMinor: 1_000, ledgerMinor: 1_000 }, cardId);
    expect(await authorize(400)).toMatchObject({ roundTrips: 2, readUnits: 1, answer: "approved" });
    expect(await authorize(400)).toMatchObject({ roundTrips: 1, readUnits: 0, answer: "approved" });
  });
});
