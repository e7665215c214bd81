import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AccessControl, recordUsedGrant } from "../local/access/access-control.ts";
import { requireSourcePermissions, startGuards } from "../local/access/guard.ts";
import { readAssembly } from "../local/assembly.ts";
import { VirtualClock } from "../local/clock.ts";
import type { DnsServer } from "../local/dns.ts";
import { openMailbox } from "../local/endpoint/aws-endpoint.ts";
import { openSecrets, openSigningKeys } from "../local/endpoint/secrets.ts";
import { readUsagePlans, UsagePlans } from "../local/endpoint/usage-plans.ts";
import { type Events, prepareEvents } from "../local/events/prepare-events.ts";
import { lockFile, stateFile } from "../local/files.ts";
import { FunctionRuntime } from "../local/function-runtime.ts";
import { startGateway } from "../local/gateway/https-gateway.ts";
import { provisionQueues, provisionTables } from "../local/provision.ts";
import { allOf, type Services, startServices } from "../local/start-services.ts";
import { type MemoryTrace, Metrics, memoryTrace } from "../local/telemetry.ts";
import type { Assembly } from "../local/template.ts";
import { type Connection, connectionFile, writeConnection } from "./connection.ts";
import { Recordings, startControl } from "./control.ts";
import {
  type DevelopmentPki,
  ensureDevelopmentPki,
  readCertifiedKey,
  readTruststore,
  truststoreFile,
} from "./development-pki.ts";
import { ensureFreshAssembly } from "./fresh-assembly.ts";
import { ledgerEntriesIn } from "./ledger-entries.ts";
import { demoZone, type SeedOptions, seed } from "./seed.ts";
import type { LocalSettings } from "./settings.ts";

export interface PlatformOptions extends LocalSettings {
  say?(line: string): void;
  onFailure?(error: Error): void;
  signal?: AbortSignal;
}

export interface Platform {
  connection: Connection;
  directory: string;
  clock: VirtualClock;
  dns: DnsServer;
  functions: FunctionRuntime;
  settled(): Promise<void>;
  /** Rejects new requests, lets running ones finish, then stops every part. */
  stop(): Promise<void>;
}

const lockTimeoutMs = 5_000;

/**
 * Runs the platform from its synthesized template; the directory keeps its state. Throws if the
 * directory or a port is in use, or a part cannot run. A failed start leaves nothing running.
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const stack = new AsyncDisposableStack();
  try {
    const platform = await start(options, stack);
    const stop = stack.move();
    return { ...platform, stop: () => stop.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

interface Run {
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
  inside(name: string): string;
  step(line: string): void;
}

async function start(options: PlatformOptions, stack: AsyncDisposableStack): Promise<Omit<Platform, "stop">> {
  const run = await prepare(options, stack);
  const { clock, services, step } = run;
  const { functions, events } = await startFunctions(run);
  const urls = await startServers(run, functions);
  step("Preparing the demo Tenant with its Program, Wallet and keys");
  const connection = await seed({
    directory: run.inside("demo"),
    pki: run.pki,
    functions,
    operatorFunctionName: outputOf(run.assembly, "OperatorFunctionName"),
    urls,
    now: new Date(clock.now()),
  });
  writeConnection(options.directory, connection);
  const { directory } = options;
  const { dns } = services;
  return { connection, directory, clock, dns, functions, settled: events.settled };
}

async function prepare(options: PlatformOptions, stack: AsyncDisposableStack): Promise<Run> {
  const { directory, dynamodb, signal, onFailure } = options;
  const inside = (name: string) => join(directory, name);
  const step = (line: string) => {
    signal?.throwIfAborted();
    options.say?.(line);
  };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await claim(directory, stack);
  const clock = new VirtualClock(inside("clock.json"));
  stack.defer(() => clock.stop());
  step("Preparing certificates and template, starting the engines");
  const [pki, assemblyDirectory, services] = await allOf([
    ensureDevelopmentPki(inside("pki"), new Date(clock.now())),
    ensureFreshAssembly({ say: step, signal }),
    startServices({ directory, dynamodb, zone: demoZone, clock, onFailure }, stack),
  ]);
  const { dns, sqs, dynamo } = services;
  const assembly = readAssembly(assemblyDirectory, {
    parameters: { DnsServers: dns.address, AllowedReceivers: options.receivers.join(",") },
    queueEndpoint: sqs.endpoint,
  });
  const tables = count(assembly, "AWS::DynamoDB::Table");
  const queues = count(assembly, "AWS::SQS::Queue");
  step(`DynamoDB (${dynamodb}), SQS and DNS are running; preparing ${tables} tables and ${queues} queues`);
  await allOf([provisionTables(assembly, dynamo.endpoint), provisionQueues(assembly, sqs)]);
  const [trace, metrics, recordings] = [memoryTrace(clock), new Metrics(), new Recordings()];
  const usage = new UsagePlans(readUsagePlans(assembly), stateFile(inside("usage-keys.json")), clock);
  const made = { trace, metrics, recordings, pki, services, assembly, usage };
  return { options, stack, clock, ...made, inside, step };
}

async function startFunctions(run: Run): Promise<{ functions: FunctionRuntime; events: Events }> {
  const { stack, clock, trace, metrics, recordings, services, assembly, usage, inside, step } = run;
  const sources = count(assembly, "AWS::Lambda::EventSourceMapping", "AWS::Events::Rule");
  step(`Running ${count(assembly, "AWS::Lambda::Function")} functions with ${sources} event sources`);
  const access = new AccessControl(assembly, trace, recordUsedGrant);
  requireSourcePermissions(assembly, access);
  const guards = await startGuards(services, access, stack);
  const functions = new FunctionRuntime({
    assembly,
    clock,
    trace,
    ...guards,
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
    observeRecords: (records) => ledgerEntriesIn(records).forEach(trace.record),
  });
  const { bus } = events;
  const secrets = openSecrets(assembly, inside("secrets.json"), clock);
  const keys = openSigningKeys(assembly, inside("kms.json"));
  const mailbox = openMailbox(inside("mailbox"), clock);
  aws.serve({ invoker: functions, bus, secrets, keys, mailbox, usage });
  stack.defer(() => events.stop());
  await events.start();
  return { functions, events };
}

async function startServers(run: Run, functions: FunctionRuntime): Promise<SeedOptions["urls"]> {
  const { options, stack, clock, trace, metrics, recordings, pki, services, assembly, usage, step } = run;
  const apis = count(assembly, "AWS::ApiGateway::RestApi");
  step(`Serving ${count(assembly, "AWS::ApiGateway::Method")} methods of ${apis} APIs over mutual TLS`);
  const certificatesFunctionName = outputOf(assembly, "CertificatesFunctionName");
  const truststore = () => readTruststore({ pki, functions, certificatesFunctionName });
  const server = readCertifiedKey(pki.server);
  const gateway = await startGateway({
    assembly,
    invoker: functions,
    clock,
    trace,
    usage,
    port: options.port,
    serverCertificate: server.certificatePem,
    serverKey: server.keyPem,
    truststore: await truststore(),
  });
  stack.defer(() => gateway.stop());
  const publishTruststore = async () => gateway.trust(await truststore());
  const recorder = recordings;
  const control = await startControl({ clock, trace, metrics, recorder, functions, publishTruststore });
  stack.defer(() => control.stop());
  const operator = outputOf(assembly, "OperatorFunctionName");
  return {
    ...apiUrls(assembly, gateway.port),
    controlUrl: control.url,
    truststore: truststoreFile(pki),
    operatorUrl: `${services.aws.endpoint}/2015-03-31/functions/${operator}/invocations`,
    processorQueueUrl: outputOf(assembly, "ProcessorQueueUrl"),
    receivers: options.receivers,
    store: {
      endpoint: services.dynamo.endpoint,
      region: assembly.region,
      issuingTable: outputOf(assembly, "IssuingTableName"),
      accountsTable: outputOf(assembly, "AccountsTableName"),
    },
  };
}

/** Locks the directory. Deletes an old connection file, because its presence signals readiness. */
async function claim(directory: string, stack: AsyncDisposableStack): Promise<void> {
  const message = `Another run of the platform uses ${directory}. Stop it, or set LOCAL_DIR to another directory`;
  const lock = await lockFile(join(directory, "lock"), lockTimeoutMs, message);
  stack.defer(() => lock.release());
  rmSync(connectionFile(directory), { force: true });
  mkdirSync(join(directory, "demo"), { recursive: true, mode: 0o700 });
}

/** The sandbox's host name does not resolve everywhere, so use the platform's host. */
function apiUrls(assembly: Assembly, port: number): { baseUrl: string; sandboxUrl: string } {
  const url = new URL(outputOf(assembly, "PlatformBaseUrl"));
  url.port = String(port);
  return { baseUrl: url.href, sandboxUrl: `${url.href}/sandbox` };
}

function outputOf(assembly: Assembly, name: string): string {
  const value = assembly.outputs[name];
  if (value === undefined) throw new Error(`The template has no output ${name}`);
  return value;
}

function count(assembly: Assembly, ...types: string[]): number {
  return types.flatMap(assembly.ofType).length;
}
