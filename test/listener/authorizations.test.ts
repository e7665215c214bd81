import { describe, expect, it } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { decodeMessage } from "../harness/decode-message.ts";
import { givenActiveControls } from "../harness/given-active-controls.ts";
import { givenListener, givenPorts } from "../harness/given-listener.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { givenConnection, later, toAmount } from "./given-connection.ts";

describe("an authorization", () => {
  it("is approved with code and balances, and recorded with its merchant", async () => {
    const { purchase, send, balances, records } = await givenConnection();
    const message = purchase(2_500);
    const answer = await send(message);
    const { 14: _, 18: __, 22: ___, 43: ____, ...echoed } = message.fields;
    expect(answer).toEqual({
      mti: "0110",
      fields: {
        ...echoed,
        38: expect.stringMatching(/^[0-9A-F]{6}$/),
        39: "00",
        54: `0001840C${toAmount(10_000)}0002840C${toAmount(7_500)}`,
      },
    });
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
    expect((await records()).at(-1)).toMatchObject({
      transType: 1,
      amountMinor: 2_500,
      merchantName: "CORNER SHOP",
      merchantCity: "BERLIN",
      merchantCountry: "DE",
      merchantId: "MERCHANT0000001",
      mcc: "5411",
      event: { entryMode: "chip" },
    });
  });

  it.each(["mastercard", "visa"] as const)("comes in the dialect %s", async (dialect) => {
    const { purchase, send, balances } = await givenConnection({ dialect });
    expect(await send(purchase(2_500))).toMatchObject({ mti: "0110", fields: { 39: "00" } });
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });

  it("is answered the same again, to the byte, after other messages and by another process", async () => {
    const { purchase, client, balances, port } = await givenConnection();
    const message = purchase(2_500);
    const first = await client.sendBytes(message);
    await client.send(purchase(100));
    expect(await client.sendBytes(message)).toEqual(first);
    expect(await client.sendBytes({ ...message, mti: "0101" })).toEqual(first);
    const { port: restarted } = await givenListener(givenPorts());
    expect(restarted).not.toBe(port);
    const other = await NetworkClient.connect(restarted);
    expect(await other.sendBytes({ ...message, mti: "0101" })).toEqual(first);
    other.close();
    expect(await balances()).toEqual([7_400, 2_600, 10_000]);
  });

  it.each([
    ["51", { availableMinor: 100 }, {}],
    ["14", {}, { 2: "4111111111111111" }],
    ["12", {}, { 3: "220000" }],
    ["12", {}, { 49: "978" }],
    ["30", {}, { 37: " ".repeat(12) }],
    ["54", {}, { 14: "9901" }],
    ["30", {}, { 4: toAmount(100_000_000_001) }],
    ["30", {}, { 6: toAmount(100_000_000_001), 51: "840" }],
  ] as const)("is declined with %s", async (code, given, fields) => {
    const { purchase, send } = await givenConnection(given);
    const answer = await send(purchase(2_500, fields));
    expect(answer.fields[39]).toBe(code);
    expect(answer.fields).not.toHaveProperty("38");
    expect(answer.fields).not.toHaveProperty("54");
  });

  it.each([
    ["62", 2],
    ["46", 3],
    ["78", 4],
  ] as const)("is declined with %s for the card's status", async (code, status) => {
    const { purchase, send, setStatus } = await givenConnection();
    await setStatus(status as never);
    expect((await send(purchase(100))).fields[39]).toBe(code);
  });

  it("is approved in part, in both currencies", async () => {
    const { purchase, send, setProgram, balances } = await givenConnection({ availableMinor: 1_000 });
    await setProgram({ partialApproval: true });
    const fields = { 6: toAmount(2_000), 48: "R610510000", 49: "978", 51: "840" };
    const answer = await send(purchase(4_000, fields));
    expect(answer.fields).toMatchObject({ 39: "10", 4: toAmount(2_000), 6: toAmount(1_000) });
    expect(answer.fields[38]).toHaveLength(6);
    expect(await balances()).toEqual([0, 1_000, 1_000]);
  });

  it.each<Message["fields"]>([{}, { 48: "R610500000" }])(
    "is declined where the terminal takes no part: %o",
    async (fields) => {
      const { purchase, send, setProgram, balances } = await givenConnection({ availableMinor: 1_000 });
      await setProgram({ partialApproval: true });
      expect((await send(purchase(4_000, fields))).fields[39]).toBe("51");
      expect(await balances()).toEqual([1_000, 0, 1_000]);
    },
  );

  it.each([
    ["mastercard", "DEU", "00"],
    ["mastercard", "FRA", "57"],
    ["mastercard", "DE ", "57"],
    ["mastercard", "D?U", "57"],
    ["visa", " DE", "00"],
    ["visa", " EU", "57"],
  ] as const)("meets a control of countries by %s's DE43: %s", async (dialect, code, answer) => {
    const connection = await givenConnection({ dialect });
    await givenActiveControls(connection, [
      { owner: "card", rules: { merchants: { country: { allow: ["DE"] } } } },
      { owner: "card", rules: { merchants: { country: { block: ["FR"] } } } },
    ]);
    const { purchase, send } = connection;
    const location = `${"CORNER SHOP".padEnd(22)} ${"BERLIN".padEnd(13)} ${code}`;
    expect((await send(purchase(2_500, { 43: location }))).fields[39]).toBe(answer);
  });

  it("with a stored credential is not recurring, unless its own indicator says so", async () => {
    const connection = await givenConnection();
    await givenActiveControls(connection, [
      { owner: "card", rules: { entryModes: { block: ["recurring"] } } },
    ]);
    const { purchase, send } = connection;
    expect((await send(purchase(2_500, { 22: "100" }))).fields[39]).toBe("00");
    expect((await send(purchase(2_500, { 22: "100", 61: "0004" }))).fields[39]).toBe("57");
  });

  it("counts the billing amount before the transaction's", async () => {
    const { purchase, send, balances, records } = await givenConnection();
    await send(purchase(3_000, { 6: toAmount(2_000), 49: "392", 51: "840" }));
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
    expect((await records()).at(-1)).toMatchObject({ srcAmountMinor: 3_000, srcCurrency: "392" });
  });

  it("counts it where the transaction's is too large to be recorded", async () => {
    const { purchase, send, balances, records } = await givenConnection();
    const large = { 4: "9".repeat(12), 6: toAmount(2_000), 49: "392", 51: "840" };
    expect((await send(purchase(0, large))).fields[39]).toBe("00");
    expect((await send({ ...purchase(0, { ...large, 6: toAmount(500) }), mti: "0120" })).fields[39]).toBe(
      "00",
    );
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
    expect((await records()).at(-1)).toMatchObject({ srcCurrency: "392" });
  });

  it.each([
    ["0100", {}, 49],
    ["0100", { 3: "010000" }, 49],
    ["0120", {}, 49],
    ["0420", {}, 49],
    ["0100", { 6: toAmount(100), 51: "840" }, 51],
    ["0100", { 6: toAmount(100), 51: "840" }, 49],
    ["0420", { 6: toAmount(100), 51: "840" }, 51],
  ] as const)("%s with %o is answered 30 without DE%i, and kept", async (mti, given, currency) => {
    const { purchase, client, send, ports, balances } = await givenConnection();
    const { fields } = purchase(100, given);
    const { [currency]: _, ...without } = fields;
    const answer = client.sendBytes({ mti, fields: without });
    expect((await send({ mti, fields: without })).fields[39]).toBe("30");
    expect(decodeMessage(await answer).fields[39]).toBe("30");
    expect(ports.refused[0]?.reason).toBe(`DE${currency} is missing.`);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it.each(["000000", "010000"])(
    "is answered 12 where another amount has the same identity, and kept (DE3 %s)",
    async (code) => {
      const { purchase, client, send, balances, ports } = await givenConnection();
      const message = purchase(2_000, { 3: code });
      const other = { ...message, fields: { ...message.fields, 4: toAmount(3_000) } };
      const [first, second] = await Promise.all([client.sendBytes(message), send(message)]);
      expect(second.fields[39]).toBe("00");
      const before = await balances();
      for (const mti of ["0100", "0101"]) expect((await send({ ...other, mti })).fields[39]).toBe("12");
      expect(ports.refused).toHaveLength(2);
      expect(await client.sendBytes({ ...message, mti: "0101" })).toEqual(first);
      expect(await balances()).toEqual(before);
    },
  );

  it("is increased once by one identity, whatever its amounts", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const increment = later("0100", first, { 4: toAmount(500) });
    expect((await send(increment)).fields[39]).toBe("00");
    const other = { ...increment, fields: { ...increment.fields, 4: toAmount(900) } };
    expect((await send(other)).fields[39]).toBe("12");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });

  it("that is unknown to its increment at first stays so for a repetition", async () => {
    const { purchase, client, send, balances } = await givenConnection();
    const first = purchase(2_000);
    const increment = later("0100", first, { 4: toAmount(500) });
    const answer = await client.sendBytes(increment);
    expect((await send(first)).fields[39]).toBe("00");
    expect((await send({ ...increment, mti: "0101" })).fields[39]).toBe("25");
    expect(await client.sendBytes(increment)).toEqual(answer);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("is increased by one that names it", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    expect((await send(later("0100", first, { 4: toAmount(500) }))).fields[39]).toBe("00");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });
});
