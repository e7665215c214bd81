import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assumptions, cardMonth } from "../tools/costs/assumptions.ts";
import { listenerParts } from "../tools/costs/listener.ts";
import recorded from "../tools/costs/measured.json" with { type: "json" };
import { actionsOf, monthOf, standingUsage } from "../tools/costs/model.ts";
import { costsPage } from "../tools/costs/page.ts";
import { prices, usdByService, usdOf } from "../tools/costs/prices.ts";
import { standingOfProduction } from "../tools/costs/standing.ts";

describe("the cost model", () => {
  test("docs/costs.md follows from the recorded measurement (npm run costs -- page writes it)", () => {
    expect(readFileSync("docs/costs.md", "utf8")).toBe(costsPage(recorded));
  });

  test("counts production's resources as in its templates", () => {
    expect(recorded.standing).toEqual(standingOfProduction());
  });

  test("counts the parts of a network's listener as in its template", () => {
    expect(recorded.listener).toEqual(listenerParts());
  });

  test("has an action for everything that a card does in a month", () => {
    expect(
      actionsOf(recorded)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(cardMonth).toSorted());
  });

  test("charges a read of one item only for the request, the authorizer, the function and their logs", () => {
    const [balance] = actionsOf(recorded);
    const { apiRequests, firewallRequests, lambdaRequests, readUnits, writeUnits, busEvents, queueRequests } =
      balance?.usage ?? {};
    expect({ apiRequests, firewallRequests, lambdaRequests, readUnits, writeUnits }).toEqual({
      apiRequests: 1,
      firewallRequests: 1,
      lambdaRequests: 2,
      readUnits: 5,
      writeUnits: 0,
    });
    expect([busEvents, queueRequests]).toEqual([undefined, undefined]);
  });

  test("charges an authorization's callback for relay, one message and delivery with retries", () => {
    const { usage } = actionsOf(recorded).find(({ name }) => name === "an authorization") ?? {};
    const { listChanges } = recorded.steps.authorization;
    const deliveries = 1 + assumptions.failedDeliveries;
    expect(usage?.busEvents).toBeUndefined();
    expect(usage?.queueRequests).toBeCloseTo(3 * deliveries, 9);
    expect(usage?.lambdaRequests).toBeCloseTo(1 + 1 + listChanges + deliveries, 9);
  });

  test("a month's costs grow with the cards only, and add up", () => {
    const [none, one, two] = [0, 1_000, 2_000].map((cards) => monthOf(recorded, cards));
    const standing = standingUsage(recorded);
    expect(none?.writeUnits ?? 0).toBe(standing.writeUnits ?? 0);
    expect(two?.writeUnits).toBeCloseTo(2 * (one?.writeUnits ?? 0), 3);
    const sum = [...usdByService(one ?? {}).values()].reduce((total, usd) => total + usd, 0);
    expect(sum).toBeCloseTo(usdOf(one ?? {}), 9);
  });

  test("each price has its source, and its date in the price list or a note that it is not listed", () => {
    const page = readFileSync("docs/costs.md", "utf8");
    for (const price of Object.values(prices)) {
      expect(price.page).toMatch(/^https:\/\/aws\.amazon\.com\//);
      if ("listed" in price) expect(page).toContain(`\`${price.listed.usage}\`, ${price.listed.published}`);
    }
    const unlisted = Object.values(prices).filter((price) => !("listed" in price));
    expect(page.split("unverified for the region")).toHaveLength(unlisted.length + 1);
  });
});
