import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteFunctionConcurrencyCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  GetAliasCommand,
  GetEventSourceMappingCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
  PutProvisionedConcurrencyConfigCommand,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { ownConcurrency } from "../../constructs/concurrency.ts";
import { functionName, liveAlias } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { warmVersions } from "../rollback/prune-versions.ts";

/** What lets in API requests, the card network's events, and what falls due. */
const stoppedFunctions = ["authorizer", "processor-events", "deadlines"] as const;
/** What their messages say waits: a consumer would write it to the former tables. */
const stoppedQueues = ["processor-events", "files", "evidence", "background-jobs"] as const;
/** As the messaging stack has it: one sweep at a time. */
const sweeps = 1;
const longestMs = 600_000;

interface Place {
  readonly lambda: LambdaClient;
  readonly settings: Pick<Settings, "name" | "region" | "account" | "concurrency">;
  readonly pollMs: number;
  readonly say: (line: string) => void;
}

/**
 * Settings of a deployment while traffic is stopped: its templates keep it stopped, and keep no
 * environments started, which Lambda refuses of what may not run.
 */
export function stoppedSettings(settings: Settings): Settings {
  const stopped = stoppedFunctions.map((folder) => {
    const { warm } = ownConcurrency(settings.concurrency, folder);
    return [folder, { reserved: 0, ...(warm && { warm: 0 }) }];
  });
  return { ...settings, concurrency: { ...settings.concurrency, ...Object.fromEntries(stopped) } };
}

/** Stops API requests, events, files, jobs and deadlines. The operator's commands keep working. */
export async function stopTraffic({ lambda, settings, pollMs, say }: Place): Promise<void> {
  for (const queue of stoppedQueues) await setConsumption({ lambda, settings, pollMs, queue, isOn: false });
  for (const folder of stoppedFunctions) {
    const FunctionName = functionName(settings.name, folder);
    // Lambda refuses the next call while any are kept started.
    for (const Qualifier of await warmVersions(lambda, FunctionName))
      await lambda.send(new DeleteProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier }));
    const none = { FunctionName, ReservedConcurrentExecutions: 0 };
    await lambda.send(new PutFunctionConcurrencyCommand(none));
  }
  say(`stopped: ${stoppedFunctions.join(", ")}; waiting: queues ${stoppedQueues.join(", ")}`);
}

/** Sets back what the environment's settings reserve. Callers come last. */
export async function admitTraffic({ lambda, settings, pollMs, say }: Place): Promise<void> {
  for (const folder of stoppedFunctions.toReversed()) {
    const FunctionName = functionName(settings.name, folder);
    const { reserved, warm } = ownConcurrency(settings.concurrency, folder);
    const ReservedConcurrentExecutions = folder === "deadlines" ? sweeps : reserved;
    if (ReservedConcurrentExecutions === undefined)
      await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    else await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
    if (warm) await keepStarted(lambda, FunctionName, warm);
  }
  for (const queue of stoppedQueues) await setConsumption({ lambda, settings, pollMs, queue, isOn: true });
  say(`admitted again: ${stoppedFunctions.join(", ")}, and queues`);
}

async function keepStarted(lambda: LambdaClient, FunctionName: string, warm: number): Promise<void> {
  const { FunctionVersion: Qualifier } = await lambda.send(
    new GetAliasCommand({ FunctionName, Name: liveAlias }),
  );
  const ProvisionedConcurrentExecutions = warm;
  await lambda.send(
    new PutProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier, ProvisionedConcurrentExecutions }),
  );
}

interface Consumption extends Omit<Place, "say"> {
  readonly queue: string;
  readonly isOn: boolean;
}

async function setConsumption({ lambda, settings, pollMs, queue, isOn }: Consumption): Promise<void> {
  const { name, region, account } = settings;
  const EventSourceArn = `arn:aws:sqs:${region}:${account}:${functionName(name, queue)}`;
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings(
    { client: lambda },
    { EventSourceArn },
  ))
    for (const { UUID } of EventSourceMappings) {
      // Lambda refuses a change of what is still changing.
      const state = await settled(lambda, UUID, pollMs);
      if (state === (isOn ? "Enabled" : "Disabled")) continue;
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: isOn }));
      await settled(lambda, UUID, pollMs);
    }
}

async function settled(lambda: LambdaClient, UUID: string | undefined, pollMs: number) {
  for (const end = Date.now() + longestMs; ; await delay(pollMs)) {
    const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    if (State === "Enabled" || State === "Disabled") return State;
    if (Date.now() > end) throw new Error(`The event source mapping ${UUID} stays ${State}.`);
  }
}
