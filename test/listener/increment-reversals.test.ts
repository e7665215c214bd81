import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { approve, givenReceiver, heldBack } from "../harness/given-receiver.ts";
import { givenConnection, later, toAmount } from "./given-connection.ts";

const left = (minor: number) => ({ 95: `${toAmount(minor)}${"0".repeat(30)}` });

describe("a reversal that names an increment", () => {
  async function given(network?: Awaited<ReturnType<typeof givenConnection>>) {
    const connection = network ?? (await givenConnection());
    const first = connection.purchase(2_000);
    await connection.send(first);
    const increment = later("0100", first, { 4: toAmount(500) });
    const code = async (message: Message) => (await connection.send(message)).fields[39];
    return { ...connection, first, increment, code };
  }

  it("releases it and nothing else, once, whatever message reverses it again", async () => {
    const { increment, first, client, send, code, balances } = await given();
    expect(await code(increment)).toBe("00");
    const reversal = later("0400", increment);
    const answer = await client.sendBytes(reversal);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
    expect(await client.sendBytes({ ...reversal, mti: "0401" })).toEqual(answer);
    expect(await code(later("0420", increment))).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
    await send(later("0420", first));
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("may have its four data elements instead of DE90", async () => {
    const { increment, code, balances } = await given();
    await code(increment);
    const { 90: _, ...fields } = increment.fields;
    expect(await code({ mti: "0420", fields })).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("leaves what DE95 says of it; more than it was approved for is refused, and kept", async () => {
    const { increment, code, balances, ports } = await given();
    await code(increment);
    expect(await code(later("0400", increment, left(200)))).toBe("00");
    expect(await balances()).toEqual([7_800, 2_200, 10_000]);
    expect(await code(later("0400", increment, left(2_200)))).toBe("12");
    expect(ports.refused).toHaveLength(1);
    expect(await code(later("0400", increment, left(100)))).toBe("00");
    expect(await code(later("0400", increment))).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("releases nothing of one that was declined, or unknown", async () => {
    const { first, purchase, send, code, balances } = await given();
    const declined = later("0100", first, { 4: toAmount(50_000) });
    expect(await code(declined)).toBe("51");
    const unknown = later("0100", purchase(700), { 4: toAmount(500) });
    expect((await send(unknown)).fields[39]).toBe("25");
    for (const one of [declined, unknown]) expect(await code(later("0420", one))).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("is one of an authorization that holds nothing, if that was refused", async () => {
    const { purchase, code, balances } = await given();
    const refused = purchase(700, { 49: "978" });
    expect(await code(refused)).toBe("12");
    expect(await code(later("0420", refused))).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("may come first: then the increment is declined", async () => {
    const { increment, code, balances } = await given();
    expect(await code(later("0420", increment))).toBe("00");
    expect(await code(increment)).toBe("05");
    expect(await code({ ...increment, mti: "0101" })).toBe("05");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("ends with its authorization alone when both come at once", async () => {
    const { first, code, balances } = await given();
    for (const amount of [100, 200, 300, 400]) {
      const increment = later("0100", first, { 4: toAmount(amount) });
      const codes = await Promise.all([code(increment), code(later("0420", increment))]);
      expect(codes[1]).toBe("00");
      expect(await balances()).toEqual([8_000, 2_000, 10_000]);
    }
  });

  it("waits for the decision of its receiver", async () => {
    const connection = await givenConnection();
    const receiver = await givenReceiver(connection.programId, approve);
    const { increment, code, balances } = await given(connection);
    const open = heldBack();
    receiver.answer(open.answer);
    const answers = [code(increment)];
    const question = await open.asked;
    answers.push(code(later("0420", increment)));
    await sleep(100);
    open.reply(approve(question));
    expect(await Promise.all(answers)).toEqual(["00", "00"]);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("releases nothing that a later total does not have", async () => {
    const { first, increment, code, balances } = await given();
    await code(increment);
    const reversal = later("0420", increment, { 7: increment.fields[7] ?? "" });
    expect(await code(later("0120", first, { 4: toAmount(2_100) }))).toBe("00");
    expect(await code(reversal)).toBe("00");
    expect(await balances()).toEqual([7_900, 2_100, 10_000]);
  });
});
