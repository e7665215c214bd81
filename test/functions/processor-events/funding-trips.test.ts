import { describe, expect, it } from "vitest";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { measure } from "../../harness/measure.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const limits = ["none", "day", "PT1H", "lifetime", "authorization"] as const;

interface Given {
  readonly window: (typeof limits)[number];
  readonly isContended: boolean;
}

const kinds = limits.flatMap((window) =>
  [false, true].map((isContended): Given => ({ window, isContended })),
);

async function givenCard({ window, isContended }: Given) {
  const given = await givenFundedCards(100_000, 2);
  const { programId, walletId, cardIds, setCard, send } = given;
  const [other = "", cardId = ""] = cardIds;
  const settings = { timeZone: "Europe/Berlin" };
  await given.setProgram(settings);
  if (window !== "none")
    await setCard(limitFields(newLimit({ amount: 1_000, window }, timestamp(), settings)), cardId);
  if (isContended) await splitWallet(programId, { kind: "wallet", accountId: walletId }, 0);
  // The process knows the Program and the Wallet: none of both is the Card's.
  await send({ kind: "authorization", authorizationId: "other", amount: 1, cardId: other });
  let count = 0;
  const authorize = async (amount: number) => {
    count += 1;
    const event = { kind: "authorization", authorizationId: `A${count}`, amount, cardId } as const;
    const { cost, result } = await measure(() => send(event));
    const { approved, declineReason } = result as { approved?: boolean; declineReason?: string };
    return { ...cost, answer: approved ? "approved" : declineReason };
  };
  return { ...given, cardId, authorize };
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
