import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DeleteFunctionConcurrencyCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  GetAliasCommand,
  GetEventSourceMappingCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  PutProvisionedConcurrencyConfigCommand,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { parseJson } from "../../command-line/connection-file.ts";
import { sayStep as say } from "../../command-line/print.ts";
import { runProgram } from "../../command-line/run-program.ts";
import { ownConcurrency } from "../../constructs/concurrency.ts";
import { functionName, liveAlias, restoredTableName } from "../../constructs/names.ts";
import type { Settings } from "../../environments.ts";
import { scan } from "../audit/scan.ts";
import { deployEnvironment } from "../deploy/deploy-environment.ts";
import type { DeployOptions } from "../deploy/options.ts";
import { administerThere } from "../invoke-operator.ts";
import { warmVersions } from "../rollback/prune-versions.ts";
import { repeatLostChanges } from "./changes-to-repeat.ts";
import type { ProgressFile } from "./progress-file.ts";
import {
  checkTime,
  findLostChanges,
  type RestoreOptions,
  restoreEnvironment,
} from "./restore-environment.ts";
import type { Restoration } from "./whole-restore.ts";

interface Given {
  /** As declared, without `restoredTo` of this restore. */
  readonly settings: Settings;
  readonly options: RestoreOptions;
  readonly deploy: Pick<
    DeployOptions,
    "caller" | "caller-domain" | "patience" | "ignore-quotas" | "ignore-trail"
  >;
  readonly progress: ProgressFile;
}

const Audited = z.object({ faults: z.array(z.string()) });

/** A restore of an environment in AWS. */
export class AwsRestoration implements Restoration {
  readonly #given: Given;
  readonly #restored: Settings;
  readonly #lambda: LambdaClient;

  constructor(given: Given) {
    this.#given = given;
    const { settings, options } = given;
    this.#restored = { ...settings, restoredTo: `${options.to.toISOString().slice(0, 19)}Z` };
    this.#lambda = new LambdaClient({ region: settings.region });
  }

  checkTime = (): Promise<void> => checkTime(this.#given.options);

  stopTraffic = (): Promise<void> => stopTraffic(this.#place());

  admitTraffic = (): Promise<void> => admitTraffic(this.#place());

  restoreTables = async (): Promise<void> => {
    const result = await restoreEnvironment({ ...this.#given.options, isPart: true });
    if (!result.serves) this.#given.progress.accept(result.accepted);
  };

  audit = async (): Promise<boolean> => {
    const { shown } = await runCommandFile("audit", this.#storeFile(), "--json");
    const result = Audited.safeParse(parseJson(shown)).data;
    // An audit that ended early has found nothing.
    if (result === undefined) throw new Error("The audit did not finish, so the books are not proved.");
    return result.faults.length === 0;
  };

  switchOver = (): Promise<void> => {
    const { accepted } = this.#given.progress;
    return this.#deploy(stoppedSettings(this.#restored), { "no-caller": true, accept: [...accepted] });
  };

  repeatChanges = async (): Promise<readonly string[]> => {
    const { settings, progress } = this.#given;
    const changes = await findLostChanges(settings, this.#table("accounts"));
    return repeatLostChanges(changes, progress, async ({ command, input }) => {
      await administerThere(settings, command, input);
      say(`${command} ${JSON.stringify(input)}: repeated`);
    });
  };

  mendLists = async (): Promise<readonly string[]> => {
    const differing: string[] = [];
    for (const programId of await this.#programs()) {
      const words = [this.#storeFile(), programId];
      if ((await runCommandFile("lists", "check", ...words)).exitStatus === 0) continue;
      if ((await runCommandFile("lists", "rebuild", ...words)).exitStatus !== 0) differing.push(programId);
    }
    return differing;
  };

  check = async (): Promise<void> => {
    await this.#deploy(this.#restored, { "no-caller": false, accept: [] });
    const { name, restoredTo } = this.#restored;
    say(
      `Commit in infra/environments.ts, ${name}: restoredTo: "${restoredTo}". Without it, the next deployment is refused.`,
    );
  };

  #place() {
    const { settings, options } = this.#given;
    return { lambda: this.#lambda, settings, pollMs: options.pollMs, say };
  }

  #table(table: "issuing" | "accounts"): string {
    const { settings, options } = this.#given;
    return restoredTableName(settings.name, table, options.to.toISOString());
  }

  #storeFile(): string {
    const { settings, options } = this.#given;
    return path.join(options.connections, settings.name, "restored.json");
  }

  async #programs(): Promise<string[]> {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: this.#given.settings.region }));
    const input = { FilterExpression: "sk = :program", ExpressionAttributeValues: { ":program": "PROGRAM" } };
    const found: string[] = [];
    for await (const { programId } of scan(client, this.#table("accounts"), input))
      found.push(String(programId));
    return found.toSorted();
  }

  async #deploy(settings: Settings, options: Pick<DeployOptions, "no-caller" | "accept">): Promise<void> {
    say("templates and bundles are written, which takes one to two minutes");
    const { environment, connections } = this.#given.options;
    const assembly = await writeTemplates(settings);
    const whole = {
      ...this.#given.deploy,
      ...options,
      environment,
      connections,
      region: "first" as const,
      bootstrap: false,
      "keep-data": false,
      assembly,
      ofCdk: ["--require-approval", "never"],
    };
    await deployEnvironment(whole, () => settings);
  }
}

/** In a process of its own, since it reads its store once. */
async function runCommandFile(name: string, ...words: string[]) {
  const file = path.resolve(import.meta.dirname, "..", `${name}.ts`);
  const ran = await runProgram(process.execPath, [file, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  if (!words.includes("--json")) process.stdout.write(ran.shown);
  return ran;
}

/** In a process of its own, which Ctrl-C ends at once: a synthesis does not give way. */
async function writeTemplates(settings: Settings): Promise<string> {
  const app = path.resolve(import.meta.dirname, "../../app.ts");
  const script = `const { synthesizeSettings } = await import(${JSON.stringify(pathToFileURL(app).href)});
console.log(synthesizeSettings(JSON.parse(process.argv[1])));`;
  const words = ["--input-type=module", "--eval", script, JSON.stringify(settings)];
  const { exitStatus, shown } = await runProgram(process.execPath, words, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (exitStatus !== 0) throw new Error("The templates could not be written.");
  return shown.trim().split("\n").at(-1) ?? "";
}

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
