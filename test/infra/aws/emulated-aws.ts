import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { endServer, listen } from "../../harness/listen.ts";
import { EmulatedCloudFormation } from "./emulated-cloud-formation.ts";
import { EmulatedDynamo } from "./emulated-dynamo.ts";
import { EmulatedParameters } from "./emulated-parameters.ts";
import { EmulatedQuotas } from "./emulated-quotas.ts";
import { EmulatedBuckets } from "./emulated-s3.ts";
import { answerSts } from "./emulated-sts.ts";
import { EmulatedTrails } from "./emulated-trails.ts";
import { EmulatedVersions } from "./emulated-versions.ts";
import { queryError } from "./query-protocol.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EmulatedAwsOptions {
  /** The account that the credentials are of. */
  readonly account: string;
  readonly region: string;
  /** Answers Lambda's Invoke: the output, or the function's error. */
  readonly invoke: (
    functionName: string,
    payload: unknown,
  ) => Promise<{ output: unknown; isError?: boolean }>;
  /** What comes out of a stack in the place of what its template says. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** With stacks and parameters of its own, and outputs too. */
  readonly otherRegion?: { readonly region: string; readonly outputs?: Readonly<Record<string, string>> };
}

/**
 * As much of AWS as a deployment asks, behind the SDK's own protocols on a loopback port: enough
 * for the CDK's own command line tool.
 */
export interface EmulatedAws {
  readonly endpoint: string;
  /** What was asked, as `service Operation`, in order. */
  readonly calls: string[];
  /** In which region each of the calls was. */
  readonly regions: string[];
  readonly cloudFormation: EmulatedCloudFormation;
  /** Of the other region. */
  readonly cloudFormationThere: EmulatedCloudFormation;
  readonly parameters: EmulatedParameters;
  readonly buckets: EmulatedBuckets;
  readonly quotas: EmulatedQuotas;
  readonly trails: EmulatedTrails;
  readonly dynamo: EmulatedDynamo;
  readonly versions: EmulatedVersions;
  /** Never answers the next such call. Resolves once it has come. */
  hold(call: string): Promise<void>;
  stop(): Promise<void>;
}

type Service = (request: Request) => Promise<Answer> | Answer;

export async function startEmulatedAws(options: EmulatedAwsOptions): Promise<EmulatedAws> {
  const [calls, regions]: [string[], string[]] = [[], []];
  const buckets = new EmulatedBuckets();
  const dynamo = new EmulatedDynamo();
  const quotas = new EmulatedQuotas();
  const versions = new EmulatedVersions();
  const trails = new EmulatedTrails();
  const parameters = new EmulatedParameters();
  const cloudFormation = new EmulatedCloudFormation({ ...options, buckets, parameters });
  const there = { region: "", ...options.otherRegion };
  const parametersThere = new EmulatedParameters();
  const cloudFormationThere = new EmulatedCloudFormation({
    ...options,
    ...there,
    buckets,
    parameters: parametersThere,
  });
  const isThere = (request: Request) => regionOf(request) === there.region;
  const services: Readonly<Record<string, Service>> = {
    sts: (request) => answerSts(options.account, request),
    ssm: (request) => (isThere(request) ? parametersThere : parameters).answer(request),
    s3: (request) => buckets.answer(request),
    cloudformation: (request) => (isThere(request) ? cloudFormationThere : cloudFormation).answer(request),
    lambda: (request) => quotas.answer(request) ?? versions.answer(request) ?? invoke(request, options),
    dynamodb: (request) => dynamo.answer(request),
    cloudtrail: (request) => trails.answer(request),
    ses: (request) => quotas.answer(request) ?? { status: 501, body: "{}" },
  };
  let held: { readonly call: string; readonly resolve: () => void } | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const request = await toRequest(incoming);
    const service = serviceOf(request);
    const call = `${service} ${operationOf(request)}`;
    calls.push(call);
    regions.push(regionOf(request));
    if (held?.call === call) {
      held.resolve();
      held = undefined;
      return;
    }
    const { status, body, headers } = await answered(request, services[service]);
    outgoing.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
    outgoing.end(request.method === "HEAD" ? undefined : body);
  });
  return {
    endpoint: await listen(server),
    calls,
    regions,
    cloudFormation,
    cloudFormationThere,
    parameters,
    buckets,
    quotas,
    trails,
    dynamo,
    versions,
    hold: (call) =>
      new Promise((resolve) => {
        held = { call, resolve };
      }),
    stop: () => endServer(server),
  };
}

async function answered(request: Request, service: Service | undefined): Promise<Answer> {
  if (service === undefined) return { status: 501, body: "not emulated" };
  try {
    return await service(request);
  } catch (error) {
    return queryError("EmulatorFailure", error instanceof Error ? (error.stack ?? "") : String(error));
  }
}

/** What a request was signed for. */
function scopeOf({ headers }: Request): string[] {
  return /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? "")?.slice(1) ?? [];
}

function regionOf(request: Request): string {
  return scopeOf(request)[0] ?? "";
}

function serviceOf(request: Request): string {
  return scopeOf(request)[1] ?? "unsigned";
}

function operationOf({ method, path, headers, body }: Request): string {
  const target = headers["x-amz-target"];
  if (typeof target === "string") return target.split(".").at(-1) ?? target;
  const action = new URLSearchParams(body.length < 100_000 ? body.toString() : "").get("Action");
  return action ?? `${method} ${path}`;
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const url = new URL(incoming.url ?? "/", "http://aws");
  return {
    method: incoming.method ?? "GET",
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: incoming.headers,
    body: await buffer(incoming),
  };
}

async function invoke({ path, body }: Request, options: EmulatedAwsOptions): Promise<Answer> {
  const functionName = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (functionName === undefined) return { status: 501, body: "{}" };
  const { output, isError = false } = await options.invoke(functionName, JSON.parse(body.toString()));
  const headers = {
    "content-type": "application/json",
    ...(isError && { "x-amz-function-error": "Unhandled" }),
  };
  return { status: 200, body: JSON.stringify(output), headers };
}
