import { Duration } from "aws-cdk-lib";
import { type IEventBus, Rule } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import { jobKinds } from "../../../shared/contract/outbox.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { WorkQueue } from "./work-queue.ts";

/**
 * Takes on what is longer than a request. A queue of its own, so that no notification waits for a
 * statement.
 */
export function addBackgroundJobs(functions: FunctionFactory, eventBus: IEventBus) {
  const consumer = functions.make(
    "BackgroundJobsFunction",
    "background-jobs",
    "Makes long statements, books, reports, simulations and bulks.",
    {
      // A step works for 8 s and ends what it has begun. A killed one is repeated after six times
      // this, before its file counts as given up (`staleAfterMs`).
      timeout: Duration.seconds(45),
    },
  );
  const jobs = new WorkQueue(functions, "BackgroundJobs", {
    name: "background-jobs",
    consumer,
    // A step uses a whole processor.
    batchSize: 1,
    impact: "Long statements, books, reports, simulations and bulks are late. All else is on time.",
  });
  jobs.allowReturns("JOBS_QUEUE_URL");
  new Rule(new Construct(functions.stack, "Jobs"), "Requested", {
    description: "Sends requests for long work to the background.",
    eventBus,
    eventPattern: { detailType: [...jobKinds] },
    targets: [jobs.target],
  });
}
