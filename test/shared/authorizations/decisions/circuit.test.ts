import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Asked, ask, circuits } from "../../../../shared/authorizations/decisions/decision.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { givenEndpoint, givenQuestion } from "../../../harness/given-question.ts";
import { type Receiver, startReceiver } from "../../../harness/receiver.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  Object.assign(process.env, { DNS_SERVERS: "127.0.0.1:9", ALLOWED_RECEIVERS: receiver.origin });
});
afterAll(() => receiver.stop());

const endpoint = () => givenEndpoint(`${receiver.origin}/decide`);
const within = (ms: number) => new Date(Date.now() + ms);

const answers = (body: string | object, status = 200) =>
  receiver.behave((_, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
  );

describe("the circuit of an endpoint", () => {
  afterEach(() => void vi.useRealTimers());

  const asking = async (programId: string): Promise<Asked> =>
    ask(endpoint(), givenQuestion(), { programId, deadlineAt: within(1_000) });
  const kindsOf = async (programId: string, times: number) => {
    const kinds: string[] = [];
    for (let time = 0; time < times; time += 1) {
      const asked = await asking(programId);
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
    expect(await kindsOf(programId, 6)).toEqual([...Array(5).fill("timeout"), "circuit_open after timeout"]);
    waitIsOver();
    const before = receiver.received.length;
    const probes = await Promise.all([asking(programId), asking(programId), asking(programId)]);
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
      const asked = await ask(endpoint(), givenQuestion(), { programId, deadlineAt: within(10) });
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
    const asked = await ask(other, givenQuestion(), { programId, deadlineAt: within(400) });
    expect(asked).toMatchObject({ asked: true, reply: { kind: "approve" } });
  });
});
