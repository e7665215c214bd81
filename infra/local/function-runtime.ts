import { mkdirSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { type Rules, toAccessKey } from "./access/access-control.ts";
import { toSecretKey } from "./access/guard.ts";
import { appendLog } from "./append-log.ts";
import type { FunctionSettings } from "./execution-environment.ts";
import { FunctionPool } from "./function-pool.ts";
import {
  type Clock,
  type FunctionInvoker,
  type InvocationObserver,
  InvocationRejected,
  type InvokeResult,
  type Trace,
} from "./interfaces.ts";
import type { Metrics } from "./telemetry.ts";
import { type Assembly, isObject, type Resource, TemplateError } from "./template.ts";

export interface FunctionRuntimeOptions {
  assembly: Assembly;
  clock: Pick<Clock, "sharedOffset">;
  trace: Trace;
  /** Further variables, such as the addresses of services. */
  variables: Readonly<Record<string, string>>;
  /** What the template's variables have of addresses, for functions. */
  address?: (value: string) => string;
  logDirectory: string;
  metrics?: Pick<Metrics, "hear">;
  observe?: InvocationObserver | undefined;
  rules: Rules;
  order?: FunctionSettings["order"];
}

/** Environments beside the first of each function, for all together: each takes 25 MB. */
const maximumFurther = 6;
/** Room for second ones, so that functions that wait for receivers do not take it all. */
const roomForSeconds = 4;
const requestLimitBytes = 6 * 1024 * 1024;
const defaultTimeoutSeconds = 3;
const defaultMemoryMb = 128;
const closeTimeoutMs = 2_000;

/** Runs the template's functions in worker threads, with Lambda's environment variables. */
export class FunctionRuntime implements FunctionInvoker {
  readonly #pools = new Map<string, FunctionPool>();
  /** ARNs, by `function:alias`. */
  readonly #aliases: ReadonlyMap<string, string>;
  readonly #trace: Trace;
  readonly #observe: InvocationObserver;
  /** Invocations to kill, by function folder. The next invocation takes the first one. */
  readonly #kills = new Map<string, { afterMs: number; done(isKilled: boolean): void }[]>();
  #isClosing = false;

  constructor(options: FunctionRuntimeOptions) {
    const { assembly, clock, logDirectory } = options;
    this.#trace = options.trace;
    this.#observe = options.observe ?? (() => {});
    mkdirSync(logDirectory, { recursive: true });
    for (const resource of assembly.ofType("AWS::Lambda::Function")) {
      const settings = readSettings(resource, options);
      const file = join(logDirectory, `${settings.service}.log`);
      const log = { file, hear: (lines: string) => options.metrics?.hear(lines) };
      // Who follows it need not wait for the first line.
      appendLog(file, "");
      const mayGrow = (size: number) => this.#mayGrow(size);
      const pool = new FunctionPool(settings, { clockOffset: clock.sharedOffset, log, mayGrow });
      this.#pools.set(resource.physicalName, pool);
    }
    const aliases = assembly.ofType("AWS::Lambda::Alias");
    this.#aliases = new Map(aliases.map(({ physicalName, arn }) => [physicalName, arn]));
  }

  async invoke(nameOrArn: string, event: unknown): Promise<InvokeResult> {
    const { pool, aliasArn } = this.#find(nameOrArn) ?? {};
    if (pool === undefined) throw notFound(nameOrArn);
    const payload = JSON.stringify(event) ?? "null";
    const bytes = Buffer.byteLength(payload);
    if (bytes > requestLimitBytes) {
      const message = `${bytes} byte payload is too large for the RequestResponse invocation type (limit ${requestLimitBytes} bytes)`;
      throw new InvocationRejected("RequestTooLargeException", message);
    }
    const { service, identity } = pool.settings;
    const startedMs = performance.now();
    const kill = this.#kills.get(service)?.shift();
    const { requestId, result, isKilled } = await pool.invoke(payload, aliasArn, kill?.afterMs);
    kill?.done(isKilled);
    const durationMs = Math.round(performance.now() - startedMs);
    const outcome = result.functionError ?? "Succeeded";
    this.#trace.record({ kind: "invocation", name: service, detail: { requestId, durationMs, outcome } });
    this.#observe({ functionName: identity.functionName, service, event, result, durationMs });
    return result;
  }

  /** Whether there is such a function, or alias of one. */
  knows(nameOrArn: string): boolean {
    return this.#find(nameOrArn) !== undefined;
  }

  /** Where each function's code is, by its name. */
  codeDirectories(): Map<string, string> {
    return new Map([...this.#pools].map(([name, { settings }]) => [name, settings.codeDirectory]));
  }

  /** Runs a function's code from another directory. */
  replaceCode(functionName: string, codeDirectory: string): void {
    this.#pools.get(functionName)?.replaceCode(codeDirectory);
  }

  #find(nameOrArn: string): { pool: FunctionPool; aliasArn: string | undefined } | undefined {
    const qualified = nameOrArn.replace(/^arn:.*:function:/, "").replace(/:\$LATEST$/, "");
    const pool = this.#pools.get(qualified.split(":")[0] ?? "");
    const aliasArn = this.#aliases.get(qualified);
    if (pool === undefined || (qualified.includes(":") && aliasArn === undefined)) return undefined;
    return { pool, aliasArn };
  }

  #mayGrow(own: number): boolean {
    const further = [...this.#pools.values()].reduce((sum, { size }) => sum + Math.max(0, size - 1), 0);
    return further < maximumFurther + (own === 1 ? roomForSeconds : 0);
  }

  /** Kills the next invocation after `afterMs`. Resolves with whether that happened. */
  killNext(service: string, afterMs: number): Promise<boolean> {
    if (![...this.#pools.values()].some(({ settings }) => settings.service === service))
      throw notFound(service);
    return new Promise((done) => {
      this.#kills.set(service, [...(this.#kills.get(service) ?? []), { afterMs, done }]);
    });
  }

  /** One after the other, by default all, so that first requests meet no cold start. */
  async warmUp(services?: readonly string[]): Promise<void> {
    const pools = [...this.#pools.values()];
    const isWanted = (service: string) => (pool: FunctionPool) => pool.settings.service === service;
    for (const pool of services?.flatMap((service) => pools.filter(isWanted(service))) ?? pools) {
      if (!this.#isClosing) await pool.warmUp().catch(() => undefined);
    }
  }

  /** Gives running invocations a moment to finish, then ends all workers. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const pools = [...this.#pools.values()];
    const deadlineMs = performance.now() + closeTimeoutMs;
    while (pools.some((pool) => pool.inFlight > 0) && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

function notFound(nameOrArn: string): InvocationRejected {
  return new InvocationRejected("ResourceNotFoundException", `Function not found: ${nameOrArn}`);
}

function readSettings(resource: Resource, options: FunctionRuntimeOptions): FunctionSettings {
  const { assembly, variables, order, rules, trace, address = (value: string) => value } = options;
  const { properties, logicalId, physicalName, arn } = resource;
  const fault = (reason: string) => new TemplateError(`${logicalId} (AWS::Lambda::Function): ${reason}`);
  const { Handler: handler, Runtime: runtime, ReservedConcurrentExecutions: reserved } = properties;
  if (typeof handler !== "string") throw fault("Handler is missing");
  if (typeof runtime !== "string" || !runtime.startsWith("nodejs"))
    throw fault(`Runtime ${String(runtime)} is not known`);
  const memoryMb = Number(properties.MemorySize ?? defaultMemoryMb);
  const codeDirectory = assembly.assetPath(resource);
  const given = isObject(properties.Environment) ? properties.Environment.Variables : undefined;
  const own = Object.fromEntries(
    Object.entries(isObject(given) ? given : {}).map(([name, value]) => [name, address(String(value))]),
  );
  const ofLambda = lambdaVariables(resource, assembly, codeDirectory);
  const clashing = Object.keys(own).filter((name) => name in ofLambda);
  if (clashing.length > 0) throw fault(`Environment sets the reserved ${clashing.join(", ")}`);
  return {
    identity: {
      functionName: physicalName,
      functionVersion: "$LATEST",
      invokedFunctionArn: arn,
      memoryLimitInMB: String(memoryMb),
      logGroupName: `/aws/lambda/${physicalName}`,
      logStreamName: "local",
    },
    service: own.SERVICE_NAME ?? physicalName,
    codeDirectory,
    handler,
    timeoutMs: Number(properties.Timeout ?? defaultTimeoutSeconds) * 1000,
    memoryMb,
    variables: { ...own, ...ofLambda, ...variables },
    rules: { ...rules, roles: new Map([...rules.roles].filter(([name]) => name === physicalName)) },
    trace,
    reservedConcurrency: reserved === undefined ? undefined : Number(reserved),
    order: order && { ...order, seed: `${order.seed}/${physicalName}` },
  };
}

/** They have credentials for this function alone. */
function lambdaVariables(
  { properties, physicalName }: Resource,
  { region }: Assembly,
  codeDirectory: string,
): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: toAccessKey(physicalName),
    AWS_SECRET_ACCESS_KEY: toSecretKey(toAccessKey(physicalName)) ?? "",
    AWS_EXECUTION_ENV: `AWS_Lambda_${String(properties.Runtime)}`,
    AWS_LAMBDA_FUNCTION_NAME: physicalName,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize ?? defaultMemoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${physicalName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "local",
    LAMBDA_TASK_ROOT: codeDirectory,
    _HANDLER: String(properties.Handler),
    TZ: "UTC",
    LANG: "en_US.UTF-8",
    // A developer's AWS profile must not affect functions; Lambda has none.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  };
}
