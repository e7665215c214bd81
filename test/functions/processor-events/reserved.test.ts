import { afterEach, describe, expect, it, vi } from "vitest";
import type { Reply } from "../../../shared/authorizations/decisions/ask.ts";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { lapseAfterMs } from "../../../shared/questions/question.ts";
import { storedEntries } from "../../harness/books.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { approve, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { eventsIn, storedItem } from "../../harness/stored.ts";

const now = Date.UTC(2027, 2, 10, 10);
const deadline = timestamp(new Date(now + 500));
const lapsesAt = timestamp(new Date(now + 500 + lapseAfterMs));

afterEach(() => void vi.useRealTimers());

/** Its question, and what is stored of its hold and record while that is open. */
async function whileOpen({ receiver, ...network }: Given, event: object) {
  const open = heldBack();
  receiver.answer(open.answer);
  const answered = network.send({ eventId: "asked", ...event } as Told);
  const question = await Promise.race([open.asked, answered]);
  const items = await network.everything();
  const hold = items.find(({ sk, reservations }) => sk === "HOLD" && reservations);
  const record = items.find(({ sk, question: kept }) => sk === "EVENT" && kept);
  const booked = storedEntries(items).filter(({ entry }) => entry.kind === "hold_reserved");
  open.reply(approve(question as never));
  await answered;
  receiver.answer(approve);
  return { question, hold, open: record?.question, booked: booked.length };
}

/** A Card, perhaps with a control, of a Program with a receiver, a day later. Time stands still. */
async function given(rules?: { readonly merchantLock: true }) {
  vi.useFakeTimers({ toFake: ["Date"], now: now - 86_400_000 });
  const network = await givenNetwork();
  const controls = rules ? await givenActiveControls(network, [{ owner: "card", rules }]) : [];
  const receiver = await givenReceiver(network.programId, approve);
  vi.useFakeTimers({ toFake: ["Date"], now });
  return { ...network, receiver, controls };
}

type Given = Awaited<ReturnType<typeof given>>;

const shop = { merchantName: "Shop", mcc: "5411", merchantId: "m1", merchantCity: "Bern" };
const authorization = { kind: "authorization", authorizationId: "A", amount: 3_000 } as const;
const increment = { kind: "authorization_incremental", authorizationId: "A", amount: 500 } as const;
const cash = { kind: "atm_withdrawal", amount: 4_000, feeAmount: 250 } as const;
const none = { merchantAmount: 3_000, merchantCurrency: "840", partialApprovalSupported: false, deadline };

describe("what the receiver is asked", () => {
  const asked = { type: "authorization.requested", eventId: "asked", currency: 0, availableBalance: 10_000 };

  it.each<[string, Told, object, object[]?]>([
    [
      "an authorization, with all that was sent",
      {
        ...{ ...authorization, ...shop, merchantCountry: "CH", srcAmount: 2_780, srcCurrency: "756" },
        ...{ entryMode: "chip", partialApprovalSupported: true, verification: { cvc: "match" } },
      },
      {
        ...{ kind: "authorization", authorizationId: "A", amount: 3_000, ...none, entryMode: "chip" },
        ...{ merchantAmount: 2_780, merchantCurrency: "756", partialApprovalSupported: true },
        merchant: { name: "Shop", id: "m1", mcc: "5411", city: "Bern", country: "CH" },
        verification: expect.objectContaining({ cvc: "match" }),
      },
    ],
    [
      "one of which nothing more is known",
      authorization,
      { kind: "authorization", authorizationId: "A", amount: 3_000, ...none, merchant: {} },
    ],
    [
      "an increment",
      { ...increment, ...shop },
      {
        ...{ kind: "increment", authorizationId: "A", amount: 500, ...none, merchantAmount: 500 },
        ...{ availableBalance: 7_000, merchant: { name: "Shop", id: "m1", mcc: "5411", city: "Bern" } },
      },
      [authorization],
    ],
    [
      "cash, with its fee",
      { ...cash, authorizationId: "A", entryMode: "chip" },
      {
        ...{ kind: "atm_withdrawal", authorizationId: "A", amount: 4_000, ...none, merchantAmount: 4_000 },
        ...{ feeAmount: 250, entryMode: "chip", merchant: {} },
      },
    ],
  ])("is %s", async (_, event, facts, before = []) => {
    const network = await given();
    for (const one of before) await network.apply(one as Told);
    const { question } = await whileOpen(network, event);
    const { cardId } = network;
    expect(question).toEqual({ ...asked, cardId, cardholderId: expect.stringMatching(/^chd_/), ...facts });
  });
});

describe("what is set aside while the receiver is asked", () => {
  it("is the amount of an authorization, which names the event and the merchant", async () => {
    const network = await given();
    const { hold, open, booked } = await whileOpen(network, { ...authorization, ...shop });
    expect(booked).toBeGreaterThan(0);
    expect(hold).toMatchObject({
      ...{ authorizedMinor: 0, decided: true, decisionEventId: "asked", merchant: shop },
      reservations: [{ eventId: "asked", amountMinor: 3_000, lapsesAt }],
    });
    expect(hold).not.toHaveProperty("increments");
    expect(open).toMatchObject({
      ...{ authorizationId: "A", amountMinor: 3_000, lapsesAt, receivedAt: timestamp(new Date(now)) },
      event: { kind: "authorization", amount: 3_000 },
    });
  });

  it("is that of an increment, at its time, which the hold counts and names among the last fifty", async () => {
    const network = await given();
    await network.apply({ ...authorization, ...shop, eventId: "first" });
    const key = holds.key(network.programId, "A");
    const { hold } = await whileOpen(network, { ...increment, merchantName: "Other" });
    const at = timestamp(new Date(now));
    expect(hold).toMatchObject({
      ...{ authorizedMinor: 3_000, increments: 1, askedIncrements: ["asked"], merchant: shop },
      reservations: [{ eventId: "asked", amountMinor: 500, lapsesAt, at }],
    });
    expect(hold).toMatchObject({ decisionEventId: "first" });
    const asked = Array.from({ length: 50 }, (_, nth) => `${nth}`);
    await overwrite(key, { askedIncrements: asked, increments: 50 });
    const occurredAt = "2027-03-09T10:00:00.000Z";
    const { hold: full } = await whileOpen(network, { ...increment, eventId: "last", occurredAt });
    expect(full).toMatchObject({
      ...{ increments: 51, askedIncrements: [...asked.slice(1), "last"] },
      reservations: [{ eventId: "last", at: occurredAt }],
    });
  });

  it("is that of cash with its fee, of which nothing else is known yet", async () => {
    const { hold } = await whileOpen(await given(), cash);
    expect(hold).toMatchObject({
      reservations: [{ eventId: "asked", amountMinor: 4_000, feeMinor: 250, lapsesAt }],
    });
    expect(hold?.authorizationId).toMatch(/^hld_/);
    expect(hold).not.toHaveProperty("increments");
  });

  it("names the controls that its first use marks, and no others", async () => {
    const network = await given({ merchantLock: true });
    const used = async (event: object) => {
      const { hold } = await whileOpen(network, event);
      const [reservation] = (hold?.reservations ?? []) as readonly { usedControls?: string[] }[];
      return reservation?.usedControls;
    };
    expect(await used({ ...authorization, merchantId: "m1" })).toEqual(network.controls);
    expect(await used({ ...increment, merchantId: "m1", eventId: "i" })).toBeUndefined();
    await network.apply({ kind: "authorization_advice", authorizationId: "B", amount: 5, merchantId: "m1" });
    const late = { ...authorization, authorizationId: "B", merchantId: "m1", eventId: "b" };
    expect(await used(late)).toBeUndefined();
    const reversal = { kind: "authorization_reversal", authorizationId: "C", amount: 3_000 } as const;
    await network.apply(reversal);
    expect(await used({ ...late, authorizationId: "C", eventId: "c" })).toBeUndefined();
    const { hold } = await whileOpen(await given(), authorization);
    expect(hold?.reservations).toEqual([{ eventId: "asked", amountMinor: 3_000, lapsesAt }]);
  });

  it("is nothing where a total has it already", async () => {
    const network = await given();
    const total = { kind: "authorization_advice", authorizationId: "A", amount: 3_000, total: true } as const;
    await network.apply(total);
    const { hold, question, booked } = await whileOpen(network, authorization);
    expect(booked).toBe(0);
    expect(question).toMatchObject({ amount: 3_000, availableBalance: 7_000 });
    expect(hold).toMatchObject({ outstandingMinor: 3_000 });
    expect(await network.balances()).toEqual([7_000, 3_000, 10_000]);
  });
});

describe("what a decision records", () => {
  const whole = { kind: "approve", amountMinor: 3_000 } as const;
  const no = { kind: "decline" } as const;
  const placed = (placedMinor: number) => [["hold.placed", placedMinor]];
  const declined = [["authorization.declined", undefined]];

  it.each<[string, Told, Reply, object, booked: number, told: unknown[]]>([
    ["an approval", authorization, whole, { description: "Authorization", type: "DR" }, 0, placed(3_000)],
    [
      "one at a merchant",
      { ...authorization, ...shop },
      whole,
      { description: "Shop", mcc: "5411" },
      0,
      placed(3_000),
    ],
    [
      "a partial one",
      authorization,
      { ...whole, amountMinor: 1_000 },
      { amountMinor: 1_000 },
      1,
      placed(1_000),
    ],
    ["a decline", { ...authorization, ...shop }, no, { description: "Shop", transStatus: 4 }, 1, declined],
    [
      "an increment",
      { ...increment, authorizationId: "B" },
      { ...whole, amountMinor: 500 },
      { description: "Hotel" },
      0,
      placed(500),
    ],
    ["a declined one", { ...increment, authorizationId: "B" }, no, { description: "Hotel" }, 1, declined],
    [
      "that of another merchant",
      { ...increment, authorizationId: "B", ...shop },
      no,
      { description: "Shop" },
      1,
      declined,
    ],
    ["declined cash", cash, no, { description: "Foreign Cash Withdrawal" }, 1, declined],
  ])("is %s", async (_, event, reply, record, booked, told) => {
    const network = await given();
    await network.apply({ ...authorization, authorizationId: "B", amount: 100, merchantName: "Hotel" });
    const before = eventsIn(await network.everything()).length;
    network.receiver.answer(() => reply);
    const { transId } = await network.apply(event);
    const items = await network.everything();
    expect(await network.record(transId)).toMatchObject(record);
    const released = storedEntries(items).filter(({ entry }) => entry.kind === "hold_released");
    expect(released).toHaveLength(booked);
    const events = eventsIn(items).slice(before);
    const details = events.map(({ kind, detail }) => [
      kind,
      (detail as { placedMinor?: number }).placedMinor,
    ]);
    expect(details).toEqual(told);
  });

  it("is what closes an authorization that is declined, unless something else came for it", async () => {
    const network = await given();
    network.receiver.answer(() => no);
    await network.apply(authorization);
    expect(await storedItem(holds.key(network.programId, "A"))).toMatchObject({ closedBy: "declined" });
    const advice = { kind: "authorization_advice", authorizationId: "B", amount: 5 } as const;
    network.receiver.answer(async () => {
      await network.apply(advice);
      return no;
    });
    await network.apply({ ...authorization, authorizationId: "B" });
    expect(await storedItem(holds.key(network.programId, "B"))).not.toHaveProperty("closedBy");
    expect(await network.balances()).toEqual([9_995, 5, 10_000]);
  });

  it("gives back what it used of controls where it declines, and of its own question alone", async () => {
    const network = await given({ merchantLock: true });
    network.receiver.answer(() => no);
    await network.apply({ ...authorization, merchantId: "m1" });
    network.receiver.answer(approve);
    const other = { ...authorization, authorizationId: "B", merchantId: "m2" };
    expect(await network.apply(other)).toMatchObject({ approved: true });
    const third = { ...authorization, authorizationId: "C", merchantId: "m1" };
    expect(await network.apply(third)).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  });
});
