import { describe, expect, it } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { givenListener } from "../harness/given-listener.ts";
import { approve, givenReceiver, heldBack } from "../harness/given-receiver.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { again, givenConnection, later, toAmount, withFields } from "./given-connection.ts";

const leaves = (minor: number) => ({ 95: `${toAmount(minor)}${"0".repeat(30)}` });

/** Two listeners, which know nothing of each other. */
async function givenTwo() {
  const connection = await givenConnection();
  const other = await NetworkClient.connect((await givenListener(connection.ports)).port);
  const code = async (message: Message) => (await connection.send(message)).fields[39];
  const otherCode = async (message: Message) => (await other.send(message)).fields[39];
  return { ...connection, other, code, otherCode };
}

describe("an advice that is repeated with a time of its own", () => {
  it("pays no cash out again after a reversal", async () => {
    const { purchase, code, balances } = await givenTwo();
    const first = purchase(1_000, { 3: "010000" });
    const advice = later("0120", first);
    expect(await code(first)).toBe("00");
    expect(await code(advice)).toBe("00");
    expect(await code(later("0420", first, leaves(400)))).toBe("00");
    expect(await balances()).toEqual([9_600, 0, 9_600]);
    for (const seconds of [5, 60]) expect(await code(again(advice, seconds))).toBe("00");
    expect(await balances()).toEqual([9_600, 0, 9_600]);
  });

  it("holds nothing again after a reversal", async () => {
    const { purchase, code, balances } = await givenTwo();
    const first = purchase(2_000);
    const advice = later("0120", first, { 4: toAmount(3_000), 37: "REF990010000" });
    for (const message of [first, advice, later("0420", first, leaves(800))])
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([9_200, 800, 10_000]);
    expect(await code(again(advice, 5))).toBe("00");
    expect(await balances()).toEqual([9_200, 800, 10_000]);
  });

  it("reverses nothing again after another advice", async () => {
    const { purchase, code, balances } = await givenTwo();
    const first = purchase(2_000);
    const reversal = later("0420", first, leaves(800));
    for (const message of [first, reversal, later("0120", first, { 4: toAmount(3_000) })])
      expect(await code(message)).toBe("00");
    const before = await balances();
    expect(await code(again(reversal, 5))).toBe("00");
    expect(await balances()).toEqual(before);
  });

  it("counts if it is the first to come", async () => {
    const { purchase, code, balances } = await givenTwo();
    const first = purchase(2_000);
    const advice = later("0120", first, { 4: toAmount(3_000) });
    for (const message of [first, again(advice, 5), advice, again(advice, 9)])
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([7_000, 3_000, 10_000]);
  });
});

describe("an increment with a reference of its own", () => {
  it("counts once if only its repetitions come", async () => {
    const { purchase, code, balances } = await givenTwo();
    const first = purchase(2_000);
    const increment = later("0100", first, { 4: toAmount(500), 37: "REF990011000" });
    for (const message of [first, again(increment), again(increment, 4), increment])
      expect(await code(message)).toBe("00");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });
});

describe("what moves no money", () => {
  it.each([
    ["a balance inquiry", { 3: "310000" }],
    ["the authorization of a refund", { 3: "200000" }],
    ["a verification", { 4: toAmount(0) }],
  ])("%s is recorded once, with the same answer", async (_, fields) => {
    const { purchase, send, records } = await givenConnection();
    const first = purchase(500, fields);
    const { 7: __, ...answer } = (await send(first)).fields;
    const recorded = await records();
    for (const seconds of [1, 60]) expect((await send(again(first, seconds))).fields).toMatchObject(answer);
    expect(await records()).toEqual(recorded);
  });
});

describe("a repetition at another listener", () => {
  it.each([0, 1])("counts once while the message is under way (%s)", async (order) => {
    const { purchase, code, otherCode, balances } = await givenTwo();
    let heldMinor = 0;
    for (let amount = 100; amount <= 500; amount += 100) {
      const first = purchase(amount);
      const both = [() => code(first), () => otherCode(again(first))];
      const codes = await Promise.all((order === 0 ? both : both.toReversed()).map((send) => send()));
      expect(codes).toEqual(["00", "00"]);
      heldMinor += amount;
      expect(await balances()).toEqual([10_000 - heldMinor, heldMinor, 10_000]);
    }
  });

  it("counts once if it is the first to come, for a message after a second", async () => {
    const { purchase, code, otherCode, balances } = await givenTwo();
    const first = purchase(2_000);
    expect(await otherCode(again(first, 3))).toBe("00");
    expect(await code(first)).toBe("00");
    expect(await code({ ...again(first, 60), mti: "0100" })).toBe("00");
    expect(await balances()).toEqual([6_000, 4_000, 10_000]);
  });

  it("is answered what the receiver decides of the message: it is asked once", async () => {
    const { programId, purchase, code, otherCode, balances } = await givenTwo();
    const receiver = await givenReceiver(programId, approve);
    const open = heldBack();
    receiver.answer(open.answer);
    const first = purchase(2_000);
    const answers = [code(first)];
    const question = await open.asked;
    answers.push(otherCode(again(first, 2)));
    setTimeout(() => open.reply(approve(question)), 100);
    expect(await Promise.all(answers)).toEqual(["00", "00"]);
    expect(receiver.questions).toHaveLength(1);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("is answered 12 with another amount", async () => {
    const { purchase, code, otherCode, balances } = await givenTwo();
    const first = purchase(2_000);
    const other = again(withFields(first, { 4: toAmount(2_100) }));
    const codes = await Promise.all([code(first), otherCode(other)]);
    expect(codes.toSorted()).toEqual(["00", "12"]);
    const [available = 0, held = 0] = await balances();
    expect([
      [8_000, 2_000],
      [7_900, 2_100],
    ]).toContainEqual([available, held]);
  });
});
