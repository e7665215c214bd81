import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handler as takeSteps } from "../../../functions/background-jobs/handler.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { newId } from "../../../shared/platform/id.ts";
import { givenSimulation } from "../../harness/cases/control-cases.ts";
import { injectFaults } from "../../harness/faults.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { batchOf } from "../../harness/given-webhooks.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

describe("the steps of a job", () => {
  let queues: QueueRecorder;
  let program: GivenProgram;

  beforeEach(async () => {
    queues = await startQueueRecorder();
    program = await givenProgram();
  });
  afterEach(() => queues.stop());

  const taken = (...bodies: unknown[]) => takeSteps(batchOf("jobs", bodies));
  const stays = { batchItemFailures: [{ itemIdentifier: "message-0" }] };
  const done = { batchItemFailures: [] };
  const begun = async () => {
    const simulationId = await givenSimulation(program);
    const events = eventsIn(await storedItems(program.programId)) as OutboxEvent[];
    const detail = events.find(({ kind }) => kind === "control.simulated");
    return { simulationId, message: { detail } };
  };
  const simulation = async (simulationId: string) =>
    (await program.call("GET /simulations/{simulationId}", { path: { simulationId } })).body.data;

  it("send the rest to the end of the queue, under the Program, so that Programs take turns", async () => {
    const { simulationId, message } = await begun();
    expect(await taken(message)).toEqual(done);
    const [next, ...others] = queues.sent;
    expect(others).toEqual([]);
    expect(next).toMatchObject({
      queue: "jobs",
      groupId: program.programId,
      body: { steps: 1, detail: { ...message.detail, detail: { simulationId, step: 1 } } },
    });
    for (let rest = queues.take("jobs")[0]; rest; rest = queues.take("jobs")[0])
      expect(await taken(rest.body)).toEqual(done);
    expect(await simulation(simulationId)).toMatchObject({ status: "done" });
  });

  it("stay if the rest cannot be sent, and are taken again", async () => {
    const { simulationId, message } = await begun();
    queues.refuse(1);
    expect(await taken(message)).toEqual(stays);
    expect(await taken(message)).toEqual(done);
    expect(queues.sent.map(({ body }) => body.detail.detail.step)).toEqual([1]);
    expect((await simulation(simulationId)).status).toBe("running");
  });

  it("stay while the store fails", async () => {
    const { message } = await begun();
    using _ = injectFaults(() => "server-error");
    expect(await taken(message)).toEqual(stays);
    expect(queues.sent).toEqual([]);
  });

  it("stay if they are of no job, and end after a million", async () => {
    const { message } = await begun();
    expect(await taken({ detail: { ...message.detail, kind: "hold.placed" } })).toEqual(stays);
    expect(await taken({ nothing: true })).toEqual(stays);
    expect(await taken({ ...message, steps: 1_000_000 })).toEqual(stays);
    expect(queues.sent).toEqual([]);
  });

  it("of a simulation that is not there do nothing", async () => {
    const { message } = await begun();
    const other = { ...message.detail, detail: { simulationId: newId("simulation") } };
    expect(await taken({ detail: other })).toEqual(done);
    expect(queues.sent).toEqual([]);
  });
});
