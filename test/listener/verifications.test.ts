import { describe, expect, it } from "vitest";
import { CardStatus } from "../../shared/contract/enums.ts";
import { givenActiveControls } from "../harness/given-active-controls.ts";
import { givenConnection, later } from "./given-connection.ts";

describe("an authorization of 0", () => {
  it.each(["default", "mastercard", "visa"] as const)("verifies the account (%s)", async (dialect) => {
    const { purchase, client, send, balances, records } = await givenConnection({
      dialect,
      availableMinor: 0,
    });
    const message = purchase(0, { 25: "51" });
    const { fields } = await send(message);
    expect(fields).toMatchObject({ 39: "85", 38: expect.stringMatching(/^[0-9A-F]{6}$/) });
    expect(fields).not.toHaveProperty("54");
    const repeated = { ...message, mti: "0101" };
    expect(await client.sendBytes(repeated)).toEqual(await client.sendBytes(message));
    expect(await balances()).toEqual([0, 0, 0]);
    expect((await records()).map(({ amountMinor }) => amountMinor)).toEqual([0]);
  });

  it.each([
    ["62", CardStatus.onHold, {}],
    ["46", CardStatus.closed, {}],
    ["78", CardStatus.notActivated, {}],
    ["54", CardStatus.active, { 14: "9901" }],
    ["82", CardStatus.active, { 48: "R9203000" }],
  ] as const)("is declined with %s", async (code, status, fields) => {
    const { purchase, send, setStatus, cvv } = await givenConnection();
    await setStatus(status);
    const wrong = "48" in fields && cvv === "000" ? { 48: "R9203001" } : fields;
    expect((await send(purchase(0, wrong))).fields[39]).toBe(code);
  });

  it("is the same in every currency, and asks no control", async () => {
    const connection = await givenConnection();
    const rules = { merchants: { mcc: { block: ["5411"] } } };
    await givenActiveControls(connection, [{ owner: "card", rules }]);
    const { purchase, send, balances } = connection;
    expect((await send(purchase(0, { 49: "978" }))).fields[39]).toBe("85");
    expect((await send(purchase(0, { 6: "0".repeat(12), 49: "978", 51: "840" }))).fields[39]).toBe("85");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("leaves nothing to reverse, and is no increment and no cash", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(0);
    await send(first);
    expect((await send(later("0420", first))).fields[39]).toBe("00");
    expect((await send(later("0100", first))).fields[39]).toBe("12");
    expect((await send(purchase(0, { 3: "010000" }))).fields[39]).toBe("12");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});

describe("the authorization of a refund", () => {
  const refund = { 3: "200000" };

  it("is answered, recorded, and moves nothing", async () => {
    const { purchase, client, send, balances, records } = await givenConnection();
    const message = purchase(2_500, refund);
    const answer = await client.sendBytes(message);
    expect((await send(message)).fields).toMatchObject({ 39: "00", 38: expect.any(String) });
    expect(await client.sendBytes({ ...message, mti: "0101" })).toEqual(answer);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    const description = "Refund authorization of 25.00: CORNER SHOP";
    const recorded = (await records()).slice(1);
    expect(recorded).toMatchObject([
      { transType: 87, type: "CR", amountMinor: 0, transStatus: 3, description },
    ]);
  });

  it("leaves the purchase that it names as it is, as its advice and reversal do", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    for (const mti of ["0100", "0120", "0400", "0420"])
      expect((await send(later(mti, first, refund))).fields[39]).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("is answered 12 in another currency, and for other content with its identity", async () => {
    const { purchase, send } = await givenConnection();
    expect((await send(purchase(2_500, { ...refund, 49: "978" }))).fields[39]).toBe("12");
    const message = purchase(2_500, refund);
    await send(message);
    const other = { ...message, fields: { ...message.fields, 4: "000000009999" } };
    expect((await send(other)).fields[39]).toBe("12");
  });
});
