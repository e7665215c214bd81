import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { apiEvent } from "../harness/api-event.ts";
import type { CaseRequest } from "../harness/cases/case.ts";
import { engineOfProcess } from "../harness/dynamo/serve.ts";
import { useTables } from "../harness/engine.ts";
import { givenProgram, handlerOf } from "../harness/given-cards.ts";
import { skipLeaseWaits } from "../harness/lease-waits.ts";
import { replay } from "../harness/replay.ts";
import { allStoredItems } from "../harness/stored.ts";
import { recordedCases, replayRecorded } from "./given-recorded.ts";

/** Endpoints of Program-level keys, each with a valid request; for others see account/. */
const endpoints = recordedCases().filter(({ code, route }) => code === "OK" && route.level !== "tenant");

/** Each request has its own Program, since all stored items are compared. */
const givenOwner = (manualIssuance: boolean | undefined) =>
  givenProgram({ settings: { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } });

const identifiersIn = (value: unknown): string[] =>
  JSON.stringify(value ?? "").match(/\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g) ?? [];

/** A filter is not an identifier: it only matches nothing. Every Program has each day. */
const namesRecord = ({ path, body }: CaseRequest) =>
  Object.values(path ?? {}).some((part) => !/^\d{4}-\d\d-\d\d$/.test(part)) || identifiersIn(body).length > 0;

skipLeaseWaits();
// In small tables, `allStoredItems` is a short scan.
beforeEach(async () => {
  const endpoint = String(process.env.AWS_ENDPOINT_URL_DYNAMODB);
  const own = await engineOfProcess();
  await useTables(endpoint, inject("tableSchemas"), randomUUID(), own?.engine);
});

describe("another Program's records do not exist, nor does a Tenant-level key find or change them", () => {
  test.each(endpoints)("$key, whose recorded event is answered 200", async (one) => {
    const { key, route, prepare, manualIssuance } = one;
    const [owner, stranger] = await Promise.all([givenOwner(manualIssuance), givenProgram()]);
    const request = await prepare(owner);
    const before = await allStoredItems();
    const ofOwner = (items: typeof before) => items.filter(({ pk }) => pk.startsWith(`${owner.programId}#`));

    const caller = { ...owner.caller, level: "tenant" } as const;
    const answer = await replay(handlerOf(key), apiEvent({ ...request, route: key, caller }));
    if (route.responseKind === "list") expect(answer.body).toMatchObject({ items: [], total: 0 });
    else expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);

    const { status, body } = await stranger.call(key, request);
    const after = await allStoredItems();
    if (namesRecord(request)) {
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
      expect(after).toEqual(before);
    } else {
      const theirs = new Set(identifiersIn(ofOwner(before)));
      expect(identifiersIn(body).filter((id) => theirs.has(id))).toEqual([]);
      expect(ofOwner(after)).toEqual(ofOwner(before));
    }
    const own = await replayRecorded(one, owner, request);
    expect(own.status, JSON.stringify(own.body)).toBe(200);
  });
});
