import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startLoopbackServer } from "../loopback-server.ts";
import { temporaryDirectory } from "./given-assembly.ts";
import { errorOf, givenFunction, stopFunctionsAfterEach } from "./given-function.ts";

stopFunctionsAfterEach();

const alias = (FunctionName: string, Name: string) => ({ FunctionName, FunctionVersion: "$LATEST", Name });

describe("the function runtime", () => {
  it("hands the event over and the answer back, with Lambda's context", async () => {
    const { runtime, traced, observed } = givenFunction(
      `export const handler = async (event, context) => ({ event, context: {
      ...context, remaining: context.getRemainingTimeInMillis() } });`,
      { Timeout: 7, MemorySize: 256 },
    );
    const arn = "arn:aws:lambda:eu-west-1:111122223333:function:work";
    const { payload } = await runtime.invoke(arn, { a: [1, null] });
    expect(payload).toMatchObject({
      event: { a: [1, null] },
      context: {
        functionName: "work",
        functionVersion: "$LATEST",
        invokedFunctionArn: arn,
        memoryLimitInMB: "256",
      },
    });
    const { remaining, awsRequestId } = (payload as { context: Record<string, unknown> }).context;
    expect(remaining).toSatisfy((value: number) => value > 6000 && value <= 7000);
    expect(awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(traced).toMatchObject([{ kind: "invocation", name: "work", detail: { outcome: "Succeeded" } }]);
    expect(observed).toMatchObject([{ functionName: "work", event: { a: [1, null] }, result: { payload } }]);
  });

  it("invokes through an alias, which the context names", async () => {
    const { runtime } = givenFunction(
      "export const handler = async (event, { invokedFunctionArn }) => invokedFunctionArn;",
      {},
      { Alias: { Type: "AWS::Lambda::Alias", Properties: alias("work", "caller") } },
    );
    const arn = "arn:aws:lambda:eu-west-1:111122223333:function:work";
    expect(await runtime.invoke("work", {})).toEqual({ payload: arn });
    for (const name of ["work:caller", `${arn}:caller`])
      expect(await runtime.invoke(name, {})).toEqual({ payload: `${arn}:caller` });
    for (const name of ["work:other", `${arn}:other`, `${arn}:caller:more`])
      await expect(runtime.invoke(name, {})).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  it("hides when a service answered: the SDK would repeat a failed call as soon as the second changes", async () => {
    const server = await startLoopbackServer((_, response) => void response.writeHead(400).end());
    const { runtime } = givenFunction(`import { get } from "node:http";
      export const handler = ({ url }) => new Promise((done) => {
        get(url, ({ statusCode, headers }) => done({ statusCode, names: Object.keys(headers) }));
      });`);
    const { payload } = await runtime.invoke("work", { url: server.url });
    await server.stop();
    expect(payload).toMatchObject({ statusCode: 400 });
    expect((payload as { names: string[] }).names).toContain("connection");
    expect((payload as { names: string[] }).names).not.toContain("date");
  });

  it("loads nothing of Node's own undici for a function that imports node:http", async () => {
    const { runtime } = givenFunction(`import { get } from "node:http";
      export const handler = () => [typeof get, process.moduleLoadList.filter((name) => /deps.undici/.test(name))];`);
    expect((await runtime.invoke("work", {})).payload).toEqual(["function", []]);
  });

  it("runs a function in a thread of its name, under which tools show its CPU", async () => {
    const { runtime } = givenFunction(`import { threadName } from "node:worker_threads";
      export const handler = () => threadName;`);
    expect((await runtime.invoke("work", {})).payload).toBe("work");
  });

  it("invokes a published version's alias: there is one version, that of the template", async () => {
    const { runtime } = givenFunction(
      "export const handler = async (event, { invokedFunctionArn }) => invokedFunctionArn;",
      {},
      {
        Published: { Type: "AWS::Lambda::Version", Properties: { FunctionName: "work" } },
        Alias: {
          Type: "AWS::Lambda::Alias",
          Properties: {
            ...alias("work", "live"),
            FunctionVersion: { "Fn::GetAtt": ["Published", "Version"] },
          },
        },
      },
    );
    const arn = "arn:aws:lambda:eu-west-1:111122223333:function:work:live";
    expect(await runtime.invoke(arn, {})).toEqual({ payload: arn });
  });

  it("gives exactly the template's variables, Lambda's own and the SDK's endpoints", async () => {
    process.env.LEAKED_FROM_THE_HOST = "yes";
    const { runtime } = givenFunction("export const handler = async () => ({ ...process.env });", {
      Environment: { Variables: { ISSUING_TABLE: "issuing", COUNT: 3 } },
    });
    const { payload } = await runtime.invoke("work", {});
    delete process.env.LEAKED_FROM_THE_HOST;
    expect(payload).toMatchObject({
      ISSUING_TABLE: "issuing",
      COUNT: "3",
      AWS_REGION: "eu-west-1",
      AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:1",
    });
    const own = Object.keys(payload as object).filter(
      (name) => !/^(AWS_|LAMBDA_|_HANDLER|_X_AMZN_TRACE_ID|TZ|LANG)/.test(name),
    );
    expect(own.sort()).toEqual(["COUNT", "ISSUING_TABLE"]);
  });

  it("rejects a template that sets a reserved variable of Lambda", () => {
    const environment = { Environment: { Variables: { AWS_REGION: "here" } } };
    expect(() => givenFunction("export const handler = 1;", environment)).toThrow(
      "Work (AWS::Lambda::Function): Environment sets the reserved AWS_REGION",
    );
  });

  it("moves every Date of the function with the clock, at once", async () => {
    const { runtime, offset } = givenFunction(`export const handler = async () => [
      Date.now(), new Date().getTime(), Date.parse(Date()), new Date(0).getTime(), new Date() instanceof Date,
      new Date().constructor === Date, new (class extends Date {})().getTime(), Date.UTC(2020, 0)];`);
    await runtime.invoke("work", {});
    const hourMs = 3_600_000;
    Atomics.store(offset, 0, BigInt(hourMs));
    const { payload } = await runtime.invoke("work", {});
    const [now, made, text, epoch, isDate, isOwn, derived, utc] = payload as number[];
    for (const moved of [now, made, text, derived]) {
      expect(Math.abs(Number(moved) - Date.now() - hourMs)).toBeLessThan(10_000);
    }
    expect([epoch, isDate, isOwn, utc]).toEqual([0, true, true, Date.UTC(2020, 0)]);
  });

  it("runs one invocation at a time in an environment, and more environments on demand, up to its bound", async () => {
    // The first environment is not done with its invocation before there is another.
    const loaded = temporaryDirectory();
    const { runtime } = givenFunction(`import { readdirSync, writeFileSync } from "node:fs";
      import { threadId } from "node:worker_threads"; let running = 0;
      writeFileSync(${JSON.stringify(`${loaded}/`)} + threadId, "");
      export const handler = async () => { running += 1; const most = running;
        do await new Promise((resolve) => setTimeout(resolve, 20));
        while (readdirSync(${JSON.stringify(loaded)}).length < 2);
        running -= 1; return { most, threadId }; };`);
    const results = await Promise.all(Array.from({ length: 60 }, () => runtime.invoke("work", {})));
    const answers = results.map(({ payload }) => payload as { most: number; threadId: number });
    expect(new Set(answers.map(({ most }) => most))).toEqual(new Set([1]));
    const threads = new Set(answers.map(({ threadId }) => threadId)).size;
    expect(threads).toBeGreaterThan(1);
    expect(threads).toBeLessThanOrEqual(10);
    const { payload } = await runtime.invoke("work", {});
    expect(answers.map(({ threadId }) => threadId)).toContain((payload as { threadId: number }).threadId);
  });

  it("loads a function ahead of its first invocation, once", async () => {
    const { runtime, logFile } = givenFunction(
      'console.log("loaded"); export const handler = async () => {};',
    );
    await runtime.warmUp();
    await runtime.warmUp();
    await runtime.close();
    expect(readFileSync(logFile, "utf8")).toBe("loaded\n");
  });

  it("has every line in its log, also of one that was killed, and hears the metrics", async () => {
    const line = JSON.stringify({
      Happened: 2,
      _aws: {
        Timestamp: 1_800_000_000_000,
        CloudWatchMetrics: [{ Namespace: "Test", Dimensions: [[]], Metrics: [{ Name: "Happened" }] }],
      },
    });
    const { runtime, logFile, metrics } = givenFunction(`export const handler = async (event) => {
      process.stdout.write(Buffer.from("Zo\u00eb\\n"));
      console.error(${JSON.stringify(line)});
      if (event === "hang") for (;;);
    };`);
    await runtime.invoke("work", {});
    const killed = runtime.killNext("work", 100);
    expect(errorOf(await runtime.invoke("work", "hang"))).toMatchObject({ errorType: "Runtime.ExitError" });
    expect(await killed).toBe(true);
    const lines = readFileSync(logFile, "utf8").split("\n");
    expect(lines.slice(0, 4)).toEqual(["Zoë", line, "Zoë", line]);
    expect(metrics.all()).toMatchObject({ metrics: [{ name: "Happened", samples: 2, sum: 4 }], faults: [] });
  });

  it("runs although its log cannot be written", async () => {
    const { runtime, logFile } = givenFunction("export const handler = async () => console.log('lost');");
    rmSync(logFile);
    mkdirSync(logFile);
    expect(await runtime.invoke("work", {})).toEqual({ payload: null });
  });

  it("throttles beyond the reserved concurrency", async () => {
    const source = "export const handler = async () => new Promise((resolve) => setTimeout(resolve, 200));";
    const { runtime } = givenFunction(source, { ReservedConcurrentExecutions: 1 });
    const first = runtime.invoke("work", {});
    await expect(runtime.invoke("work", {})).rejects.toMatchObject({ code: "TooManyRequestsException" });
    expect(await first).toEqual({ payload: null });
  });

  it("rejects an unknown function and a payload over 6 MB, and reports an answer over 6 MB", async () => {
    const { runtime } = givenFunction("export const handler = async (event) => 'x'.repeat(event.size);");
    await expect(runtime.invoke("nobody", {})).rejects.toMatchObject({ code: "ResourceNotFoundException" });
    await expect(runtime.invoke("work", "x".repeat(6 * 1024 * 1024))).rejects.toMatchObject({
      code: "RequestTooLargeException",
    });
    expect(errorOf(await runtime.invoke("work", { size: 6_300_000 }))).toMatchObject({
      errorType: "Function.ResponseSizeTooLarge",
    });
  });

  it("reports an answer that JSON cannot hold, and turns none into null", async () => {
    const { runtime } = givenFunction(
      "export const handler = async (event) => event === 'big' ? 1n : undefined;",
    );
    expect(errorOf(await runtime.invoke("work", "big"))).toMatchObject({ errorType: "Runtime.MarshalError" });
    expect(await runtime.invoke("work", "none")).toEqual({ payload: null });
  });

  it("lets a running invocation finish when it stops, and takes no other", async () => {
    const { runtime, logFile } = givenFunction(
      "export const handler = async () => { await new Promise((resolve) => setTimeout(resolve, 100)); return 'done'; };",
    );
    const last = runtime.invoke("work", {});
    await runtime.close();
    expect(await last).toEqual({ payload: "done" });
    await expect(runtime.invoke("work", {})).rejects.toThrow("stopping");
    expect(existsSync(logFile)).toBe(true);
  });
});
