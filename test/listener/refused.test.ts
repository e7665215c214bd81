import { describe, expect, it } from "vitest";
import { type ListenerPorts, MessageHandler, NoMessage } from "../../infra/listener/answer-message.ts";
import { messageKinds } from "../../infra/listener/message-kinds.ts";
import { encodeMessage, type Message } from "../../shared/adapters/iso8583/codec.ts";
import { type DialectName, dialects } from "../../shared/adapters/iso8583/dialects.ts";
import { keepRefused, refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { decodeMessage } from "../harness/decode-message.ts";
import { givenPorts } from "../harness/given-listener.ts";

const cardNumber = "4111111111111111";
const identity = { 7: "1123181500", 11: "000042", 32: "12345", 37: "REFERENCE001" };

/** A handler that keeps what it refuses, and the ids under which it does. */
function givenStore() {
  const ids: string[] = [];
  const keep: ListenerPorts["keepRefused"] = async (one) =>
    ids.push(await keepRefused({ port: "network", ...one }));
  const ports = { ...givenPorts(), keepRefused: keep };
  return { ids, handler: new MessageHandler(ports, dialects.default, messageKinds) };
}

describe("bytes that are refused", () => {
  it.each([
    ["are text", Buffer.from("Hello, network")],
    ["have no trace", encodeMessage({ mti: "0100", fields: { 2: cardNumber, 7: "1123181500" } })],
    ["end too soon", encodeMessage({ mti: "0100", fields: { 2: cardNumber, ...identity } }).subarray(0, 30)],
  ])("are no message where they %s", async (_, bytes) => {
    const handler = new MessageHandler(givenPorts(), dialects.default, messageKinds);
    await expect(handler.answer(bytes)).rejects.toBeInstanceOf(NoMessage);
  });

  it("are answered with 30 where their trace and time can be read, and kept without the card number", async () => {
    const { ids, handler } = givenStore();
    const bytes = Buffer.concat([
      encodeMessage({ mti: "0100", fields: { 2: cardNumber, 3: "000000", 4: "000000000100", ...identity } }),
      Buffer.from("!"),
    ]);
    const answer = await handler.answer(bytes);
    expect(answer && decodeMessage(answer).fields).toMatchObject({ 39: "30", 11: "000042" });
    const kept = await refusedInputs.at(ids[0] ?? "").get();
    const reason = "The message has 1 bytes after its last data element.";
    expect(kept).toMatchObject({ port: "network", reason });
    const hex = Buffer.from(cardNumber).toString("hex");
    expect(JSON.stringify(kept)).not.toMatch(new RegExp(`${cardNumber}|${hex}`));
  });

  it("are not answered where they are an answer themselves, and kept, but for an echo's", async () => {
    const { ids, handler } = givenStore();
    const sent = (mti: string) =>
      handler.answer(encodeMessage({ mti, fields: { 2: cardNumber, ...identity, 39: "00" } }));
    for (const mti of ["0110", "0190", "0430", "0810", "0190"]) expect(await sent(mti)).toBeUndefined();
    const kept = await Promise.all([...new Set(ids)].map((id) => refusedInputs.at(id).get()));
    const reasons = ["0110", "0190", "0430"].map((mti) => `${mti} answers nothing that was asked.`);
    expect(kept.map((one) => one?.reason).toSorted()).toEqual(reasons);
    expect(JSON.stringify(kept)).not.toContain(cardNumber);
  });

  it("are kept once, however often they are repeated", async () => {
    const { ids, handler } = givenStore();
    const fields = { 2: cardNumber, 3: "000000", 4: "000000000100", ...identity, 11: "000043" };
    const refused = (mti: string, more: Message["fields"] = {}) =>
      handler.answer(encodeMessage({ mti, fields: { ...fields, ...more } }));
    const [first] = [await refused("0120"), await refused("0120")];
    const answer = await refused("0121", { 12: "101500" });
    expect(first && decodeMessage(first).fields[39]).toBe("30");
    expect(answer && decodeMessage(answer).fields[39]).toBe("30");
    expect(new Set(ids)).toHaveLength(1);
    await refused("0120", { 4: "000000000200" });
    await refused("0420");
    for (const text of ["Hello, network", "Hello, network", "Other bytes"])
      await handler.keepRefused({ reason: "No message", input: Buffer.from(text) });
    expect(ids).toHaveLength(8);
    expect(new Set(ids)).toHaveLength(5);
    for (const id of ids) expect(await refusedInputs.at(id).get()).toBeDefined();
  });

  const track = `${cardNumber}=30121010000012345678`;
  const others = [34, 46, 47, 56, 57, 58, 59, 60, 61, 62, 63];
  const lastElements = Array.from({ length: 24 }, (_, index) => 104 + index);
  const privates = [...others, ...lastElements].map((field) => [field, `CVV2 of ${field} 203`]);
  const secrets: Message["fields"] = {
    ...Object.fromEntries(privates),
    35: track,
    36: `01${track}`,
    45: `B${cardNumber}^DOE/JANE^3012101`,
    48: "R9203719",
    52: "5A".repeat(16),
    55: "5F2A0208409F1A020840",
  };
  const message = { mti: "0220", fields: { 3: "000000", 4: "000000000100", ...identity, 49: "840" } };

  /** Of each data element, the bytes that a message has with it. */
  function secretBytes(dialect: DialectName): Buffer[] {
    return Object.entries(secrets).map(([field, value]) => {
      const alone: Message = { mti: "0220", fields: { [field]: value } };
      return Buffer.from(encodeMessage(alone, dialects[dialect])).subarray(-8);
    });
  }

  it.each(["default", "mastercard", "visa"] as const)(
    "are kept without track data, PIN block and security code, read or not (%s)",
    async (dialect) => {
      const kept: Uint8Array[] = [];
      const ports = {
        ...givenPorts(),
        keepRefused: async ({ input }: { input: Uint8Array }) => kept.push(input),
      };
      const handler = new MessageHandler(ports, dialects[dialect], messageKinds);
      const fields = { ...message.fields, ...secrets };
      const whole = encodeMessage({ ...message, fields }, dialects[dialect]);
      await handler.answer(whole);
      await handler.keepRefused({ reason: "Cut", input: whole.subarray(0, -3) });
      for (const other of Object.values(dialects))
        await new MessageHandler(ports, other, messageKinds).keepRefused({ reason: "Other", input: whole });
      expect(kept).toHaveLength(5);
      for (const input of kept) {
        expect(input.length).toBeGreaterThanOrEqual(whole.length - 3);
        for (const bytes of secretBytes(dialect)) expect(Buffer.from(input).includes(bytes)).toBe(false);
      }
      const named = { 37: identity[37] };
      const reference = Buffer.from(encodeMessage({ mti: "0220", fields: named }, dialects[dialect]));
      expect(Buffer.from(kept[0] ?? []).includes(reference.subarray(-12))).toBe(true);
    },
  );

  it("show no digit of a card number in a message of another dialect", async () => {
    const fields = { 2: cardNumber, 3: "000000", ...identity };
    const binary = encodeMessage({ mti: "0100", fields }, dialects.visa);
    const ports = givenPorts();
    const handler = new MessageHandler(ports, dialects.default, messageKinds);
    await handler.keepRefused({ reason: "Another dialect", input: binary });
    const [kept] = ports.refused;
    expect(Buffer.from(binary).subarray(11, 19).toString("hex")).toBe(cardNumber);
    expect([...(kept?.input.subarray(10) ?? [])]).toEqual(Array(binary.length - 10).fill(0x2a));
  });
});
