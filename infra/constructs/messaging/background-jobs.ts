import { Duration, Stack } from "aws-cdk-lib";
import { type IEventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { jobKinds } from "../../../shared/contract/outbox.ts";
import { acknowledgeObjects } from "../acknowledge.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantLongFiles, grantRecords } from "../grants.ts";
import { longFileFolders } from "../long-files.ts";
import { filesArnOutput } from "./files.ts";
import { WorkQueue } from "./work-queue.ts";

export interface BackgroundJobsProps {
  readonly functions: FunctionFactory;
  readonly bus: IEventBus;
}

/**
 * Takes on what is longer than a request. A queue of its own, so that no notification waits for a
 * statement.
 */
export class BackgroundJobs extends Construct {
  constructor(scope: Construct, id: string, { functions, bus }: BackgroundJobsProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const { settings, alarms, data } = functions.props;
    // A step works for 8 s and ends what it has begun. A killed one is repeated after six times
    // this, before its file counts as given up (`staleAfterMs`).
    const timeout = Duration.seconds(45);
    const consumer = functions.ofPrograms(
      "BackgroundJobsFunction",
      "background-jobs",
      "Makes long statements, books, reports of settlements and simulations.",
      { timeout, environment: { FILES_BUCKET: data.filesBucket.bucketName } },
    );
    const jobs = new WorkQueue(stack, "BackgroundJobs", {
      queueName: `card-issuing-${settings.name}-background-jobs`,
      settings,
      alarms,
      consumer,
      consumerTimeout: timeout,
      concurrency: settings.queueConcurrency,
      // A step uses a whole processor.
      batchSize: 1,
      impact: "Long statements, books, reports of settlements and simulations are late. All else is on time.",
    });
    consumer.addEnvironment("JOBS_QUEUE_URL", jobs.queue.queueUrl);
    jobs.allowReturns();
    // They read a journal whose old months are moved.
    grantLongFiles(data.filesBucket, longFileFolders, consumer, "write");
    acknowledgeObjects(data.filesBucket, filesArnOutput, longFileFolders, consumer);
    grantRecords(data.recordsBucket, consumer);
    new Rule(this, "Requested", {
      description: "Sends requests for long work to the background.",
      eventBus: bus,
      eventPattern: { detailType: [...jobKinds] },
      targets: [new SqsQueue(jobs.queue, { deadLetterQueue: jobs.deadLetters })],
    });
  }
}
