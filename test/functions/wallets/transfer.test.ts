import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";
import { eventsIn } from "../../harness/stored.ts";

async function given(availableMinor: number) {
  const programId = await givenStoredProgram();
  const source = await givenStoredWallet(programId, availableMinor);
  const destination = await givenStoredWallet(programId);
  const send = (changes: object) => {
    const body = { sourceWalletId: source, destinationType: 0, destinationId: destination, ...changes };
    return measure(() =>
      replay(handler, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body })),
    );
  };
  /** Where a transfer of this kind left a record, and its event. */
  const recorded = async (kind: string) => {
    const items = await expectBooksInOrder(programId);
    const records = items.filter(({ sk }) => sk.startsWith("TRANSFER#"));
    return {
      items,
      places: records.map(({ pk }) => pk),
      told: eventsIn(items).filter((one) => one.kind === kind),
    };
  };
  return { programId, source, destination, send, recorded };
}

/** What may be moved, and what is left then, is in transfer-rules.txt. */
describe("POST /wallets/transfer", () => {
  it("takes one round trip, and leaves a record with both Wallets, an event and an entry", async () => {
    const { programId, source, destination, send, recorded } = await given(1_000);
    const { result, cost } = await send({ amount: 400, memo: "rent", externalId: "x-1" });
    expect([result.status, cost.roundTrips]).toEqual([200, 1]);
    const { transferId, dateCreated, ...data } = result.body.data;
    expect(data).toEqual({
      ...{ transStatus: 1, sourceWalletId: source, destinationType: 0, destinationId: destination },
      ...{ requestedAmount: 400, transferredAmount: 400, currency: 0, memo: "rent", externalId: "x-1" },
    });
    const { items, places, told } = await recorded("transfer.completed");
    expect(balancesIn(items, destination)).toMatchObject({ availableMinor: 400, ledgerMinor: 400 });
    expect(places.toSorted()).toEqual([`${programId}#${source}`, `${programId}#${destination}`].toSorted());
    const detail = { transferId, transferredAmountMinor: 400 };
    expect(told).toEqual([
      expect.objectContaining({ occurredAt: dateCreated, detail: expect.objectContaining(detail) }),
    ]);
  });

  it.each([
    ["the money", 99, {}],
    ["a Card that takes it", 100, { status: 3 }],
  ] as const)(
    "is declined in two round trips where %s is missing, and leaves record and event",
    async (_, minor, card) => {
      const { programId, source, destination, send, recorded } = await given(minor);
      const onCard = "status" in card;
      const destinationId = onCard ? await givenStoredCard(programId, card.status) : destination;
      const { result, cost } = await send({ amount: 100, destinationType: onCard ? 1 : 0, destinationId });
      expect(result.body.data).toMatchObject({ transStatus: 2, requestedAmount: 100, transferredAmount: 0 });
      expect(cost.roundTrips).toBe(2);
      const { places, told } = await recorded("transfer.declined");
      const ofBoth = [`${programId}#${source}`, ...(onCard ? [] : [`${programId}#${destination}`])];
      expect(places.toSorted()).toEqual(ofBoth.toSorted());
      expect(told).toHaveLength(1);
    },
  );

  it("is in part without a reason, in two round trips", async () => {
    const { send } = await given(70);
    const { result, cost } = await send({ amount: 100, allowPartial: true });
    expect(result.body.data).toMatchObject({ transStatus: 3, requestedAmount: 100, transferredAmount: 70 });
    expect(result.body.data).not.toHaveProperty("declineReason");
    expect(cost.roundTrips).toBe(2);
  });
});
