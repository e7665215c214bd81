import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import type { Rules } from "../access/access-control.ts";
import { readAssembly } from "../assembly.ts";
import { FunctionRuntime } from "../function-runtime.ts";
import type { InvokeResult, ObservedInvocation, TraceEntry } from "../interfaces.ts";
import { Metrics } from "../telemetry.ts";
import { code, givenAssembly, removeTemporaryDirectories, temporaryDirectory } from "./given-assembly.ts";

const running: FunctionRuntime[] = [];

/** A function that calls no service needs none. */
export const noRules: Rules = {
  roles: new Map(),
  denials: new Map(),
  resources: { region: "", account: "", arns: new Map(), keys: new Map() },
};

/** Ends what a file's tests started. */
export function stopFunctionsAfterEach(): void {
  afterEach(async () => {
    await Promise.all(running.splice(0).map((runtime) => runtime.close()));
  });
  afterAll(removeTemporaryDirectories);
}

/** Starts one function named `work` with this source and these properties. */
export function givenFunction(
  source: string,
  properties: Record<string, unknown> = {},
  further: Record<string, { Type: string; Properties: Record<string, unknown> }> = {},
  rules: Rules = noRules,
) {
  const base = { FunctionName: "work", Code: code("work"), Handler: "index.handler", Runtime: "nodejs24.x" };
  const work = { Type: "AWS::Lambda::Function", Properties: { ...base, ...properties } };
  const directory = givenAssembly({ service: { Resources: { Work: work, ...further } } }, { work: source });
  const offset = new BigInt64Array(new SharedArrayBuffer(8));
  const traced: TraceEntry[] = [];
  const observed: ObservedInvocation[] = [];
  const logDirectory = temporaryDirectory();
  const metrics = new Metrics();
  const runtime = new FunctionRuntime({
    assembly: readAssembly(directory, { parameters: {}, queueEndpoint: "http://127.0.0.1:1" }),
    clock: { sharedOffset: offset.buffer as SharedArrayBuffer },
    trace: { record: (entry) => traced.push(entry) },
    variables: { AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:1" },
    logDirectory,
    metrics,
    rules,
    observe: (invocation) => observed.push(invocation),
  });
  running.push(runtime);
  return { runtime, offset, traced, observed, metrics, logFile: join(logDirectory, "work.log") };
}

/** The error document, and that it is one. */
export const errorOf = (result: InvokeResult) => ({
  functionError: result.functionError,
  ...(result.payload as object),
});
