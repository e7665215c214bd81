import { afterEach, describe, expect, it, vi } from "vitest";
import { getCard } from "../../../shared/cards/card.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

/** Each test has a year of its own, so that it does not sweep what another has left. */
let year = 2070;
const dayMs = 86_400_000;

afterEach(() => void vi.useRealTimers());

/** On the first of January. The Cards expire with March. */
async function given(settings: object) {
  year += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year, 0, 1) });
  const program = await givenProgram();
  await change(program, settings);
  return { program, cardholderId: await givenApprovedCardholder(program) };
}

function change({ programId, call }: GivenProgram, body: object) {
  return call("PUT /account/programs/{programId}/settings", { path: { programId }, body });
}

type Given = Awaited<ReturnType<typeof given>>;

async function givenExpiring({ program, cardholderId }: Given, cardForm: 0 | 1 = 0) {
  const physical = cardForm === 1 && { shippingAddress };
  const expiry = { expiryMonth: 3, expiryYear: year };
  const card = await givenCard(program, { cardholderId, cardForm, ...expiry, ...physical });
  const path = { cardId: String(card.cardId) };
  return {
    path,
    view: async () => (await program.call("GET /cards/{cardId}", { path })).body.data,
    reasons: async (): Promise<string[]> =>
      (await program.call("GET /cards/{cardId}/plastics", { path })).body.items.map(
        ({ reason }: { reason: string }) => reason,
      ),
  };
}

/** So many days before the Cards' last month ends, with a sweep. */
async function sweepBefore(days: number): Promise<void> {
  vi.setSystemTime(Date.UTC(year, 3, 1) - days * dayMs);
  await sweepDeadlines();
}

describe("a Card that expires", () => {
  it("is renewed once, 45 days before, if the Program says so", async () => {
    const all = await given({ autoRenew: true });
    const [virtual, physical] = [await givenExpiring(all), await givenExpiring(all, 1)];
    const { maskedCardNumber, expiryMonth, expiryYear } = await physical.view();
    const body = { lastFour: maskedCardNumber.slice(-4), expiryMonth, expiryYear };
    await all.program.call("POST /cards/{cardId}/activate", { path: physical.path, body });
    await sweepBefore(46);
    expect(await virtual.reasons()).toEqual(["issued"]);
    for (const days of [45, 44, 43, 30]) await sweepBefore(days);
    expect(await virtual.reasons()).toEqual(["issued", "renewed"]);
    expect(await physical.reasons()).toEqual(["issued", "renewed"]);
    expect((await virtual.view()).expiryYear).toBeGreaterThan(year);
    const { items } = (await all.program.call("GET /account-updates", {})).body;
    expect(items).toMatchObject([{ kind: "expiry", cardId: virtual.path.cardId }]);
    const audited = await all.program.call("GET /account/audit-log", { query: { action: "renew" } });
    expect(audited.body.items).toHaveLength(2);
  });

  it("stays as it is without the setting, and after it was switched off", async () => {
    const all = await given({});
    const of = await givenExpiring(all);
    await sweepBefore(44);
    await change(all.program, { autoRenew: true });
    await change(all.program, { autoRenew: false });
    await sweepBefore(40);
    expect(await of.reasons()).toEqual(["issued"]);
    await change(all.program, { autoRenew: true });
    await sweepBefore(40);
    expect(await of.reasons()).toEqual(["issued", "renewed"]);
  });

  it("is renewed on hold too, and once it is not blocked any more; not closed, and not expired", async () => {
    const all = await given({ autoRenew: true });
    const [held, blocked, closed] = [
      await givenExpiring(all),
      await givenExpiring(all),
      await givenExpiring(all),
    ];
    const { program } = all;
    await program.call("PUT /cards/{cardId}/status", { path: held.path, body: { status: 2 } });
    await program.call("POST /cards/{cardId}/close", { path: closed.path, body: {} });
    const { programId } = program;
    const { cardId } = blocked.path;
    await program.operate("block-card", { programId, cardId });
    await sweepBefore(44);
    expect([await held.reasons(), await blocked.reasons(), await closed.reasons()]).toEqual([
      ["issued", "renewed"],
      ["issued"],
      ["issued"],
    ]);
    expect((await held.view()).issuerCardStatus).toBe(2);
    await program.operate("unblock-card", { programId, cardId });
    await sweepBefore(43);
    expect(await blocked.reasons()).toEqual(["issued", "renewed"]);
  });

  it("of two sweeps at once, one renews", async () => {
    const all = await given({ autoRenew: true });
    const of = await givenExpiring(all);
    vi.setSystemTime(Date.UTC(year, 3, 1) - 40 * dayMs);
    await Promise.all([sweepDeadlines(), sweepDeadlines(), sweepDeadlines()]);
    expect(await of.reasons()).toEqual(["issued", "renewed"]);
  });

  it("one that has expired is left alone", async () => {
    const all = await given({});
    const of = await givenExpiring(all);
    await sweepBefore(-1);
    await change(all.program, { autoRenew: true, renewalReminder: true });
    await sweepBefore(-1);
    expect(await of.reasons()).toEqual(["issued"]);
  });
});

describe("the reminder", () => {
  it("marks a Card once, 60 days before", async () => {
    const all = await given({ renewalReminder: true });
    const of = await givenExpiring(all);
    const marked = async () => (await getCard(all.program.programId, of.path.cardId)).remindedExpiry;
    await sweepBefore(61);
    expect(await marked()).toBeUndefined();
    await sweepBefore(60);
    expect(await marked()).toBe(`${year}-03`);
    expect(await of.reasons()).toEqual(["issued"]);
  });
});
