import { describe, expect, it } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { givenListener } from "../harness/given-listener.ts";
import { measure } from "../harness/measure.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { again, givenConnection, later, toAmount, withFields } from "./given-connection.ts";

const own = { 37: "REF990020000" };
const leaves = (minor: number) => ({ 95: `${toAmount(minor)}${"0".repeat(30)}` });

async function given() {
  const connection = await givenConnection();
  const code = async (message: Message) => (await connection.send(message)).fields[39];
  return { ...connection, code };
}

describe("a reversal that comes before the message that its DE90 names", () => {
  it.each([
    ["purchase", "000000", "00"],
    ["cash", "010000", "05"],
  ])("has the same effect with a DE37 of its own (%s)", async (_, processing, answered) => {
    const { purchase, code, balances } = await given();
    const answers: (string | undefined)[][] = [];
    for (const more of [{}, own]) {
      const first = purchase(2_000, { 3: processing });
      const reversal = later("0420", first, more);
      const codes: (string | undefined)[] = [];
      const messages = [reversal, first, { ...reversal, mti: "0421" }, { ...first, mti: "0101" }];
      for (const message of messages) codes.push(await code(message));
      expect(await balances()).toEqual([10_000, 0, 10_000]);
      answers.push([...codes, await code(later("0420", first))]);
      expect(await balances()).toEqual([10_000, 0, 10_000]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]?.slice(0, 2)).toEqual(["00", answered]);
  });

  it("leaves a part, which a later message finds", async () => {
    const { purchase, code, balances } = await given();
    const first = purchase(2_000);
    for (const message of [later("0420", first, { ...own, ...leaves(800) }), first])
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([9_200, 800, 10_000]);
    expect(await code(later("0420", first, leaves(500)))).toBe("00");
    expect(await balances()).toEqual([9_500, 500, 10_000]);
  });

  it("declines an increment", async () => {
    const { purchase, code, balances } = await given();
    const first = purchase(2_000);
    const increment = later("0100", first, { 4: toAmount(500) });
    expect(await code(first)).toBe("00");
    expect(await code(later("0420", increment, own))).toBe("00");
    expect(await code(increment)).toBe("05");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("releases the message that comes in the same moment, at another listener", async () => {
    const { purchase, code, ports, balances } = await given();
    const other = await NetworkClient.connect((await givenListener(ports)).port);
    for (const amount of [100, 200, 300, 400, 500]) {
      const first = purchase(amount);
      await Promise.all([code(first), other.send(later("0420", first, own))]);
      expect(await balances()).toEqual([10_000, 0, 10_000]);
    }
  });

  it("ends no message of another trace, time or acquirer, and none without DE90", async () => {
    const { purchase, code, balances } = await given();
    const first = purchase(1_000);
    expect(await code(later("0420", first, own))).toBe("00");
    const others: Message["fields"][] = [{ 11: "990021" }, { 32: "54321" }, { 7: "0101000000" }];
    for (const fields of others) expect(await code(withFields(first, fields))).toBe("00");
    const unnamed = purchase(1_000);
    expect(await code({ ...withFields(unnamed, own), mti: "0420" })).toBe("00");
    expect(await code(unnamed)).toBe("00");
    expect(await balances()).toEqual([6_000, 4_000, 10_000]);
  });
});

describe("an advice that comes before the message that its DE90 names, with a DE37 of its own", () => {
  it.each([
    ["purchase", "000000", [7_000, 3_000, 10_000]],
    ["cash", "010000", [7_000, 0, 7_000]],
  ])("counts once (%s)", async (_, processing, expected) => {
    const { purchase, code, balances } = await given();
    const first = purchase(2_000, { 3: processing });
    const advice = later("0120", first, { ...own, 3: processing, 4: toAmount(3_000), 39: "00" });
    for (const message of [advice, first, { ...advice, mti: "0121" }]) expect(await code(message)).toBe("00");
    expect(await balances()).toEqual(expected);
    expect(await code(later("0420", first, { 37: "REF990020001", 3: processing }))).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is released by a reversal with a third one, although the message never comes", async () => {
    const { purchase, code, balances } = await given();
    const first = purchase(2_000);
    const advice = later("0120", first, { ...own, 39: "00" });
    const reversal = later("0420", first, { 37: "REF990020001" });
    for (const message of [advice, reversal]) expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("counts once beside the message that comes in the same moment, at another listener", async () => {
    const { purchase, code, ports, balances } = await given();
    const other = await NetworkClient.connect((await givenListener(ports)).port);
    let heldMinor = 0;
    for (const amount of [100, 200, 300, 400]) {
      const first = purchase(amount);
      await Promise.all([code(first), other.send(later("0120", first, { ...own, 39: "00" }))]);
      heldMinor += amount;
      expect(await balances()).toEqual([10_000 - heldMinor, heldMinor, 10_000]);
    }
  });
});

describe("a stand-in's advice without DE90", () => {
  const standIn = (message: Message, fields: Message["fields"] = {}) => ({
    ...withFields(message, { 39: "00", ...fields }),
    mti: "0120",
  });

  it.each([0, 1])("is reversed by a DE90 with a DE37 of its own, in any order (%s)", async (order) => {
    const { purchase, code, balances } = await given();
    const advice = standIn(purchase(2_000));
    const messages = [advice, later("0420", advice, own)];
    for (const message of order === 0 ? messages : messages.toReversed())
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is reversed by the repetition of a 0420 that never came", async () => {
    const { purchase, code, balances } = await given();
    const first = purchase(2_000);
    for (const message of [standIn(first), { ...again(first, 9), mti: "0421" }])
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});

describe("a DE37 that is a filler", () => {
  it.each([0, 1])("names no message, so DE90 names it without (%s)", async (order) => {
    const { purchase, code, balances } = await given();
    const first = purchase(2_000, { 37: "000000000000" });
    const messages = [first, later("0420", first, own)];
    for (const message of order === 0 ? messages : messages.toReversed())
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});

it("reads no more for a Card with many transactions", async () => {
  const { apply, purchase, code } = await given();
  const unknown = async () => {
    const { cost } = await measure(() => code(later("0420", purchase(1_000), own)));
    return cost.readUnits;
  };
  await unknown();
  const first = await unknown();
  for (let number = 0; number < 200; number += 1)
    await apply({ kind: "authorization", authorizationId: `A-${number}`, amount: 1 });
  expect(await unknown()).toBe(first);
  expect(first).toBeLessThan(10);
});
