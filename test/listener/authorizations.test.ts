import { describe, expect, it } from "vitest";
import { givenActiveControls } from "../harness/given-active-controls.ts";
import { givenListener, givenPorts } from "../harness/given-listener.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { givenConnection, toAmount } from "./given-connection.ts";

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
    ["62", 2],
    ["46", 3],
    ["78", 4],
  ] as const)("is declined with %s for the card's status", async (code, status) => {
    const { purchase, send, setStatus } = await givenConnection();
    await setStatus(status as never);
    expect((await send(purchase(100))).fields[39]).toBe(code);
  });

  it.each([
    ["in both currencies", 2_000, "978", { 4: 2_000, 6: 1_000 }],
    ["where the billing amount is a filler", 0, "840", { 4: 1_000, 6: 0 }],
  ])("is approved in part, %s", async (_, billed, currency, { 4: approved, 6: inBilling }) => {
    const { purchase, send, setProgram, balances } = await givenConnection({ availableMinor: 1_000 });
    await setProgram({ partialApproval: true });
    const fields = { 6: toAmount(billed), 48: "R610510000", 49: currency, 51: "840" };
    const answer = await send(purchase(4_000, fields));
    expect(answer.fields).toMatchObject({ 39: "10", 4: toAmount(approved), 6: toAmount(inBilling) });
    expect(answer.fields[38]).toHaveLength(6);
    expect(await balances()).toEqual([0, 1_000, 1_000]);
  });

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
});
