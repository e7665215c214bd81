import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import { now } from "../../../shared/platform/clock.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenProgram } from "../../harness/given-cards.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { batchOf } from "../../harness/given-webhooks.ts";
import { killed } from "../../harness/killed.ts";
import { basicAuthorization } from "../../harness/marqeta-messages.ts";
import { drawStory, inAnyOrder } from "../../harness/marqeta-stories.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { type Random, randomFrom } from "../../harness/random.ts";
import { givenConnection } from "./given-connection.ts";

let queues: QueueRecorder;
beforeAll(async () => {
  queues = await startQueueRecorder();
});
afterAll(() => queues.stop());

const initial = 100_000;

/** Consumes what waits, killed now and then. Returns what stays in the queue. */
async function consume(random: Random, waiting: readonly object[]): Promise<object[]> {
  const left: object[] = [];
  for (const body of random.shuffle(waiting)) {
    const batch = batchOf("processor-events", [body]);
    for (const { attributes } of batch.Records)
      attributes.ApproximateFirstReceiveTimestamp = String(now().getTime());
    if (random.chance(0.1)) await killed(random.below(3), random.chance(0.5), () => handler(batch));
    const { batchItemFailures } = (await handler(batch)) as { batchItemFailures: unknown[] };
    if (batchItemFailures.length > 0) left.push(body);
  }
  return left;
}

it("of what Marqeta asks and tells of a Card, in any order, again and killed, holds and ledger are what it did", async () => {
  const run = async (seed: number) => {
    const random = randomFrom(seed);
    const program = await givenProgram();
    const connection = await givenConnection(program, { port: "processor", adapter: "marqeta" });
    const cardId = await givenStoredCard(program.programId, 1, initial);
    let ms = now().getTime() - 3_600_000;
    const clock = () => {
      ms += 1_000;
      return new Date(ms).toISOString();
    };
    const stories = Array.from({ length: 1 + random.below(3) }, (_, number) =>
      drawStory(random, cardId, `${cardId.slice(-8)}-${number}`, clock),
    );
    let waiting: object[] = [];
    const told = stories.flatMap((one) => one.told);
    for (const body of inAnyOrder(random, told)) {
      const { status } = await connection.post(body, basicAuthorization(connection.secret));
      // What has ended by then has no increment.
      expect([200, 402]).toContain(status);
      waiting.push(...queues.take("processor").map((one) => one.body));
      if (random.chance(0.6)) waiting = await consume(random, waiting);
    }
    for (let tries = told.length + 1; tries > 0 && waiting.length > 0; tries -= 1)
      waiting = await consume(random, waiting);
    const { heldMinor, ledgerMinor } = balancesIn(await expectBooksInOrder(program.programId), cardId);
    const sumOf = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0);
    expect({ heldMinor, ledgerMinor }).toEqual({
      heldMinor: sumOf(stories.map(({ held }) => held)),
      ledgerMinor: initial + sumOf(stories.map(({ ledger }) => ledger)),
    });
  };
  await fc.assert(fc.asyncProperty(fc.nat(), run), { numRuns: 100, endOnFailure: true });
});
