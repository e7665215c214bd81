import { describe, expect, it } from "vitest";
import { givenBank, statusOf } from "./given-bank.ts";

describe("a return without the account", () => {
  const all = { account: undefined, endToEndId: "e2e", amount: 1250, currency: "USD" };

  it.each([{ currency: "EUR" }, { endToEndId: "another" }, { amount: 1251 }])(
    "takes no deposit that it contradicts: %o",
    async (more) => {
      const { arrived, returned, report, availableIn } = await givenBank();
      for (const _ of ["before", "after"]) {
        expect(statusOf(await report(returned({ ...all, ...more })))).toBe("rejected");
        await report(arrived({ endToEndId: "e2e" }));
      }
      expect(await availableIn()).toBe(1250);
      expect(statusOf(await report(returned(all)))).toBe("applied");
      expect(await availableIn()).toBe(0);
    },
  );

  it.each([
    { more: { endToEndId: undefined, amount: undefined, currency: undefined }, left: 0 },
    { more: { endToEndId: undefined, amount: 250 }, left: 1000 },
  ])("takes the only deposit of its reference once it is known: %o", async ({ more, left }) => {
    const { arrived, returned, report, availableIn } = await givenBank();
    const event = returned({ ...all, ...more });
    expect(statusOf(await report(event))).toBe("rejected");
    await report(arrived({ endToEndId: "e2e" }));
    expect(await availableIn()).toBe(1250);
    expect(statusOf(await report(event, "return#1"))).toBe("applied");
    expect(statusOf(await report(event, "return#1"))).toBe("applied");
    expect(statusOf(await report(event, "return#2"))).toBe("duplicate");
    expect(await availableIn()).toBe(left);
  });

  it.each([
    { name: "a part", more: { amount: 250 }, deposit: { endToEndId: "e2e" }, left: 1000 },
    { name: "the whole", more: {}, deposit: { endToEndId: "e2e" }, left: 0 },
    { name: "no EndToEndId in the deposit", more: { amount: 250 }, deposit: {}, left: 1250 },
    { name: "none, and the whole amount", more: {}, deposit: {}, left: 1250 },
    { name: "another EndToEndId", more: {}, deposit: { endToEndId: "another" }, left: 1250 },
  ])("takes the same money before and after its deposit: $name", async ({ more, deposit, left }) => {
    for (const isEarly of [true, false]) {
      const { arrived, returned, report, availableIn } = await givenBank();
      const steps = [returned({ ...all, ...more }), arrived(deposit)];
      for (const event of isEarly ? steps : steps.toReversed()) await report(event);
      expect(await availableIn()).toBe(left);
      // Sent again, each changes nothing.
      for (const event of steps) await report(event);
      expect(await availableIn()).toBe(left);
    }
  });

  it("takes back money of one deposit only, whatever comes later", async () => {
    const [mine, other] = [await givenBank(), await givenBank()];
    const { bankReference, returned, report } = mine;
    const event = returned({ ...all, amount: 250 });
    await report(event);
    await report(mine.arrived({ endToEndId: "e2e" }));
    await report(other.arrived({ bankReference, endToEndId: "e2e", amount: 250 }));
    for (const { arrived } of [mine, other]) await report(arrived({ bankReference, endToEndId: "e2e" }));
    expect(statusOf(await report(event))).toBe("duplicate");
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([1000, 250]);
  });

  it("is rejected if two banks' deposits have its reference, unless one agrees in all", async () => {
    const [mine, other] = [await givenBank(), await givenBank()];
    const { bankReference, returned, report } = mine;
    await report(mine.arrived({ endToEndId: "e2e" }));
    await report(other.arrived({ bankReference }));
    expect(await report(returned({ ...all, endToEndId: undefined }))).toEqual({
      status: "rejected",
      reason: "2 deposits have the references, account and amount that it names.",
    });
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([1250, 1250]);
    expect(statusOf(await report(returned(all)))).toBe("applied");
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([0, 1250]);
  });
});
