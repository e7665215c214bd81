import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { apiEvent } from "../../harness/api-event.ts";
import { type GivenProgram, givenProgram, handlerOf } from "../../harness/given-cards.ts";
import { replay } from "../../harness/replay.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { recordedCases, replayRecorded } from "../given-recorded.ts";
import { type GivenAccount, givenAccount, verdict } from "./given-account.ts";

let owner: GivenProgram;
let stranger: GivenAccount;
beforeAll(async () => {
  [owner, stranger] = [await givenProgram(), await givenAccount()];
});

const endpoints = recordedCases().filter(({ route, code }) => route.level === "tenant" && code === "OK");
const identifiersIn = (value: unknown): string[] =>
  JSON.stringify(value ?? "").match(/\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g) ?? [];

describe("account management", () => {
  test("is all of /account, and nothing else is of its level", () => {
    expect(endpoints.length).toBeGreaterThan(25);
    for (const { route } of endpoints) {
      expect(route.path).toMatch(/^\/account\//);
      expect(["account", "certificates"]).toContain(route.function);
      expect(route.api).toBe("platform");
    }
  });

  test.each(endpoints)(
    "$key: 404 for a Program-level key, another Tenant's finds nothing, and the recorded event is answered 200",
    async (one) => {
      const { key, route, prepare } = one;
      const request = await prepare(owner);
      const before = await allStoredItems();
      const expectNoChange = async () => expect(isDeepStrictEqual(await allStoredItems(), before)).toBe(true);
      for (const options of [request, { ...request, body: "{" }, {}]) {
        const answer = await replay(
          handlerOf(key),
          apiEvent({ ...options, route: key, caller: owner.caller }),
        );
        expect(verdict(answer)).toEqual([404, "NOT_FOUND"]);
      }
      const named = identifiersIn([request.path, request.body]);
      // Another Tenant's own records may change.
      if (named.length === 0) await expectNoChange();
      const answer = await stranger.call(key, request);
      if (named.length > 0) {
        expect(verdict(answer)).toEqual([404, "NOT_FOUND"]);
        await expectNoChange();
      } else if (route.method === "GET") {
        const foreign = before.filter((item) => !JSON.stringify(item).includes(stranger.tenantId));
        const theirs = new Set(identifiersIn(foreign));
        expect(identifiersIn(answer.body).filter((id) => theirs.has(id))).toEqual([]);
      }
      expect(verdict(await replayRecorded(one, owner, request))).toEqual([200, "OK"]);
    },
  );
});
