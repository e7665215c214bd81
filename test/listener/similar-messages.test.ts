import { describe, expect, it } from "vitest";
import { again, givenConnection, later, toAmount, withFields } from "./given-connection.ts";

describe("a repetition with a DE7 of its own", () => {
  it.each(["000000", "010000"])("is the same authorization, and its answer (DE3 %s)", async (code) => {
    const { purchase, send, balances, records } = await givenConnection();
    const first = purchase(2_500, { 3: code });
    const { 7: _, ...answer } = (await send(first)).fields;
    const [before, recorded] = [await balances(), await records()];
    for (const seconds of [1, 60, 3_600])
      expect((await send(again(first, seconds))).fields).toMatchObject({ ...answer, 39: "00" });
    expect(await balances()).toEqual(before);
    expect(await records()).toEqual(recorded);
  });

  it("shares the answer of the message that is under way", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_500);
    const answers = await Promise.all([first, again(first), again(first, 2)].map(send));
    expect(answers.map(({ fields }) => fields[39])).toEqual(["00", "00", "00"]);
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });

  it("is declined again as the message was", async () => {
    const { purchase, send, records } = await givenConnection({ availableMinor: 100 });
    const first = purchase(2_500);
    expect((await send(first)).fields[39]).toBe("51");
    const recorded = await records();
    expect((await send(again(first))).fields[39]).toBe("51");
    expect(await records()).toEqual(recorded);
  });

  it("counts for itself if the first message never came, and once", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_500);
    for (const seconds of [1, 2]) expect((await send(again(first, seconds))).fields[39]).toBe("00");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });

  it("of another amount is answered 12", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_500);
    await send(first);
    expect((await send(again(withFields(first, { 4: toAmount(2_600) })))).fields[39]).toBe("12");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });

  it("adds an increment once, which can be reversed by either time", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const increment = later("0100", first, { 4: toAmount(500) });
    await send(increment);
    expect((await send(again(increment))).fields[39]).toBe("00");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
    const reversal = later("0420", again(increment));
    expect((await send(reversal)).fields[39]).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it.each(["0120", "0420"])("of an %s counts once, with and without DE90", async (mti) => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const heldMinor = mti === "0120" ? 3_000 : 0;
    const named = later(mti, first, { 4: toAmount(3_000) });
    const unnamed = withFields({ ...first, mti }, { 4: toAmount(3_000) });
    for (const message of [named, again(named), unnamed, again(unnamed), again(unnamed, 5)])
      expect((await send(message)).fields[39]).toBe("00");
    expect(await balances()).toEqual([10_000 - heldMinor, heldMinor, 10_000]);
  });

  it("of a stand-in's advice holds once", async () => {
    const { purchase, send, balances } = await givenConnection();
    const advice = { ...purchase(2_000, { 39: "00" }), mti: "0120" };
    for (const message of [advice, again(advice), again(advice, 60)]) await send(message);
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });

  it.each([
    ["another trace", { 11: "990001" }],
    ["another reference", { 37: "REF990001000" }],
    ["another acquirer", { 32: "54321" }],
  ])("is another message with %s", async (_, fields) => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    expect((await send(again(withFields(first, fields)))).fields[39]).toBe("00");
    expect(await balances()).toEqual([6_000, 4_000, 10_000]);
  });

  it("is another message where trace and reference are fillers, or it is no repetition", async () => {
    const { purchase, send, balances } = await givenConnection();
    const filled = purchase(1_000, { 11: "000000", 37: "000000000000" });
    const first = purchase(1_000);
    for (const message of [filled, again(filled, 10), first, { ...again(first), mti: "0100" }])
      expect((await send(message)).fields[39]).toBe("00");
    expect(await balances()).toEqual([6_000, 4_000, 10_000]);
  });
});

describe("DE90", () => {
  const ownReference = { 37: "REF990002000" };

  it.each(["0400", "0420"])("names what %s releases, whatever its DE37", async (mti) => {
    const { purchase, send, balances } = await givenConnection();
    const [first, other] = [purchase(2_000), purchase(1_000)];
    for (const message of [first, other]) await send(message);
    const reversal = later(mti, first, ownReference);
    for (const message of [reversal, { ...reversal, mti: `${mti.slice(0, 3)}1` }])
      expect((await send(message)).fields[39]).toBe("00");
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
  });

  it("names it for a part, for cash, and for an increment", async () => {
    const { purchase, send, balances } = await givenConnection();
    const [first, cash] = [purchase(2_000), purchase(1_000, { 3: "010000" })];
    for (const message of [first, cash]) await send(message);
    const increment = later("0100", first, { ...ownReference, 4: toAmount(500) });
    expect((await send(increment)).fields[39]).toBe("00");
    expect(await balances()).toEqual([6_500, 2_500, 9_000]);
    await send(later("0420", increment, { 37: "REF990003000" }));
    await send(later("0420", cash, { 37: "REF990004000", 3: "010000" }));
    await send(later("0420", first, { 37: "REF990005000", 95: `${toAmount(800)}${"0".repeat(30)}` }));
    expect(await balances()).toEqual([9_200, 800, 10_000]);
  });

  it("names it for an advice, whose total counts once", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    expect((await send(later("0120", first, { ...ownReference, 4: toAmount(2_500) }))).fields[39]).toBe("00");
    expect(await balances()).toEqual([7_500, 2_500, 10_000]);
  });

  it.each(["the first", "the last"])("may name the time of %s repetition", async (which) => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    for (const message of [first, again(first, 5)]) await send(message);
    const named = which === "the first" ? first : again(first, 5);
    await send(later("0420", { ...named, mti: "0100" }));
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("releases nothing of another message", async () => {
    const { purchase, send, balances } = await givenConnection();
    const first = purchase(2_000);
    await send(first);
    const other = withFields(first, { 11: "990005", ...ownReference });
    expect((await send(later("0420", other))).fields[39]).toBe("00");
    expect(await balances()).toEqual([8_000, 2_000, 10_000]);
  });
});
