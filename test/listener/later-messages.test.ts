import { describe, expect, it } from "vitest";
import { givenConnection, later, toAmount } from "./given-connection.ts";

describe("advices", () => {
  it("set the hold's total, and are answered the same again", async () => {
    const { purchase, send, client, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const advice = later("0120", first, { 4: toAmount(3_500) });
    const answer = await client.sendBytes(advice);
    expect(await client.sendBytes({ ...advice, mti: "0121" })).toEqual(answer);
    expect((await send(advice)).mti).toBe("0130");
    expect(await balances()).toEqual([6_500, 3_500, 10_000]);
    await send({ ...first, mti: "0120", fields: { ...first.fields, 4: toAmount(500) } });
    expect(await balances()).toEqual([9_500, 500, 10_000]);
  });

  it("of a stand-in hold what it approved, and nothing that it declined", async () => {
    const { purchase, send, balances, records } = await givenConnection({ availableMinor: 100 });
    const standIn = purchase(2_000, { 39: "00", 38: "ABC123" });
    expect((await send({ ...standIn, mti: "0120" })).fields).toMatchObject({ 39: "00", 38: "ABC123" });
    expect((await send({ ...purchase(500, { 39: "05" }), mti: "0120" })).fields[39]).toBe("00");
    expect(await balances()).toEqual([-1_900, 2_000, 100]);
    expect((await records()).at(-1)).toMatchObject({ transType: 14 });
  });

  it("of a stand-in hold what the platform had declined, once", async () => {
    const { purchase, send, balances } = await givenConnection({ availableMinor: 100 });
    const first = purchase(2_000);
    expect((await send(first)).fields[39]).toBe("51");
    const advice = later("0120", first, { 39: "00" });
    for (const mti of ["0120", "0121"]) expect((await send({ ...advice, mti })).fields[39]).toBe("00");
    expect((await send(first)).fields[39]).toBe("51");
    expect(await balances()).toEqual([-1_900, 2_000, 100]);
  });

  it("of a stand-in hold nothing that was reversed before, also after a decline", async () => {
    const { purchase, send, balances } = await givenConnection({ availableMinor: 100 });
    const first = purchase(2_000);
    await send(first);
    expect((await send(later("0420", first))).fields[39]).toBe("00");
    expect((await send(later("0120", first, { 39: "00" }))).fields[39]).toBe("00");
    expect(await balances()).toEqual([100, 0, 100]);
  });

  it.each([
    ["a decline of 0", { 4: toAmount(0), 39: "05" }],
    ["a balance inquiry", { 3: "310000", 4: toAmount(0) }],
  ])("of %s leave the authorization as it is", async (_, fields) => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    expect((await send(later("0120", first, fields))).fields[39]).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });
});

describe("reversals", () => {
  it.each(["0400", "0420"])("%s release all, once", async (mti) => {
    const { purchase, client, balances } = await givenConnection();
    const first = purchase(2_000);
    await client.send(first);
    const reversal = later(mti, first);
    const answer = await client.sendBytes(reversal);
    expect(await client.sendBytes({ ...reversal, mti: `${mti.slice(0, 3)}1` })).toEqual(answer);
    expect((await client.send({ ...reversal, mti })).fields[39]).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("leave what DE95 says, also at the rate of the message", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    await send(later("0400", first, { 95: `${toAmount(800)}${"0".repeat(30)}` }));
    expect(await balances()).toEqual([9_200, 800, 10_000]);
    const foreign = purchase(4_000, { 6: toAmount(2_000), 49: "978", 51: "840" });
    await send(foreign);
    await send(later("0400", foreign, { 95: `${toAmount(1_000)}${"0".repeat(30)}` }));
    expect(await balances()).toEqual([8_700, 1_300, 10_000]);
  });

  it("that come first leave nothing to hold, in the same four data elements too", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    expect((await send({ ...first, mti: "0400" })).fields[39]).toBe("00");
    expect((await send(first)).fields[39]).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});

describe("reports of money that cannot be applied", () => {
  const cash = { 3: "010000" };
  const euros = { 49: "978" };

  it("are answered 12 in another currency, and kept", async () => {
    const { purchase, send, balances, ports } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const left = { 95: `${toAmount(800)}${"0".repeat(30)}` };
    const messages = [
      later("0420", first, { ...left, ...euros }),
      later("0420", first, { ...left, 6: toAmount(2_000), 49: "840", 51: "978" }),
      { ...purchase(700, { ...cash, ...euros }), mti: "0120" },
    ];
    for (const message of messages) expect((await send(message)).fields[39]).toBe("12");
    expect(ports.refused).toHaveLength(messages.length);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
    expect((await send(later("0420", first, euros))).fields[39]).toBe("00");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("are answered 30 where DE95 leaves too much, or has no currency, and kept", async () => {
    const { purchase, client, send, balances, ports } = await givenConnection();
    const first = purchase(1_000, { 6: toAmount(2_000), 49: "978", 51: "840" });
    await send(first);
    const rest = "0".repeat(30);
    const withoutAmount = { 95: `${toAmount(500)}${rest}` };
    const { 4: _, 6: __, 49: ___, 51: ____, ...fields } = later("0420", first, withoutAmount).fields;
    const messages = [
      later("0420", first, { 95: `${"9".repeat(12)}${rest}` }),
      later("0420", first, { 95: `${toAmount(60_000_000_000)}${rest}` }),
      { mti: "0420", fields },
    ];
    for (const message of messages) expect((await send(message)).fields[39]).toBe("30");
    expect(ports.refused.map(({ reason }) => reason)).toEqual([
      "DE95 is too large.",
      "DE95 is too large.",
      "DE49 is missing.",
    ]);
    await client.sendBytes(later("0420", first));
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("are answered 30 where DE90 has neither trace nor time, and kept", async () => {
    const { purchase, send, balances, ports } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const unnamed = later("0420", first, { 90: `0100${"0".repeat(38)}` });
    expect((await send(unnamed)).fields[39]).toBe("30");
    expect(ports.refused).toMatchObject([{ reason: "DE90 does not name a message." }]);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("are answered 30 where DE95 has no rate, and kept", async () => {
    const { purchase, send, balances, ports } = await givenConnection();
    const first = purchase(2_000, { 6: toAmount(2_000), 49: "978", 51: "840" });
    await send(first);
    const { 4: _, ...fields } = later("0420", first, { 95: `${toAmount(800)}${"0".repeat(30)}` }).fields;
    expect((await send({ mti: "0420", fields })).fields[39]).toBe("30");
    expect(ports.refused).toHaveLength(1);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it("are answered 12 after a clearing, and kept: less was settled than they leave only then is done", async () => {
    const { purchase, send, ports, apply, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const [{ authorizationId }] = ports.events as never as [{ authorizationId: string }];
    await apply({ kind: "clearing", authorizationId, amount: 1_500 });
    expect((await send(later("0420", first))).fields[39]).toBe("12");
    expect(ports.refused).toHaveLength(1);
    const left = { 95: `${toAmount(1_500)}${"0".repeat(30)}` };
    expect((await send(later("0420", first, left))).fields[39]).toBe("00");
    expect(ports.refused).toHaveLength(1);
    expect(await balances()).toEqual([8_500, 0, 8_500]);
  });

  it("are answered 14 for an unknown card, and kept", async () => {
    const { purchase, send, ports } = await givenConnection();
    const first = purchase(2_000, { 2: "4111111111111111" });
    for (const mti of ["0120", "0420"]) expect((await send(later(mti, first))).fields[39]).toBe("14");
    expect(ports.refused).toHaveLength(2);
    expect((await send(first)).fields[39]).toBe("14");
    expect(ports.refused).toHaveLength(2);
  });
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
    expect(ports.refused).toEqual([
      {
        reason: `Not supported: message type ${mti}.`,
        input: expect.any(Uint8Array),
        identity: expect.any(String),
      },
    ]);
  });
});
