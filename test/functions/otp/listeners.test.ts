import { describe, expect, it, vi } from "vitest";
import { log } from "../../../shared/platform/log.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { injectFaults } from "../../harness/faults.ts";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import {
  challenge,
  givenSecureCard,
  retrieve,
  subscribe,
  unsubscribe,
  webhookUrl,
} from "./given-listeners.ts";

/** What is to be called back, in the outbox. */
async function callbacksOf({ programId }: GivenProgram) {
  return (await storedItems(programId)).filter(({ kind }) => kind === "otp.challenged");
}

describe("POST /otp/listeners", () => {
  it("returns a token of 256 bits that never expires, and stores only its hash", async () => {
    const { program, cardId } = await givenSecureCard();
    const { status, body } = await subscribe(program, { cardId });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/),
      listenerId: expect.stringMatching(/^[0-9a-f]{64}$/),
      cardId,
      expiresAt: null,
      dateCreated: expect.any(String),
    });
    const stored = JSON.stringify(await storedItems(program.programId), (_, value) =>
      value instanceof Set ? [...value] : value,
    );
    expect(stored).toContain("OTP_LISTENER");
    expect(stored).not.toContain(body.data.token);
  });
});

describe("GET and DELETE /otp/{token}", () => {
  it("answer the same for an unknown token, an unsubscribed one, and another Program's", async () => {
    const { program, cardId } = await givenSecureCard();
    const { program: stranger, cardId: strangers } = await givenSecureCard();
    const tokenOf = async (owner: GivenProgram, id: string) =>
      (await subscribe(owner, { cardId: id })).body.data.token as string;
    const [ended, foreign] = [await tokenOf(program, cardId), await tokenOf(stranger, strangers)];
    expect(await unsubscribe(program, ended)).toMatchObject({ status: 200, body: { data: {} } });
    const tokens = [
      ended,
      foreign,
      "A".repeat(43),
      "A".repeat(42),
      "A".repeat(4_000),
      `${foreign} `,
      foreign.toLowerCase().slice(0, 42),
      "..",
      "%00",
      "crd_0000000000000000000000NB0D",
      "' OR 1=1 --",
      "__proto__",
    ];
    const answers = await Promise.all(
      tokens.flatMap((token) => [retrieve(program, token), unsubscribe(program, token)]),
    );
    const bodies = new Set(
      answers.map(({ status, body }) => JSON.stringify({ ...body, status, requestId: "" })),
    );
    expect([...bodies]).toEqual([expect.stringContaining('"NOT_FOUND"')]);
    expect((await retrieve(stranger, foreign)).body.data).toEqual({ status: "pending", expiresAt: null });
  });

  it("reject a token after one read of the store", async () => {
    const { program, cardId } = await givenSecureCard();
    const { program: stranger } = await givenSecureCard();
    const { token } = (await subscribe(program, { cardId })).body.data;
    using faults = injectFaults(() => undefined);
    await retrieve(stranger, token);
    await retrieve(stranger, "B".repeat(43));
    expect(faults.calls.map(({ command }) => command)).toEqual(["GetItem", "GetItem"]);
    expect(JSON.stringify(faults.calls)).not.toContain(token);
  });

  it("leave the token and the code out of the log", async () => {
    const { program, cardId } = await givenSecureCard();
    const { token } = (await subscribe(program, { cardId })).body.data;
    await challenge(program, cardId);
    const lines: string[] = [];
    const note = (...args: unknown[]) => void lines.push(JSON.stringify(args));
    const spies = (["error", "warn", "info"] as const).map((level) =>
      vi.spyOn(log, level).mockImplementation(note),
    );
    const { code } = (await retrieve(program, token)).body.data;
    {
      using _ = injectFaults(() => "lost");
      expect((await retrieve(program, token)).status).toBe(503);
      expect((await unsubscribe(program, token)).status).toBe(503);
    }
    for (const spy of spies) spy.mockRestore();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toContain(token);
    expect(lines.join()).not.toContain(code);
  });
});

describe("a challenge's callbacks", () => {
  it("are sent to each subscription with a URL, and contain neither token nor code", async () => {
    const { program, cardId, cardholderId } = await givenSecureCard();
    const tokens: string[] = [];
    for (const body of [{ cardId, webhookUrl }, { cardId }, { cardholderId, webhookUrl }]) {
      tokens.push((await subscribe(program, body)).body.data.token);
    }
    const { challengeId } = (await challenge(program, cardId)).body.data;
    const { code } = (await retrieve(program, tokens[0] ?? "")).body.data;
    const callbacks = await callbacksOf(program);
    expect(callbacks).toHaveLength(2);
    for (const { detail } of callbacks) {
      expect(detail).toEqual({ listenerId: expect.stringMatching(/^[0-9a-f]{64}$/), challengeId });
    }
    const text = JSON.stringify(callbacks);
    for (const secret of [...tokens, code, "whsec_"]) expect(text).not.toContain(secret);
  });

  it("are in the transaction of the challenge: all or nothing, and once", async () => {
    const { program, cardId } = await givenSecureCard();
    const { programId } = program;
    for (let count = 0; count < 4; count += 1) await subscribe(program, { cardId, webhookUrl });
    const event = {
      kind: "three_ds_challenge",
      eventId: "once",
      programId,
      cardId,
      expiresInSeconds: 60,
    } as const;
    {
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" ? "timeout-after-commit" : undefined,
      );
      await applyEvent(event).catch(() => undefined);
    }
    await applyEvent(event);
    expect(await callbacksOf(program)).toHaveLength(4);
  });
});

const list = (program: GivenProgram, query: Record<string, string>) =>
  program.call("GET /otp/listeners", { query });

const remove = (program: GivenProgram, listenerId: string) =>
  program.call("DELETE /otp/listeners/{listenerId}", { path: { listenerId } });

describe("DELETE /otp/listeners/{listenerId}", () => {
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
