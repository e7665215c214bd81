import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type AskedReceiver, toAsks } from "../../../shared/authorizations/decisions/ask.ts";
import { newSigningSecret } from "../../../shared/platform/callbacks/signature.ts";
import { newId } from "../../../shared/platform/id.ts";
import { ask, askOnce } from "../../../shared/questions/ask.ts";
import { circuits } from "../../../shared/questions/circuit.ts";
import { interruptEach } from "../../harness/faults.ts";
import { givenEndpoint, givenQuestion } from "../../harness/given-question.ts";
import { freePort } from "../../harness/listen.ts";
import { type Receiver, startReceiver } from "../../harness/receiver.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  Object.assign(process.env, { DNS_SERVERS: "127.0.0.1:9", ALLOWED_RECEIVERS: receiver.origin });
});
afterAll(() => receiver.stop());
afterEach(() => void Object.assign(process.env, { ALLOWED_RECEIVERS: receiver.origin }));

const endpoint = () => givenEndpoint(`${receiver.origin}/decide`);
const within = (ms: number) => new Date(Date.now() + ms);

const answers = (body: string | object, status = 200) =>
  receiver.behave((_, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
  );

/** Answers so much later. */
const answersAfter = (ms: number, body: object) =>
  receiver.behave((_, response) => void setTimeout(() => response.end(JSON.stringify(body)), ms));

async function replyTo(given: Parameters<typeof givenQuestion>[0] = {}, ms = 400) {
  return (await askOnce(endpoint(), toAsks(givenQuestion(given)), within(ms))).reply;
}

describe("a question", () => {
  it("is signed by Standard Webhooks with each secret, and is the body", async () => {
    answers({ decision: "approve" });
    const [secret, previousSecret] = [newSigningSecret(), newSigningSecret()];
    const previousSecretExpiresAt = within(1_000).toISOString();
    const rotating = { ...endpoint(), secret, previousSecret, previousSecretExpiresAt };
    const question = givenQuestion();
    await askOnce(rotating, toAsks(question), within(400));
    const [sent] = receiver.received.slice(-1);
    for (const one of [secret, previousSecret]) {
      const verified = new Webhook(one).verify(sent?.body.toString() ?? "", sent?.headers ?? {});
      expect(verified).toEqual(question);
    }
    const ended = { ...rotating, previousSecretExpiresAt: within(-1).toISOString() };
    await askOnce(ended, toAsks(question), within(400));
    expect(receiver.received.at(-1)?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });

  it.each([
    ["approve", { decision: "approve" }, { kind: "approve", amountMinor: 3_000 }],
    ["approve all", { decision: "approve", amount: 3_000 }, { kind: "approve", amountMinor: 3_000 }],
    ["decline", { decision: "decline" }, { kind: "decline" }],
    ["decline why", { decision: "decline", reason: "no ☂" }, { kind: "decline", reason: "no ☂" }],
  ])("is answered: %s", async (_, answer, reply) => {
    answers(answer);
    expect(await replyTo()).toEqual(reply);
  });

  it("is answered by less only if the terminal supports it", async () => {
    answers({ decision: "approve", amount: 2_000 });
    const partially = { partialApprovalSupported: true };
    expect(await replyTo(partially)).toEqual({ kind: "approve", amountMinor: 2_000 });
    expect(await replyTo()).toMatchObject({ kind: "bad_answer", detail: expect.stringContaining("partial") });
    answers({ decision: "approve", amount: 3_001 });
    expect(await replyTo(partially)).toMatchObject({ kind: "bad_answer" });
  });

  it.each([
    ["an amount of 0", { decision: "approve", amount: 0 }, "amount"],
    ["an amount in text", { decision: "approve", amount: "3000" }, "amount"],
    ["a broken amount", { decision: "approve", amount: 1.5 }, "amount"],
    ["another decision", { decision: "APPROVE" }, "decision"],
    ["no decision", {}, "decision"],
    ["a reason of 101 characters", { decision: "decline", reason: "x".repeat(101) }, "reason"],
    ["a reason for an approval", { decision: "approve", reason: "x" }, "reason"],
    ["an unknown field", { decision: "approve", ok: true }, "ok"],
    ["a list", [{ decision: "approve" }], ""],
    ["null", "null", ""],
    ["nothing", "", "JSON"],
    ["text", "approve", "JSON"],
    ["more after the JSON", '{"decision": "approve"} {}', "JSON"],
  ])("has a bad answer: %s", async (_, answer, detail) => {
    answers(answer);
    expect(await replyTo({ partialApprovalSupported: true })).toEqual({
      kind: "bad_answer",
      detail: expect.stringContaining(detail),
    });
  });

  it.each([201, 204, 302, 400, 410, 500])("has a bad answer with the status %i", async (status) => {
    answers({ decision: "approve" }, status);
    expect(await replyTo()).toEqual({ kind: "bad_answer", detail: `HTTP status ${status}, not 200` });
  });

  it("has a bad answer where it is no UTF-8, no HTTP, encoded or huge", async () => {
    receiver.behave((_, response) => response.end(Buffer.from([0x22, 0xff, 0x22])));
    expect(await replyTo()).toMatchObject({ kind: "bad_answer" });
    receiver.behave((_, response) => response.socket?.end("hello\r\n\r\n"));
    expect(await replyTo()).toMatchObject({ kind: "bad_answer", detail: "RESPONSE_INVALID" });
    receiver.behave((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"));
    expect(await replyTo()).toMatchObject({ kind: "bad_answer", detail: "RESPONSE_ENCODED" });
    answers(`{"decision": "approve"${" ".repeat(64 * 1024)}}`);
    expect(await replyTo()).toMatchObject({ kind: "bad_answer", detail: "RESPONSE_TOO_LARGE" });
  });

  it("fails where nothing listens, the connection is cut, or the address is not public", async () => {
    receiver.behave((_, response) => response.socket?.destroy());
    expect(await replyTo()).toEqual({ kind: "connection_error", detail: "CONNECTION_LOST" });
    const origin = `http://127.0.0.1:${await freePort()}`;
    process.env.ALLOWED_RECEIVERS = origin;
    const refused = await askOnce(givenEndpoint(origin), toAsks(givenQuestion()), within(400));
    expect(refused).toMatchObject({ reply: { kind: "connection_error", detail: "CONNECTION_FAILED" } });
    expect(refused.answeredAt).toBeUndefined();
    const before = receiver.received.length;
    expect(await replyTo()).toEqual({ kind: "connection_error", detail: "RECEIVER_REFUSED" });
    expect(receiver.received).toHaveLength(before);
  });
});

describe("the deadline of a question", () => {
  it("ends the wait for a receiver that is silent, or drips bytes", async () => {
    for (const behave of [
      () => undefined,
      (
        _: unknown,
        response: { write: (text: string) => void; on: (name: "close", run: () => void) => void },
      ) => {
        const timer = setInterval(() => response.write(" "), 10);
        response.on("close", () => clearInterval(timer));
      },
    ]) {
      receiver.behave(behave);
      const startedMs = performance.now();
      const { reply, answeredAt } = await askOnce(endpoint(), toAsks(givenQuestion()), within(300));
      expect(reply).toEqual({ kind: "timeout", detail: expect.stringMatching(/^no answer within \d+ ms$/) });
      expect(answeredAt).toBeUndefined();
      expect(performance.now() - startedMs).toBeGreaterThan(290);
      expect(performance.now() - startedMs).toBeLessThan(450);
    }
  });

  it("leaves what is valid and comes later as a late answer", async () => {
    for (const [answer, decision] of [
      [{ decision: "approve" }, "approve"],
      [{ decision: "decline" }, "decline"],
    ] as const) {
      answersAfter(300, answer);
      const { reply, late } = await askOnce(endpoint(), toAsks(givenQuestion()), within(100));
      expect(reply.kind).toBe("timeout");
      expect(await late).toEqual({ decision, at: expect.stringMatching(/Z$/) });
    }
    answersAfter(200, { decision: "maybe" });
    const { late } = await askOnce(endpoint(), toAsks(givenQuestion()), within(100));
    expect(await late).toBeUndefined();
  });

  it("of an answer in time leaves nothing", async () => {
    answers({ decision: "approve" });
    const {
      late,
      askedAt,
      answeredAt = "",
    } = await askOnce(endpoint(), toAsks(givenQuestion()), within(400));
    expect(await late).toBeUndefined();
    expect(askedAt <= answeredAt).toBe(true);
  });

  it("is waited for no longer than its time, also by a clock that was set back", async () => {
    receiver.behave(() => undefined);
    const startedMs = performance.now();
    await askOnce(endpoint(), toAsks(givenQuestion()), within(3_600_000));
    expect(performance.now() - startedMs).toBeLessThan(800);
  });
});

describe("the circuit of an endpoint", () => {
  afterEach(() => void vi.useRealTimers());

  /** Only what is silent takes its whole time: on a busy machine, others may be slow. */
  const asking = async (programId: string, deadlineMs = 10_000): Promise<AskedReceiver> => {
    const deadlineAt = within(deadlineMs);
    return ask({ ...endpoint(), deadlineMs }, toAsks(givenQuestion()), { programId, deadlineAt });
  };
  const kindsOf = async (programId: string, times: number, deadlineMs?: number) => {
    const kinds: string[] = [];
    for (let time = 0; time < times; time += 1) {
      const asked = await asking(programId, deadlineMs);
      if (asked.asked) await asked.recorded;
      kinds.push(asked.asked ? asked.reply.kind : `${asked.why} after ${asked.failure}`);
    }
    return kinds;
  };
  /** Until the next probe. */
  const waitIsOver = () =>
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5_001, shouldAdvanceTime: true });
  const dies = () => receiver.behave((_, response) => response.socket?.destroy());

  it("opens at five failures in a row: then the receiver is not asked", async () => {
    const programId = newId("program");
    dies();
    expect(await kindsOf(programId, 5)).toEqual(Array(5).fill("connection_error"));
    const before = receiver.received.length;
    expect(await kindsOf(programId, 2)).toEqual(Array(2).fill("circuit_open after connection_error"));
    expect(receiver.received).toHaveLength(before);
    expect(await kindsOf(newId("program"), 1)).toEqual(["connection_error"]);
  });

  it("is open for this process at the fifth, although the store is slow", async () => {
    const programId = newId("program");
    dies();
    expect(await kindsOf(programId, 4)).toEqual(Array(4).fill("connection_error"));
    using _ = interruptEach(
      (command, input) => command.startsWith("Update") && input.includes("CIRCUIT"),
      () => delay(300),
    );
    expect(await kindsOf(programId, 2)).toEqual(["connection_error", "circuit_open after connection_error"]);
    await vi.waitFor(async () => expect(await circuits.at(programId).get()).toBeDefined());
  });

  it("does not open by other answers, or by failures between answers", async () => {
    const programId = newId("program");
    answers("no", 500);
    expect(await kindsOf(programId, 7)).toEqual(Array(7).fill("bad_answer"));
    for (let round = 0; round < 2; round += 1) {
      dies();
      expect(await kindsOf(programId, 4)).toEqual(Array(4).fill("connection_error"));
      answers({ decision: "approve" });
      expect(await kindsOf(programId, 1)).toEqual(["approve"]);
    }
  });

  it("lets one question of several through when its time is up, and closes at its answer", async () => {
    const programId = newId("program");
    receiver.behave(() => undefined);
    const opened = [...Array(5).fill("timeout"), "circuit_open after timeout"];
    expect(await kindsOf(programId, 6, 300)).toEqual(opened);
    waitIsOver();
    const before = receiver.received.length;
    const probes = await Promise.all([1, 2, 3].map(() => asking(programId, 300)));
    expect(probes.map(({ asked }) => asked).toSorted()).toEqual([false, false, true]);
    expect(receiver.received).toHaveLength(before + 1);
    expect(await kindsOf(programId, 1)).toEqual(["circuit_open after timeout"]);
    answers({ decision: "approve" });
    waitIsOver();
    expect(await kindsOf(programId, 2)).toEqual(["approve", "approve"]);
    expect(await circuits.at(programId).get()).toBeUndefined();
  });

  it("does not open by the platform's own delay: what is asked about too late is not asked", async () => {
    const programId = newId("program");
    const before = receiver.received.length;
    for (let time = 0; time < 6; time += 1) {
      const asked = await ask(endpoint(), toAsks(givenQuestion()), { programId, deadlineAt: within(10) });
      expect(asked).toEqual({ asked: false, why: "timeout", failure: "timeout" });
    }
    expect(receiver.received).toHaveLength(before);
    answers({ decision: "approve" });
    expect(await kindsOf(programId, 1)).toEqual(["approve"]);
  });

  it("is over in time where a clock that was ahead has opened it", async () => {
    const programId = newId("program");
    const openUntil = within(3_600_000).toISOString();
    const item = { url: endpoint().url, openUntil, failure: "timeout", expiresAtSeconds: 1 } as const;
    await circuits.at(programId).createNow(item);
    answers({ decision: "approve" });
    expect(await kindsOf(programId, 1)).toEqual(["approve"]);
  });

  it("is one for all processes, and begins anew with another URL", async () => {
    const programId = newId("program");
    const openUntil = within(5_000).toISOString();
    const item = { url: endpoint().url, openUntil, failure: "timeout", expiresAtSeconds: 1 } as const;
    await circuits.at(programId).createNow(item);
    answers({ decision: "approve" });
    expect(await kindsOf(programId, 1)).toEqual(["circuit_open after timeout"]);
    const other = givenEndpoint(`${receiver.origin}/other`);
    const asked = await ask(other, toAsks(givenQuestion()), { programId, deadlineAt: within(400) });
    expect(asked).toMatchObject({ asked: true, reply: { kind: "approve" } });
  });
});
