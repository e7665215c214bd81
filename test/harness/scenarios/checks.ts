import { deepStrictEqual } from "node:assert/strict";
import { expect } from "vitest";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { findFaults } from "../audit-books.ts";
import { balancesIn, storedEntries } from "../books.ts";
import { refusedOf } from "../refused.ts";
import { allStoredItems, eventsIn, type StoredItem, storedItems } from "../stored.ts";
import { request } from "./deeds.ts";
import { expectAsked } from "./questions.ts";
import { expectLike, fill, find, toJson, type World } from "./world.ts";

type Check = (world: World, text: string) => Promise<void>;

/** What is looked at beside answers. */
export const checks: Readonly<Record<string, Check>> = {
  /** `told KIND {...}`: the events of the last step, all of a kind or none: `told nothing`. */
  told: async (world, text) => {
    if (text === "nothing") return void expect(world.told).toEqual([]);
    const [, kind, json = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
    const details = world.told.filter((one) => one.kind === kind).map(({ detail }) => detail);
    const expected =
      json === "nothing" ? [] : json.startsWith("[") ? toJson(world, json) : [toJson(world, json)];
    expectLike(details, expected);
  },
  /**
   * `booked KIND {"account": amount}`: the entries of the kind, each by what its postings come
   * to, or `nothing`.
   */
  booked: async (world, text) => {
    const [, kind, json = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
    const entries = await entriesOf(world);
    const postings = entries
      .filter((entry) => entry.kind === kind)
      .map((entry) => {
        const sums: Record<string, number> = {};
        for (const { account, amountMinor } of entry.postings)
          sums[account] = (sums[account] ?? 0) + amountMinor;
        return sums;
      });
    deepStrictEqual(postings, json === "nothing" ? [] : [JSON.parse(fill(world, json))].flat());
  },
  /** `books {"account": amount}`: what all entries come to. */
  books: async (world, text) => {
    const postings = (await entriesOf(world)).flatMap((entry) => entry.postings);
    const sumOf = (name: string) =>
      postings.reduce((sum, { account, amountMinor }) => sum + (account === name ? amountMinor : 0), 0);
    const expected = toJson(world, text);
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, sumOf(name)]))).toEqual(expected);
  },
  /** `has A 10 0 10`: available, held and ledger of the Card or Wallet that is named. */
  has: async (world, text) => {
    const [name = "", ...wanted] = text.split(" ");
    const value = find(world, name);
    const ids = value as { cardId?: string; walletId?: string };
    const id = typeof value === "string" ? value : (ids.cardId ?? ids.walletId ?? "");
    const balances = balancesIn(await storedItems(world.program.programId), id);
    const { availableMinor, heldMinor, ledgerMinor } = balances;
    expect([availableMinor, heldMinor, ledgerMinor].join(" ")).toBe(wanted.join(" "));
  },
  /** `keeps SK {...}`: the items of the Program whose key ends so, or with `#` has this part. */
  keeps: async (world, text) => {
    const [, sk = "", json = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
    const items = (await storedItems(world.program.programId)).filter((one) =>
      sk.endsWith("#") ? one.sk.startsWith(sk) : one.sk === sk,
    );
    if (json === "nothing") return void expect(items).toEqual([]);
    expectLike(items, [toJson(world, json)].flat());
  },
  /** `hides SK A.secret ...`: no item of either table whose key begins so has these values. */
  hides: async (world, text) => {
    const [sk = "", ...names] = text.split(" ");
    const items = (await allStoredItems()).filter((one) => one.sk.startsWith(sk));
    expect(items).not.toEqual([]);
    for (const name of names) expect(JSON.stringify(items)).not.toContain(String(find(world, name)));
  },
  /** `refusals [{...}]`: what from outside is kept for the operator, newest first, or `nothing`. */
  refusals: async (world, json) =>
    expectLike(await refusedOf(world.program), json === "nothing" ? [] : toJson(world, json)),
  /** `record NAME {...}`: a transaction or fee by its id. One that is posted is told. */
  record: async (world, text) => {
    const [, name = "", json = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
    const items = await storedItems(world.program.programId);
    const record = items.find(({ sk }) => sk.endsWith(`#${find(world, name)}`));
    expectLike(record, toJson(world, json));
    expectTold(items, record);
  },
  /**
   * `amounts A STATUS ...`: asked for, authorized, released, cleared, refunded and left of an
   * authorization.
   */
  amounts: async (world, text) => {
    const [reference = "", ...wanted] = text.split(" ");
    const fields = ["requested", "authorized", "released", "cleared", "refunded", "remaining"];
    const shown = ["status", ...fields.map((field) => `${field}Amount`)].join(",");
    const { data } = await request(world, `viewAuthorization authorizationId=${reference} .${shown}`);
    expect((data as unknown[]).join(" ")).toBe(wanted.join(" "));
  },
  /** `tells KIND KIND`: the kinds of all events of the last step, or `nothing`. */
  tells: async ({ told }, text) =>
    expect(told.map(({ kind }) => kind)).toEqual(text === "nothing" ? [] : text.split(" ")),
  asked: expectAsked,
  /**
   * `notified [{...}]`: the notifications that the last step's events name, which are `notified`
   * from then on, or `notified FIELD [...]`: one number of each, in order. An event names each.
   */
  notified: async (world, text) => {
    const [, field, json = ""] = /^(?:([a-z]\S+) )?(nothing|\[.*)$/.exec(text) ?? [];
    const items = await storedItems(world.program.programId);
    const stored = items.flatMap((item) => parseNotification(item) ?? []);
    const named = new Set(eventsIn(items).flatMap(idsIn));
    expect(stored.filter(({ transIdSc }) => !named.has(transIdSc))).toEqual([]);
    const ids = [...new Set(world.told.flatMap(idsIn))];
    const notified = ids.map((id) => {
      const envelope = JSON.parse(stored.find(({ transIdSc }) => transIdSc === id)?.body ?? "");
      return { ...envelope, ...JSON.parse(JSON.parse(envelope.SpData).OriginalDataFromSp) };
    });
    const expected = json === "nothing" ? [] : toJson(world, json);
    world.names.notified = notified;
    const numbers = field && notified.map((_, at) => find(world, `notified.${at}.${field}`) as number);
    expectLike(numbers ? numbers.toSorted((one, other) => one - other) : notified, expected);
  },
  /** `nowhere PATTERN`: nothing that is stored has it, but the Cardholder. */
  nowhere: async ({ program }, pattern) => {
    const items = await storedItems(program.programId);
    expect(JSON.stringify(items.filter(({ sk }) => sk !== "CARDHOLDER"))).not.toMatch(new RegExp(pattern));
  },
  /** The audit of the books finds no fault. */
  audited: async () => deepStrictEqual(await findFaults(), []),
  /** `same A B`: two values; `other A B`: two that differ. */
  same: async (world, text) => {
    const [one = "", other = ""] = text.split(" ");
    expect(find(world, one)).toEqual(find(world, other));
  },
  unlike: async (world, text) => {
    const [one = "", other = ""] = text.split(" ");
    expect(find(world, one)).not.toEqual(find(world, other));
  },
};

/** Once each: a dispute has copies of the Card's. */
async function entriesOf({ program }: World) {
  const found = storedEntries(await storedItems(program.programId));
  return [...new Map(found.map(({ entry }) => [entry.entryId, entry])).values()];
}

const idsIn = ({ detail }: { readonly detail: unknown }) =>
  (detail as { readonly notificationIds?: readonly string[] }).notificationIds ?? [];

/** A record that an event posts, in lists and with an amount, is in a notification. */
function expectTold(items: readonly StoredItem[], record: Partial<StoredItem> = {}): void {
  const { transType, amountMinor, entityId, postDate } = record;
  if (entityId === undefined || postDate === undefined || amountMinor === 0) return;
  const envelopes = items
    .flatMap((item) => parseNotification(item) ?? [])
    .map(({ body }) => JSON.parse(body));
  expect(envelopes).toContainEqual(
    expect.objectContaining({ TransType: transType, TransAmount: amountMinor }),
  );
}
