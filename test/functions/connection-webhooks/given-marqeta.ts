import { handler as processEvents } from "../../../functions/processor-events/handler.ts";
import { now } from "../../../shared/platform/clock.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { batchOf } from "../../harness/given-webhooks.ts";
import { basicAuthorization } from "../../harness/marqeta-messages.ts";
import { startQueueRecorder } from "../../harness/queue-recorder.ts";
import { givenConnection } from "./given-connection.ts";

/** A Program that is connected to Marqeta, whose ATM fee is 2.50, and the processor's queue. */
export async function givenMarqeta() {
  const queues = await startQueueRecorder();
  const program = await givenProgram();
  const path = { programId: program.programId };
  const feeSchedule = [{ feeType: 3, amount: 250 }];
  await program.call("PUT /account/programs/{programId}/settings", { path, body: { feeSchedule } });
  const connection = await givenConnection(program, { port: "processor", adapter: "marqeta" });
  const takeQueued = () => queues.take("processor").map(({ body }) => body);
  return {
    program,
    takeQueued,
    stop: () => queues.stop(),
    send: (body: string) => connection.post(body, basicAuthorization(connection.secret)),
    /** A Card with 100.00 on it. */
    givenCard: async () => {
      const { cardId } = await givenCard(program);
      const at = { cardId };
      const body = { amount: 10_000, pending: false };
      await program.call("POST /cards/{cardId}/deposits", { path: at, body });
      const balances = async () => {
        await expectBooksInOrder(program.programId);
        const { data } = (await program.call("GET /cards/{cardId}/balance", { path: at })).body;
        return [data.availableBalance, data.ledgerBalance];
      };
      return { cardId, balances };
    },
    /** As the queue does, `ageMs` after the first receipt. Answers how many stay in it. */
    applyQueued: async (bodies = takeQueued(), ageMs = 0) => {
      const batch = batchOf("processor-events", bodies);
      for (const { attributes } of batch.Records)
        attributes.ApproximateFirstReceiveTimestamp = String(now().getTime() - ageMs);
      const answer = await processEvents(batch);
      return (answer as { batchItemFailures: unknown[] }).batchItemFailures.length;
    },
  };
}

export type GivenMarqeta = Awaited<ReturnType<typeof givenMarqeta>>;
