import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readAssembly } from "./assembly.ts";
import { VirtualClock } from "./clock.ts";
import { type Connection, connectionFile, writeConnection } from "./connection.ts";
import { startControl } from "./control.ts";
import { ensureDevelopmentPki, readCertifiedKey } from "./development-pki.ts";
import { lockFile } from "./directory-lock.ts";
import { DEMO_ZONE, type DnsServer } from "./dns.ts";
import { startDnsThread } from "./dns-thread.ts";
import { type AwsEndpoint, openAwsEndpoint } from "./endpoint/aws-endpoint.ts";
import { Mailbox } from "./endpoint/mailbox.ts";
import { Secrets } from "./endpoint/secrets.ts";
import { type DynamoEngine, startDynamo } from "./engines/dynamo.ts";
import { type SqsEngine, startSqs } from "./engines/sqs.ts";
import { prepareEvents } from "./events/prepare-events.ts";
import { ensureFreshAssembly } from "./fresh-assembly.ts";
import { FunctionRuntime } from "./function-runtime.ts";
import { startGateway } from "./gateway/https-gateway.ts";
import type { Assembly } from "./interfaces.ts";
import { provisionQueues } from "./provision/queues.ts";
import { provisionTables } from "./provision/tables.ts";
import { Recordings } from "./recordings.ts";
import { seed } from "./seed.ts";
import type { LocalSettings } from "./settings.ts";
import { MemoryTrace } from "./trace.ts";

export interface PlatformOptions extends LocalSettings {
  /** Hears each step of the start. */
  say?(line: string): void;
  /** A part cannot be kept running. */
  onFailure?(error: Error): void;
}

export interface Platform {
  connection: Connection;
  directory: string;
  clock: VirtualClock;
  dns: DnsServer;
  functions: FunctionRuntime;
  /** Resolves when everything that was set in motion has come to rest. */
  settled(): Promise<void>;
  /** Takes no more requests, lets running ones finish, ends every part. */
  stop(): Promise<void>;
}

const LOCK_PATIENCE_MS = 5_000;

/**
 * Runs the whole platform from its synthesized template, in a directory that keeps its state between runs. Several may run
 * at once, each in a directory of its own. Errors: the directory is in use; a port is taken; what a part cannot run. Nothing
 * is left running then.
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

async function start(options: PlatformOptions, stack: AsyncDisposableStack): Promise<Omit<Platform, "stop">> {
  const { directory, say = () => undefined } = options;
  const inside = (name: string) => join(directory, name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await claim(directory, stack);

  const clock = new VirtualClock(inside("clock.json"));
  stack.defer(() => clock.stop());
  const trace = new MemoryTrace(clock);
  say("Checking the development certificates and the template, starting the engines");
  const [pki, assemblyDirectory, engines] = await allOf([
    ensureDevelopmentPki(inside("pki"), new Date(clock.now())),
    ensureFreshAssembly(say),
    startEngines(options, clock, stack),
  ]);
  const { dynamo, sqs, dns, aws } = engines;

  const assembly = readAssembly(assemblyDirectory, {
    parameters: { DnsServers: dns.address, AllowedReceivers: options.receivers.join(",") },
    queueEndpoint: sqs.endpoint,
  });
  const count = (...types: string[]) => types.flatMap(assembly.ofType).length;
  const [tables, queues] = [
    count("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"),
    count("AWS::SQS::Queue"),
  ];
  say(
    `DynamoDB (${options.dynamodb}), SQS and DNS run; making or checking ${tables} tables and ${queues} queues`,
  );
  await allOf([provisionTables(assembly, dynamo.endpoint), provisionQueues(assembly, sqs)]);

  const recorder = new Recordings();
  const functions = new FunctionRuntime({
    assembly,
    clock,
    trace,
    endpoints: functionEndpoints(engines),
    logDirectory: inside("logs"),
    observe: recorder.observe,
  });
  stack.defer(() => functions.close());
  const events = prepareEvents({
    assembly,
    dynamo,
    sqs,
    clock,
    invoker: functions,
    trace,
    directory: inside("events"),
  });
  const secrets = new Secrets(assembly, inside("secrets.json"), clock);
  const mailbox = new Mailbox(inside("mailbox"), clock);
  const { invocations, bus } = events;
  aws.serve({ assembly, invoker: functions, invocations, bus, secrets, mailbox });
  stack.defer(() => events.stop());
  await events.start();

  say(
    `Running ${count("AWS::Lambda::Function")} functions, fed by ${count("AWS::Lambda::EventSourceMapping", "AWS::Events::Rule")} sources`,
  );
  const control = await startControl({ clock, trace, recorder });
  stack.defer(() => control.stop());
  const authority = readCertifiedKey(pki.authority);
  const server = readCertifiedKey(pki.server);
  const gateway = await startGateway({
    assembly,
    invoker: functions,
    clock,
    trace,
    port: options.port,
    serverCertificate: server.certificatePem,
    serverKey: server.keyPem,
    truststore: authority.certificatePem,
  });
  stack.defer(() => gateway.stop());

  say(
    `Serving ${count("AWS::ApiGateway::Method")} methods of ${count("AWS::ApiGateway::RestApi")} APIs over mutual TLS`,
  );
  say("Looking for the demo Tenant, its Program, wallet and keys, and making what is missing");
  const operatorFunctionName = outputOf(assembly, "OperatorFunctionName");
  const operatorUrl = `${aws.endpoint}/2015-03-31/functions/${operatorFunctionName}/invocations`;
  const connection = await seed({
    directory: inside("demo"),
    pki,
    functions,
    operatorFunctionName,
    urls: {
      ...urlsOf(assembly, gateway.port),
      controlUrl: control.url,
      operatorUrl,
      processorQueueUrl: outputOf(assembly, "ProcessorQueueUrl"),
      store: {
        endpoint: dynamo.endpoint,
        region: assembly.region,
        issuingTable: outputOf(assembly, "IssuingTableName"),
        accountsTable: outputOf(assembly, "AccountsTableName"),
      },
    },
    now: new Date(clock.now()),
  });
  writeConnection(directory, connection);
  return { connection, directory, clock, dns, functions, settled: events.settled };
}

/** One run at a time in a directory. What an earlier run wrote for its callers goes: its presence means readiness. */
async function claim(directory: string, stack: AsyncDisposableStack): Promise<void> {
  const refusal = `Another run of the platform uses ${directory}. Stop it, or set LOCAL_DIR to another directory`;
  const lock = await lockFile(join(directory, "lock"), LOCK_PATIENCE_MS, refusal);
  stack.defer(() => lock.release());
  rmSync(connectionFile(directory), { force: true });
  mkdirSync(join(directory, "demo"), { recursive: true, mode: 0o700 });
}

interface Engines {
  dynamo: DynamoEngine;
  sqs: SqsEngine;
  dns: DnsServer;
  aws: AwsEndpoint;
}

async function startEngines(
  options: PlatformOptions,
  clock: VirtualClock,
  stack: AsyncDisposableStack,
): Promise<Engines> {
  const { directory, dynamodb: choice, onFailure } = options;
  const kept = async <Part extends { stop(): Promise<void> }>(starting: Promise<Part>): Promise<Part> => {
    const part = await starting;
    stack.defer(() => part.stop());
    return part;
  };
  const [dynamo, sqs, dns, aws] = await allOf([
    kept(startDynamo({ directory: join(directory, "dynamodb"), choice, onFailure })),
    kept(startSqs({ directory: join(directory, "sqs"), clock, onFailure })),
    kept(startDnsThread(DEMO_ZONE)),
    kept(openAwsEndpoint()),
  ]);
  endWithProcess(dynamo, stack);
  return { dynamo, sqs, dns, aws };
}

/** The engine's own process would outlive one that calls `process.exit`. */
function endWithProcess(dynamo: DynamoEngine, stack: AsyncDisposableStack): void {
  const end = () => {
    const pid = dynamo.pid();
    if (pid !== undefined && pid > 0) process.kill(pid, "SIGKILL");
  };
  process.once("exit", end);
  stack.defer(() => void process.off("exit", end));
}

/** Waits for all, also when one fails, so that nothing starts behind the back of the clean-up. */
async function allOf<Parts extends readonly unknown[] | []>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

/** Where the SDK in the functions finds each service; one that nobody serves here is refused here, not asked outside. */
function functionEndpoints({ dynamo, sqs, aws }: Engines): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: aws.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: aws.endpoint,
  };
}

/** The template's own base URL, at the port of this run. The sandbox's separate host has no address on every machine. */
function urlsOf(assembly: Assembly, port: number): { baseUrl: string; sandboxUrl: string } {
  const url = new URL(outputOf(assembly, "PlatformBaseUrl"));
  url.port = String(port);
  return { baseUrl: url.href, sandboxUrl: `${url.href}/sandbox` };
}

function outputOf(assembly: Assembly, name: string): string {
  const value = assembly.outputs[name];
  if (value === undefined) throw new Error(`The template has no output ${name}`);
  return value;
}
