import { describe, expect, it } from "vitest";
import { person } from "../harness/person.ts";
import { request } from "../harness/scenarios/deeds.ts";
import { playScenario, readScenarios } from "../harness/scenarios/scenario.ts";
import type { Deed, World } from "../harness/scenarios/world.ts";

const loaded = ["W: given wallet 1000000", "given card", 'depositOnCard {"amount": 100000}'];
const bought = ["given card", 'depositOnCard {"amount": 10000}', 'P: forcePost {"amount": 3000}'];
const load =
  '{"sourceWalletId": "{walletId}", "destinationType": 1, "destinationId": "{cardId}", "amount": 10}';

/** What they need first, their operations, and the least that makes and changes one. */
const kinds = {
  cardholder: [
    [],
    "createCardholder",
    "viewCardholder",
    "updateCardholder",
    "listCardholders",
    JSON.stringify(person),
  ],
  card: [
    ...[["given cardholder"], "issueCard", "viewCard", "updateCard", "listCards"],
    '{"cardholderId": "{cardholderId}", "cardForm": 0, "cardType": 0}',
  ],
  wallet: [[], "createWallet", "viewWallet", "updateWallet", "listWallets", '{"name": "Travel"}'],
  transfer: [loaded, "transfer", "viewTransfer", "updateTransfer", "listAllTransfers", load],
  unload: [
    ...[loaded, "unloadCard", "viewTransfer", "updateTransfer", "listAllTransfers"],
    '{"walletId": "{walletId}", "amount": 10}',
  ],
  control: [
    ...[[], "createControl", "viewControl", "replaceControl", "listControls"],
    '{"name": "No cash", "cash": "block", "state": "draft"}',
    '{"name": "No cash", "cash": "block"}',
  ],
  dispute: [
    ...[bought, "createDispute", "viewDispute", "changeDispute", "listDisputes"],
    '{"referenceCode": "{P.transId}", "reason": "other", "amount": 10}',
  ],
} as unknown as Record<string, [first: string[], ...operations: string[]]>;

const done = (data: unknown) => ({ word: "done", isDone: true, data });
const texts: Readonly<Record<string, Deed>> = {
  long: async (_, length) => done("x".repeat(Number(length))),
  keys: async (_, text) => {
    const [count = 0, length = 0] = text.split(" ").map(Number);
    return done(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "x".repeat(length)])));
  },
};

function deedsOf(kind: string, [make, view, change, list, least = "{}", unchanged = "{}"]: string[]) {
  const id = kind === "unload" ? "transferId" : `${kind}Id`;
  const call = async (world: World, operation: string, text: string, own = "{}") => {
    const [, head = "", json = "{}"] = /^([^{]*)(\{.*)?$/.exec(text) ?? [];
    const body = `{${[own, json]
      .map((one) => one.slice(1, -1))
      .filter(Boolean)
      .join(", ")}}`;
    const outcome = await request(world, `${operation} ${head.trim()}${head && " "}${body}`);
    const withId = (one: Record<string, unknown>) => ({ ...one, id: one[id] });
    const { data } = outcome;
    return { ...outcome, data: Array.isArray(data) ? data.map(withId) : withId(data as never) };
  };
  return {
    ...texts,
    make: async (world, text) => {
      const outcome = await call(world, make ?? "", text, least);
      const { existingId } = outcome.answer?.body ?? {};
      if (existingId === undefined) return outcome;
      const { externalId } = JSON.parse(text.replace(/^[^{]*/, ""));
      const existing = await request(world, `${view} of ${existingId}`);
      expect(existing.data).toMatchObject({ [id]: existingId, externalId });
      return outcome;
    },
    view: (world, text) => call(world, view ?? "", text),
    change: (world, text) => call(world, change ?? "", text, unchanged),
    list: (world, text) => call(world, list ?? "", text),
  } satisfies Readonly<Record<string, Deed>>;
}

describe.each(readScenarios(import.meta.dirname, "labels.txt"))("$of", ({ of, rows }) => {
  if (!of.startsWith("each ")) it.each(rows)("%s", playScenario);
  else
    describe.each(Object.entries(kinds))("%s", (kind, [first, ...operations]) => {
      it.each(rows)("%s", (sentence, steps) =>
        playScenario(sentence, [...first, ...steps], deedsOf(kind, operations)),
      );
    });
});
