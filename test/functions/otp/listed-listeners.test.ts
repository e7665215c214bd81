import { describe, expect, it } from "vitest";
import type { GivenProgram } from "../../harness/given-cards.ts";
import {
  challenge,
  givenSecureCard,
  retrieve,
  subscribe,
  unsubscribe,
  webhookUrl,
} from "./given-listeners.ts";

const list = (program: GivenProgram, query: Record<string, string>) =>
  program.call("GET /otp/listeners", { query });
const remove = (program: GivenProgram, listenerId: string) =>
  program.call("DELETE /otp/listeners/{listenerId}", { path: { listenerId } });

describe("GET /otp/listeners", () => {
  it("lists a Card's subscriptions without its Cardholder's, and without token, secret or path of the URL", async () => {
    const { program, cardId, cardholderId } = await givenSecureCard();
    const own = (await subscribe(program, { cardId, webhookUrl })).body.data;
    const legacy = (await subscribe(program, { cardholderId })).body.data;
    expect((await list(program, { cardId })).body).toMatchObject({
      items: [
        {
          listenerId: own.listenerId,
          cardId,
          webhookHost: "hooks.customer.example",
          dateCreated: own.dateCreated,
        },
      ],
      total: 1,
    });
    const { items } = (await list(program, { cardholderId })).body;
    expect(items).toEqual([{ listenerId: legacy.listenerId, cardholderId, dateCreated: legacy.dateCreated }]);
    const shown = JSON.stringify([(await list(program, { cardId })).body, items]);
    for (const secret of [own.token, own.secret, legacy.token, "tenant=1"]) {
      expect(shown).not.toContain(secret);
    }
  });

  it("takes the common list parameters", async () => {
    const { program, cardId } = await givenSecureCard();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await subscribe(program, { cardId })).body.data.listenerId);
    }
    const idsOf = async (query: Record<string, string>) => {
      const { items, total } = (await list(program, { cardId, ...query })).body;
      expect(total).toBe(3);
      return items.map(({ listenerId }: { listenerId: string }) => listenerId);
    };
    const sorted = ids.toSorted();
    expect(await idsOf({ orderBy: "listenerId", sort: "asc" })).toEqual(sorted);
    expect(await idsOf({ orderBy: "listenerId", sort: "desc", limit: "1", offset: "1" })).toEqual([
      sorted[1],
    ]);
    expect((await list(program, { cardId, before: "1" })).body).toMatchObject({ items: [], total: 0 });
  });
});

describe("DELETE /otp/listeners/{listenerId}", () => {
  it("makes room again after ten lost tokens", async () => {
    const { program, cardId } = await givenSecureCard();
    const tokens: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      tokens.push((await subscribe(program, { cardId, webhookUrl })).body.data.token);
    }
    expect((await subscribe(program, { cardId })).body.code).toBe("LIMIT_REACHED");
    for (const { listenerId } of (await list(program, { cardId })).body.items) {
      expect(await remove(program, listenerId)).toMatchObject({
        status: 200,
        body: { data: { listenerId } },
      });
    }
    for (const token of tokens) expect((await retrieve(program, token)).status).toBe(404);
    expect((await subscribe(program, { cardId })).status).toBe(200);
    expect((await list(program, { cardId })).body.total).toBe(1);
  });

  it("finds no subscription of another Program, and rejects a token as an id", async () => {
    const { program, cardId } = await givenSecureCard();
    const { program: stranger } = await givenSecureCard();
    const { token, listenerId } = (await subscribe(program, { cardId })).body.data;
    for (const [caller, id] of [
      [stranger, listenerId],
      [program, token],
      [program, "f".repeat(64)],
    ]) {
      expect(await remove(caller, id)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    }
    expect((await retrieve(program, token)).status).toBe(200);
    expect((await retrieve(program, listenerId)).status).toBe(404);
  });

  it("ends a subscription once, even while its token ends it and challenges arrive", async () => {
    const { program, cardId } = await givenSecureCard();
    const { token, listenerId } = (await subscribe(program, { cardId, webhookUrl })).body.data;
    const [ended, challenges] = await Promise.all([
      Promise.all([remove(program, listenerId), unsubscribe(program, token), remove(program, listenerId)]),
      Promise.all(Array.from({ length: 3 }, () => challenge(program, cardId))),
    ]);
    expect(ended.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(challenges.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await list(program, { cardId })).body.total).toBe(0);
    expect((await retrieve(program, token)).status).toBe(404);
  });
});
