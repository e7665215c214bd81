import { LazyConsole } from "../console/lazy-console.ts";
import type { VirtualClock } from "../local/clock.ts";
import { startGateway } from "../local/gateway/https-gateway.ts";
import type { Assembly, FunctionRuntime } from "../local/start-functions.ts";
import { type Connection, writeConnection } from "./connection.ts";
import { startControl } from "./control.ts";
import { readCertifiedKey, readTruststore, truststoreFile } from "./development-pki.ts";
import { count, type PlatformOptions, prepare, type Run, readOutput, startFunctions } from "./prepare.ts";
import { seed } from "./seed.ts";
import type { Recorder } from "./turns.ts";

/** The demo Tenant and the first request need them. A recording loads each at its first input. */
const neededFirst = ["certificates", "operator", "authorizer", "wallets"];

export interface Platform {
  connection: Connection;
  directory: string;
  clock: VirtualClock;
  functions: FunctionRuntime;
  settled(): Promise<void>;
  /** Rejects new requests, lets running ones finish, then stops every part. */
  stop(): Promise<void>;
}

/**
 * Runs the platform from its synthesized template; the directory keeps its state. Throws if the
 * directory or a port is in use, or a part cannot run. A failed start leaves nothing running.
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const stack = new AsyncDisposableStack();
  try {
    const platform = await start(options, stack);
    const parts = stack.move();
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= parts.disposeAsync();
      return stopped;
    };
    return { ...platform, stop };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function start(options: PlatformOptions, stack: AsyncDisposableStack): Promise<Omit<Platform, "stop">> {
  const { directory, turns } = options;
  const run = await prepare(options, stack);
  const { emulation, step } = run;
  const { assembly, clock } = emulation;
  const { functions, events, objects, objectPort } = await startFunctions(run);
  if (turns === undefined) void functions.warmUp(neededFirst);
  const recorder = await turns?.record?.(stack, options.onFailure);
  if (recorder) objectPort.serve({ answer: objects.answer, presigned: recorder.presigned(objects.answer) });
  const urls = await startServers(run, functions, recorder);
  step("Preparing the demo Tenant with its Program, Wallet and keys");
  const connection = await seed({
    directory: run.inside("demo"),
    pki: run.pki,
    functions: recorder?.invoker ?? functions,
    operatorFunctionName: readOutput(assembly, "OperatorFunctionName"),
    urls,
    now: new Date(clock.now()),
  });
  writeConnection(options.directory, connection);
  return { connection, directory, clock, functions, settled: events.settled };
}

async function startServers(run: Run, functions: FunctionRuntime, recorder: Recorder | undefined) {
  const { options, pki, webhookPort, emulation, step } = run;
  const { aws, sqs, dynamo } = emulation.services;
  const { stack, clock, trace, metrics, assembly, usage } = emulation;
  const output = readOutput.bind(undefined, assembly);
  step(`Serving ${count(assembly, "AWS::ApiGateway::RestApi")} APIs`);
  const certificatesFunctionName = output("CertificatesFunctionName");
  const truststore = () =>
    readTruststore({ pki, functions: recorder?.invoker ?? functions, certificatesFunctionName });
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
    plainPort: webhookPort,
    ...(recorder && { inTurn: recorder.inTurn }),
  });
  stack.defer(() => gateway.stop());
  const address = apiUrls(assembly, gateway.port);
  const control = await startControl({
    address,
    console: openConsole(run),
    trace,
    metrics,
    publishTruststore: async () => gateway.trust(await truststore()),
    clock: recorder?.clock ?? clock,
    functions: recorder?.functions ?? functions,
  });
  stack.defer(() => control.stop());
  return {
    ...address,
    controlUrl: control.url,
    consoleUrl: `${control.url}/console`,
    webhookBaseUrl: `${webhookPort.url}/v2`,
    truststore: truststoreFile(pki),
    operatorUrl: `${recorder?.functionsUrl ?? aws.endpoint}/2015-03-31/functions/${output("OperatorFunctionName")}/invocations`,
    processorQueueUrl: output("ProcessorQueueUrl").replace(sqs.endpoint, recorder?.queuesUrl ?? sqs.endpoint),
    outsideQueueUrl: output("OutsideQueueUrl"),
    files: { endpoint: aws.endpoint, bucket: output("FilesBucketName") },
    receivers: options.receivers,
    store: {
      endpoint: dynamo.endpoint,
      region: assembly.region,
      issuingTable: output("IssuingTableName"),
      accountsTable: output("AccountsTableName"),
      records: { endpoint: aws.endpoint, bucket: output("RecordsBucketName") },
      pepper: { endpoint: aws.endpoint, secretId: output("KeyPepperArn") },
    },
  };
}

function openConsole({ options, emulation: { stack } }: Run): LazyConsole {
  const console = new LazyConsole(options.directory);
  stack.defer(() => console.stop());
  return console;
}

/** The sandbox's host name does not resolve everywhere, so use the platform's host. */
function apiUrls(assembly: Assembly, port: number): { baseUrl: string; sandboxUrl: string } {
  const url = new URL(readOutput(assembly, "PlatformBaseUrl"));
  url.port = String(port);
  return { baseUrl: url.href, sandboxUrl: `${url.href}/sandbox` };
}
