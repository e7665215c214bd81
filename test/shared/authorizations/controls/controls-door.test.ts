import { describe, expect, it } from "vitest";
import { controlsDoor } from "../../../../shared/authorizations/controls/controls-door.ts";
import { unread } from "../../../../shared/changes/change.ts";
import { Currency } from "../../../../shared/contract/enums.ts";
import { readProgramControls } from "../../../../shared/controls/rulebooks.ts";
import { usages } from "../../../../shared/controls/usage.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { isNew } from "../../../../shared/platform/table/condition.ts";
import { type StoredItem, transact } from "../../../../shared/platform/table/transact.ts";
import { givenActiveControls } from "../../../harness/given-active-controls.ts";
import { setProgramSettings } from "../../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram } from "../../../harness/given-stored.ts";

const cardId = newId("card");
const limit = { amountMinor: 1_000, window: "day", countsFrom: "2026-11-23T00:00:00Z" } as const;
const usage = { version: 1, controls: {} };

/** A Program in Berlin, what a Card's limit has counted, and its read for an event. */
async function given(kind = "authorization") {
  const programId = await givenStoredProgram();
  await setProgramSettings(programId, { timeZone: "Europe/Berlin" });
  await readProgramControls(programId);
  await transact([usages.limit.at(programId, cardId).put(usage, isNew)]);
  const of = { sent: { programId, event: { kind, cardId } } } as never;
  return (...more: [typeof limit | undefined, { card: undefined; usage: typeof usage | undefined }?]) =>
    controlsDoor.limit(of, ...more);
}

it("controls are as they were read, not as a process remembers them", async () => {
  const programId = await givenStoredProgram();
  const stored = await givenStoredCard(programId);
  const card = { programId, cardId: stored, cardholderId: newId("cardholder"), currency: Currency.usd };
  await givenActiveControls(card, [{ owner: "card", rules: { cash: "block" } }]);
  const identity = { ...card, cardToken: "token", maskedCardNumber: "400000******0000" };
  expect((await controlsDoor.read(programId, Promise.resolve(identity)))?.isRemembered).toBe(false);
});

describe("what a Card's limit has counted", () => {
  it("is nothing without one, and else what is stored, in the Program's days", async () => {
    const read = await given();
    expect(await read(undefined).get()).toBeUndefined();
    expect(await read(limit).get()).toEqual({ usage, timeZone: "Europe/Berlin" });
    const found = { card: undefined, usage: { ...usage, version: 7 } };
    expect(await read(limit, found).get()).toMatchObject({ usage: { version: 7 } });
    expect(await read(limit, { card: undefined, usage: undefined }).get()).toMatchObject({
      usage: undefined,
    });
  });

  it("is counted by no inquiry, to which the days do not matter", async () => {
    const read = await given("balance_inquiry");
    expect(await read(limit).get()).toEqual({ usage, timeZone: "Etc/UTC" });
  });

  const seen = { usage, timeZone: "Europe/Berlin" };
  const counted = { ...usage, version: 2 };

  it.each<[string, object | undefined, [string, StoredItem][], boolean, unknown]>([
    ["as it was, where another condition failed", seen, [["hold", {}]], false, seen],
    ["what its own condition found", seen, [["limitUsage", counted]], false, { ...seen, usage: counted }],
    [
      "what that found, if the Card's failed too",
      seen,
      [
        ["account", {}],
        ["limitUsage", counted],
      ],
      false,
      { ...seen, usage: counted },
    ],
    ["unread, where the Card alone failed", seen, [["account", {}]], false, unread],
    ["unread after a wait", seen, [["limitUsage", counted]], true, unread],
    ["unread, where it was not seen", undefined, [["limitUsage", counted]], false, unread],
  ])("is, for another try, %s", async (_, before, failed, waited, expected) => {
    const renew = (await given())(limit).renew;
    expect(renew?.(before as never, new Map(failed), waited)).toEqual(expected);
  });
});
