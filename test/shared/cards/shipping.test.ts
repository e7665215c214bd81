import { describe, expect, it } from "vitest";
import type { Shipping } from "../../../shared/cards/card.ts";
import { advanceShipping, pendingShipping, type ShippingReport } from "../../../shared/cards/shipping.ts";

const at = new Date("2026-11-23T08:00:00.000Z");
const day = (number: number) => `2026-11-${String(number).padStart(2, "0")}T08:00:00.000Z`;

function endOf(reports: readonly ShippingReport[]): Omit<Shipping, "updatedAt"> {
  const start = pendingShipping(day(1));
  const { updatedAt: _, ...last } = reports.reduce(
    (shipping, report) => advanceShipping(shipping, report, at) ?? shipping,
    start,
  );
  return last;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((others) => [item, ...others]),
  );
}

const shipped = { status: "shipped", trackingNumber: "T1", carrier: "DHL" } as const;
const delivered = { status: "delivered" } as const;
const returned = { status: "returned" } as const;

describe("the shipping of a card", () => {
  it.each([
    [[shipped, delivered], { ...shipped, ...delivered }],
    [[shipped, returned], { ...shipped, ...returned }],
    [[shipped, delivered, returned, shipped, delivered], { ...shipped, ...returned }],
  ])("without times ends the same in every order: %j", (reports, end) => {
    for (const order of permutations(reports)) expect(endOf(order)).toEqual(end);
  });

  it("with times ends the same in every order, also if it is shipped again", () => {
    const reports = [
      { ...shipped, occurredAt: day(2) },
      { ...returned, occurredAt: day(3) },
      { status: "shipped", trackingNumber: "T2", carrier: "UPS", occurredAt: day(4) } as const,
      { ...delivered, occurredAt: day(5) },
    ];
    for (const order of permutations(reports)) {
      expect(endOf(order)).toMatchObject({ ...delivered, occurredAt: day(5) });
    }
    expect(endOf(reports)).toMatchObject({ trackingNumber: "T2", carrier: "UPS" });
  });

  it("ends the same in every order, also if it reached a status twice", () => {
    const again = { ...delivered, occurredAt: day(4) };
    const reports = [{ ...delivered, occurredAt: day(2) }, { ...shipped, occurredAt: day(3) }, again];
    for (const order of permutations(reports)) expect(endOf(order)).toMatchObject(again);
  });

  it("is shipped again only by a report that is known to be later", () => {
    const back = { ...returned, occurredAt: day(3) };
    expect(endOf([shipped, back, shipped]).status).toBe("returned");
    expect(endOf([shipped, back, { ...shipped, occurredAt: day(2) }]).status).toBe("returned");
    const again = { status: "shipped", occurredAt: day(4) } as const;
    expect(endOf([shipped, back, again])).toEqual(again);
  });

  it("a repetition says nothing new, a correction replaces the tracking number, a late report only adds", () => {
    const sent = advanceShipping(pendingShipping(day(1)), shipped, at);
    expect(sent && advanceShipping(sent, shipped, at)).toBeUndefined();
    expect(endOf([shipped, { ...shipped, trackingNumber: "T2" }])).toMatchObject({ trackingNumber: "T2" });
    expect(endOf([shipped, delivered, { ...shipped, trackingNumber: "T2" }])).toMatchObject({
      status: "delivered",
      trackingNumber: "T1",
    });
    expect(endOf([delivered, shipped])).toEqual({ ...shipped, ...delivered });
  });
});
