import { describe, expect, it } from "vitest";
import { CardStatus } from "../../shared/contract/enums.ts";
import { givenConnection } from "./given-connection.ts";

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
});
