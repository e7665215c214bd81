import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { givenListener } from "../harness/given-listener.ts";
import { approve, givenReceiver, heldBack } from "../harness/given-receiver.ts";
import { measure } from "../harness/measure.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { again, givenConnection, later, toAmount, withFields } from "./given-connection.ts";

/** Two listeners, which know nothing of each other. What messages do is in message-rules.txt. */
async function givenTwo() {
  const connection = await givenConnection();
  const other = await NetworkClient.connect((await givenListener(connection.ports)).port);
  const otherCode = async (message: Message) => (await other.send(message)).fields[39];
  return { ...connection, otherCode };
}

describe("while the receiver is asked", () => {
  async function givenQuestion() {
    const given = await givenTwo();
    const receiver = await givenReceiver(given.programId, approve);
    const first = given.purchase(2_000);
    expect(await given.code(first)).toBe("00");
    const open = heldBack();
    receiver.answer(open.answer);
    return { ...given, ...open, receiver, first };
  }

  it("a reversal that names an increment waits for the decision", async () => {
    const { first, code, asked, reply, balances } = await givenQuestion();
    const increment = later("0100", first, { 4: toAmount(500) });
    const answers = [code(increment)];
    const question = await asked;
    answers.push(code(later("0420", increment)));
    await sleep(100);
    reply(approve(question));
    expect(await Promise.all(answers)).toEqual(["00", "00"]);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("a repetition at another listener is answered what is decided: the receiver is asked once", async () => {
    const { purchase, code, otherCode, asked, reply, receiver, balances } = await givenQuestion();
    const message = purchase(1_000);
    const answers = [code(message)];
    const question = await asked;
    answers.push(otherCode(again(message, 2)));
    await sleep(100);
    reply(approve(question));
    expect(await Promise.all(answers)).toEqual(["00", "00"]);
    expect(receiver.questions).toHaveLength(2);
    expect(await balances()).toEqual([7_000, 3_000, 10_000]);
  });
});

it("a repetition at another listener at once is answered 12 with another amount", async () => {
  const { purchase, code, otherCode, balances } = await givenTwo();
  const first = purchase(2_000);
  const other = again(withFields(first, { 4: toAmount(2_100) }));
  const codes = await Promise.all([code(first), otherCode(other)]);
  expect(codes.toSorted()).toEqual(["00", "12"]);
  const [, held] = await balances();
  expect(held).toBe(codes[0] === "00" ? 2_000 : 2_100);
});

it("what a stand-in has approved is answered with its code, and recorded as its", async () => {
  const { purchase, send, records } = await givenConnection({ availableMinor: 100 });
  const advice = { ...purchase(2_000, { 39: "00", 38: "ABC123" }), mti: "0120" };
  expect(await send(advice)).toMatchObject({ mti: "0130", fields: { 39: "00", 38: "ABC123" } });
  expect((await records()).at(-1)).toMatchObject({ transType: 14 });
});

it("a reversal of an unknown message reads no more for a Card with many transactions", async () => {
  const { apply, purchase, send } = await givenConnection();
  const unknown = async () => (await measure(() => send(later("0420", purchase(1_000))))).cost.readUnits;
  await unknown();
  const first = await unknown();
  for (let number = 0; number < 100; number += 1)
    await apply({ kind: "authorization", authorizationId: `A-${number}`, amount: 1 });
  expect(await unknown()).toBe(first);
  expect(first).toBeLessThan(10);
});

describe("other messages", () => {
  it("answers an echo", async () => {
    const { send } = await givenConnection();
    const echo = { mti: "0800", fields: { 7: "1123181500", 11: "000001", 70: "301" } };
    expect(await send(echo)).toEqual({ mti: "0810", fields: { ...echo.fields, 39: "00" } });
  });

  it.each([
    ["0200", "0210"],
    ["0220", "0230"],
  ])("%s is not supported, and kept", async (mti, answer) => {
    const { purchase, send, ports } = await givenConnection();
    expect(await send({ ...purchase(100), mti })).toMatchObject({ mti: answer, fields: { 39: "12" } });
    const kept = { input: expect.any(Uint8Array), identity: expect.any(String) };
    expect(ports.refused).toEqual([{ reason: `Not supported: message type ${mti}.`, ...kept }]);
  });
});
