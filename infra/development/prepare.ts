import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeLayout } from "../../shared/contract/store-layout.ts";
import { readAssembly } from "../local/assembly.ts";
import { VirtualClock } from "../local/clock.ts";
import { lockFile } from "../local/files.ts";
import type { ObservedInvocation } from "../local/interfaces.ts";
import { openPlainPort, type PlainPort } from "../local/loopback-server.ts";
import {
  type Assembly,
  type Emulation,
  provision,
  startFunctions as start,
} from "../local/start-functions.ts";
import { startServices, waitForAll } from "../local/start-services.ts";
import { connectionFile, readWebhookPort } from "./connection.ts";
import { type DevelopmentPki, ensureDevelopmentPki } from "./development-pki.ts";
import { ensureFreshAssembly } from "./fresh-assembly.ts";
import { demoZone } from "./seed.ts";
import type { LocalSettings } from "./settings.ts";
import { isTold, traceEntriesIn } from "./trace-entries.ts";
import type { TurnsPlan } from "./turns.ts";

export interface PlatformOptions extends LocalSettings {
  say?(line: string): void;
  onFailure?(error: Error): void;
  signal?: AbortSignal;
  /** A directory with a synthesized app, instead of the one that `npm start` synthesizes. */
  assembly?: string;
  /** The directory must be new. */
  turns?: TurnsPlan | undefined;
  /** Gets each input of a function, with its answer: `npm run record` keeps them. */
  observe?(invocation: ObservedInvocation): void;
  /** Further variables of all functions, for tests. */
  variables?: Readonly<Record<string, string>>;
}

const lockTimeoutMs = 5_000;

/** What a platform consists of before it runs. */
export interface Run {
  options: PlatformOptions;
  emulation: Emulation;
  pki: DevelopmentPki;
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
  const [pki, assemblyDirectory, services] = await waitForAll([
    ensureDevelopmentPki(inside("pki"), new Date(clock.now())),
    given ?? ensureFreshAssembly({ say: step, signal }),
    startServices({ directory, dynamodb, zone: demoZone, clock, onFailure, queues: turns?.queues }, stack),
  ]);
  const { dns, sqs } = services;
  const webhookPort = await openWebhookPort(options);
  stack.defer(() => webhookPort.stop());
  const assembly = readAssembly(assemblyDirectory, {
    parameters: {
      DnsServers: dns.address,
      SelfService: String(!options.approvals),
      HasReplica: String(options.hasReplica ?? false),
      AllowedReceivers: options.receivers.join(","),
      WebhookBaseUrl: `${webhookPort.url}/v2`,
    },
    queueEndpoint: sqs.endpoint,
  });
  const tables = count(assembly, "AWS::DynamoDB::GlobalTable");
  const queues = count(assembly, "AWS::SQS::Queue");
  step(`DynamoDB (${dynamodb}), SQS and DNS are running; preparing ${tables} tables and ${queues} queues`);
  const emulation = await provision({ directory, stack, clock, services, assembly });
  return { options, emulation, pki, webhookPort, inside, step };
}

/** By default that of the last start, which connected parties know, if it is still free. */
export async function openWebhookPort({
  webhookPort,
  directory,
}: Pick<PlatformOptions, "webhookPort" | "directory">): Promise<PlainPort> {
  if (webhookPort) return openPlainPort(webhookPort);
  // Its file of connections is gone by now; the demo's stays.
  return openPlainPort(readWebhookPort(join(directory, "demo"))).catch(() => openPlainPort());
}

export function startFunctions({ options, emulation, step }: Run) {
  const { assembly, trace } = emulation;
  const sources = count(assembly, "AWS::Lambda::EventSourceMapping", "AWS::Events::Rule");
  step(`Running ${count(assembly, "AWS::Lambda::Function")} functions with ${sources} event sources`);
  return start(emulation, {
    variables: options.variables,
    observe: options.observe,
    observeRecords: (records) => {
      // Each tells of one change of money and of one question at most.
      const told = records.filter(isTold);
      if (told.length > 0) trace.recordLater(2 * told.length, () => traceEntriesIn(told));
    },
    turns: options.turns,
  });
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

export function readOutput(assembly: Assembly, name: string): string {
  const value = assembly.outputs[name];
  if (value === undefined) throw new Error(`The template has no output ${name}`);
  return value;
}

export function count(assembly: Assembly, ...types: string[]): number {
  return types.flatMap(assembly.ofType).length;
}
