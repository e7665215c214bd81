import { describe, expect, it } from "vitest";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { operate } from "../../../harness/administration.ts";
import { injectFaults, interrupt } from "../../../harness/faults.ts";
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
      const { programId, arrived, returned, report, availableIn } = await givenBank();
      const steps = [returned({ ...all, ...more }), arrived(deposit)];
      for (const event of isEarly ? steps : steps.toReversed()) await report(event);
      expect(await availableIn()).toBe(left);
      // Sent again, each changes nothing.
      for (const event of steps) await report(event);
      expect(await availableIn()).toBe(left);
      const { items } = await operate("list-refused", { limit: 100 });
      const kept = items.filter((one) => one.programId === programId);
      const reason = expect.stringMatching(
        /^A return came early. It names EndToEndId e2e, but the deposit has /,
      );
      expect(kept).toMatchObject(left === 1250 ? [{ port: "bank", reason }] : []);
    }
  });

  it.each([
    { more: { currency: "EUR" }, reason: "It returns 1250 minor units of EUR, but the deposit is" },
    { more: { amount: 1251 }, reason: "It returns 1251 minor units of USD, but the deposit is" },
    { more: { endToEndId: "another" }, reason: "It names EndToEndId another, but the deposit has e2e." },
  ])("says how it contradicts a known deposit: %o", async ({ more, reason }) => {
    const [mine, other] = [await givenBank(), await givenBank()];
    await mine.report(mine.arrived({ endToEndId: "e2e" }));
    const outcome = await mine.report(mine.returned({ ...all, ...more }));
    const stored = "It is stored for another deposit of its reference.";
    expect(outcome).toEqual({ status: "rejected", reason: expect.stringContaining(reason) });
    expect(outcome).toMatchObject({ reason: expect.stringContaining(stored) });
    const { bankReference } = mine;
    await other.report(other.arrived({ bankReference, endToEndId: "e2e", ...more }));
    expect(await mine.availableIn()).toBe(1250);
    const { account } = other;
    expect(statusOf(await other.report(other.returned({ ...all, ...more, bankReference, account })))).toBe(
      "duplicate",
    );
  });

  it("is kept for the operator if two deposits come at once, each of which it can be of", async () => {
    const [mine, other] = [await givenBank(), await givenBank()];
    const { bankReference, returned, report } = mine;
    await report(returned({ ...all, amount: 250 }));
    const [first, second] = [mine, other].map(({ arrived }) => arrived({ bankReference, endToEndId: "e2e" }));
    {
      // Claimed before the first one looks for its returns.
      let isFirst = true;
      using _ = interrupt(
        (command) => command === "TransactWriteItems" && isFirst,
        async () => {
          isFirst = false;
          await report(second as BankEvent);
        },
      );
      await report(first as BankEvent);
    }
    const taken = [await mine.availableIn(), await other.availableIn()];
    const { items } = await operate("list-refused", { limit: 100 });
    const kept = items.filter(({ programId = "" }) => [mine.programId, other.programId].includes(programId));
    expect(taken).toEqual([1250, 1250]);
    expect(kept).toHaveLength(2);
    for (const one of kept) expect(one).toMatchObject({ reason: expect.stringContaining("2 deposits have") });
  });

  it("is given back by the deposit that took it and failed then, whatever came since", async () => {
    for (const again of ["deposit", "return"]) {
      const [mine, other] = [await givenBank(), await givenBank()];
      const { bankReference, report } = mine;
      const event = mine.returned({ ...all, amount: 250 });
      const deposit = mine.arrived({ endToEndId: "e2e" });
      await report(event);
      {
        using _ = injectFaults(({ input }) =>
          JSON.stringify(input).includes(`RETURN#${mine.programId}`) ? "lost" : undefined,
        );
        await expect(report(deposit)).rejects.toThrow();
      }
      await other.report(other.arrived({ bankReference, endToEndId: "e2e", amount: 250 }));
      await report(again === "deposit" ? deposit : event);
      expect([await mine.availableIn(), await other.availableIn()]).toEqual([1000, 250]);
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
      reason:
        "2 deposits have the EndToEndId or reference that it names. " +
        "Without the account, it must have the amount, currency and EndToEndId of one of them.",
    });
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([1250, 1250]);
    expect(statusOf(await report(returned(all)))).toBe("applied");
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([0, 1250]);
  });
});
