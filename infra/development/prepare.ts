import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeLayout } from "../../shared/contract/store-layout.ts";
import { AccessControl, recordUsedGrant } from "../local/access/access-control.ts";
import { requireSourcePermissions, startGuards } from "../local/access/guard.ts";
import { readAssembly } from "../local/assembly.ts";
import { VirtualClock } from "../local/clock.ts";
import { openKeys } from "../local/endpoint/kms.ts";
import { openMailbox } from "../local/endpoint/mailbox.ts";
import { type ObjectPort, startObjectPort } from "../local/endpoint/object-port.ts";
import { type ObjectStore, openObjectStore } from "../local/endpoint/object-store.ts";
import { openSecrets } from "../local/endpoint/secrets.ts";
import { readUsagePlans, UsagePlans } from "../local/endpoint/usage-plans.ts";
import { type Events, prepareEvents } from "../local/events/prepare-events.ts";
import { lockFile, stateFile } from "../local/files.ts";
import { FunctionRuntime } from "../local/function-runtime.ts";
import { openPlainPort, type PlainPort } from "../local/gateway/plain-port.ts";
import { provisionQueues, provisionTables } from "../local/provision.ts";
import { allOf, type Services, startServices } from "../local/start-services.ts";
import { type MemoryTrace, Metrics, memoryTrace } from "../local/telemetry.ts";
import type { Assembly } from "../local/template.ts";
import { prepareWorkerScript } from "../local/worker-script.ts";
import { connectionFile, readWebhookPort } from "./connection.ts";
import { Recordings } from "./control.ts";
import { type DevelopmentPki, ensureDevelopmentPki } from "./development-pki.ts";
import { ensureFreshAssembly } from "./fresh-assembly.ts";
import { ledgerEntriesIn } from "./ledger-entries.ts";
import { questionEntriesIn } from "./question-entries.ts";
import { demoZone } from "./seed.ts";
import type { LocalSettings } from "./settings.ts";
import type { TurnsPlan } from "./turns.ts";

export interface PlatformOptions extends LocalSettings {
  say?(line: string): void;
  onFailure?(error: Error): void;
  signal?: AbortSignal;
  /** A directory with a synthesized app, instead of the one that `npm start` synthesizes. */
  assembly?: string;
  /** The directory must be new. */
  turns?: TurnsPlan | undefined;
  /** Further variables of all functions, for tests. */
  variables?: Readonly<Record<string, string>>;
}

const lockTimeoutMs = 5_000;

/** What a platform consists of before it runs. */
export interface Run {
  options: PlatformOptions;
  stack: AsyncDisposableStack;
  clock: VirtualClock;
  trace: MemoryTrace;
  metrics: Metrics;
  recordings: Recordings;
  pki: DevelopmentPki;
  services: Services;
  assembly: Assembly;
  usage: UsagePlans;
  webhookPort: PlainPort;
  inside(name: string): string;
  step(line: string): void;
}

export async function prepare(options: PlatformOptions, stack: AsyncDisposableStack): Promise<Run> {
  const { directory, dynamodb, signal, onFailure, assembly: given, turns } = options;
  const inside = (name: string) => join(directory, name);
  const step = (line: string) => {
    signal?.throwIfAborted();
    options.say?.(line);
  };
  requireLayout(directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await claim(directory, stack);
  const clock = new VirtualClock(inside("clock.json"), turns?.startedAt);
  stack.defer(() => clock.stop());
  step("Preparing certificates and template, starting the engines");
  const [pki, assemblyDirectory, services] = await allOf([
    ensureDevelopmentPki(inside("pki"), new Date(clock.now())),
    given ?? ensureFreshAssembly({ say: step, signal }),
    startServices({ directory, dynamodb, zone: demoZone, clock, onFailure, queues: turns?.queues }, stack),
    prepareWorkerScript(),
  ]);
  const { dns, sqs, dynamo } = services;
  const webhookPort = await openWebhookPort(options);
  stack.defer(() => webhookPort.stop());
  const assembly = readAssembly(assemblyDirectory, {
    parameters: {
      DnsServers: dns.address,
      SelfService: String(!options.approvals),
      AllowedReceivers: options.receivers.join(","),
      WebhookBaseUrl: `${webhookPort.url}/v2`,
    },
    queueEndpoint: sqs.endpoint,
  });
  const tables = count(assembly, "AWS::DynamoDB::GlobalTable");
  const queues = count(assembly, "AWS::SQS::Queue");
  step(`DynamoDB (${dynamodb}), SQS and DNS are running; preparing ${tables} tables and ${queues} queues`);
  await allOf([provisionTables(assembly, dynamo.endpoint), provisionQueues(assembly, sqs)]);
  const [trace, metrics, recordings] = [memoryTrace(clock), new Metrics(), new Recordings()];
  const usage = new UsagePlans(readUsagePlans(assembly), stateFile(inside("usage-keys.json")), clock);
  const made = { trace, metrics, recordings, pki, services, assembly, usage, webhookPort };
  return { options, stack, clock, ...made, inside, step };
}

/** By default that of the last start, which connected parties know, if it is still free. */
export async function openWebhookPort({
  webhookPort,
  directory,
}: Pick<PlatformOptions, "webhookPort" | "directory">): Promise<PlainPort> {
  if (webhookPort) return openPlainPort(webhookPort);
  return openPlainPort(readWebhookPort(directory)).catch(() => openPlainPort());
}

interface StartedFunctions {
  functions: FunctionRuntime;
  events: Events;
  objects: ObjectStore;
  objectPort: ObjectPort;
}

export async function startFunctions(run: Run): Promise<StartedFunctions> {
  const { options, stack, clock, trace, metrics, recordings, services, assembly, usage, inside, step } = run;
  const sources = count(assembly, "AWS::Lambda::EventSourceMapping", "AWS::Events::Rule");
  step(`Running ${count(assembly, "AWS::Lambda::Function")} functions with ${sources} event sources`);
  const access = new AccessControl(assembly, trace, recordUsedGrant);
  requireSourcePermissions(assembly, access);
  const { endpoints, guarded } = await startGuards(services, access, stack);
  const { region } = assembly;
  const objectPort = await startObjectPort({ region, clock, check: (id, call) => access.check(id, call) });
  stack.defer(() => objectPort.stop());
  const order = await options.turns?.begin(stack);
  const functions = new FunctionRuntime({
    order,
    assembly,
    clock,
    trace,
    guarded,
    endpoints: { ...endpoints, AWS_ENDPOINT_URL_S3: objectPort.url, ...options.variables },
    logDirectory: inside("logs"),
    metrics,
    observe: recordings.observe,
  });
  stack.defer(() => functions.close());
  const { dynamo, sqs, aws } = services;
  const directory = inside("events");
  const events = prepareEvents({
    assembly,
    dynamo,
    sqs,
    clock,
    invoker: functions,
    trace,
    directory,
    observeRecords: (records) =>
      [...ledgerEntriesIn(records), ...questionEntriesIn(records)].forEach(trace.record),
  });
  const { bus } = events;
  const secrets = openSecrets(assembly, inside("secrets.json"), clock);
  const keys = openKeys(assembly, inside("kms.json"));
  const mailbox = openMailbox(inside("mailbox"), clock);
  const objects = openObjectStore(assembly, inside("files"), bus, clock);
  objectPort.serve({ answer: objects.answer });
  const knows = (name: string) => functions.knows(name);
  aws.serve({ invoker: functions, knows, bus, secrets, keys, mailbox, usage, objects });
  stack.defer(() => events.stop());
  await (options.turns ? options.turns.start(run, functions, events) : events.start());
  return { functions, events, objects, objectPort };
}

export const layoutFile = (directory: string) => join(directory, "layout");

/** @throws Error if the directory has a store that this version cannot read. Changes nothing. */
function requireLayout(directory: string): void {
  const isNew = !["dynamodb", "demo"].some((name) => existsSync(join(directory, name)));
  const file = layoutFile(directory);
  if (isNew || (existsSync(file) && readFileSync(file, "utf8") === String(storeLayout))) return;
  const quoted = `'${directory.replaceAll("'", "'\\''")}'`;
  throw new Error(
    `The store in ${directory} has another layout than this version's: start over with rm -r ${quoted} && npm start`,
  );
}

/** Locks the directory. Deletes an old connection file, because its presence signals readiness. */
async function claim(directory: string, stack: AsyncDisposableStack): Promise<void> {
  const message = `Another run of the platform uses ${directory}. Stop it, or set LOCAL_DIR to another directory`;
  const lock = await lockFile(join(directory, "lock"), lockTimeoutMs, message);
  stack.defer(() => lock.release());
  writeFileSync(layoutFile(directory), String(storeLayout));
  rmSync(connectionFile(directory), { force: true });
  mkdirSync(join(directory, "demo"), { recursive: true, mode: 0o700 });
}

export function outputOf(assembly: Assembly, name: string): string {
  const value = assembly.outputs[name];
  if (value === undefined) throw new Error(`The template has no output ${name}`);
  return value;
}

export function count(assembly: Assembly, ...types: string[]): number {
  return types.flatMap(assembly.ofType).length;
}
