import { cpSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FunctionPool, type PoolOptions } from "../function-pool.ts";
import { code, givenAssembly, removeTemporaryDirectories } from "./given-assembly.ts";
import { noRules } from "./given-function.ts";

const idleMs = 300;
const pools: FunctionPool[] = [];
afterEach(async () => void (await Promise.all(pools.splice(0).map((pool) => pool.close()))));
afterAll(removeTemporaryDirectories);

/** Each invocation takes as long as its event says, and answers with its environment's number. */
const source = `
const own = Math.random();
export const handler = async (ms) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return own;
};`;

function givenPool(options: Partial<PoolOptions> = {}): FunctionPool {
  const template = {
    Resources: { Work: { Type: "AWS::Lambda::Function", Properties: { Code: code("work") } } },
  };
  const directory = givenAssembly({ service: template }, { work: source });
  const identity = {
    functionName: "work",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn",
    memoryLimitInMB: "128",
    logGroupName: "work",
    logStreamName: "local",
  };
  const pool = new FunctionPool(
    {
      identity,
      service: "work",
      codeDirectory: join(directory, "asset.work"),
      handler: "index.handler",
      timeoutMs: 30_000,
      memoryMb: 128,
      variables: {},
      reservedConcurrency: undefined,
      rules: noRules,
      trace: { record: () => undefined },
    },
    {
      clockOffset: new SharedArrayBuffer(8),
      log: { file: devNull, hear: () => undefined },
      ...{ idleMs, ...options },
    },
  );
  pools.push(pool);
  return pool;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(20);
}

describe("a function's environments", () => {
  it("end when they have been idle, all but one, which still answers", async () => {
    const pool = givenPool();
    const first = Array.from({ length: 6 }, () => pool.invoke("1500"));
    await until(() => pool.size > 1);
    const used = new Set((await Promise.all(first)).map(({ result }) => result.payload));
    expect(used.size).toBeGreaterThan(1);
    await until(() => pool.size === 1);
    const answers = await Promise.all([pool.invoke("0"), pool.invoke("0")]);
    expect(answers.map(({ result }) => result.functionError)).toEqual([undefined, undefined]);
  });

  it("end all when none is needed, and the next invocation starts another", async () => {
    const pool = givenPool({ lastIdleMs: idleMs });
    const first = await pool.invoke("0");
    expect((await pool.invoke("0")).result).toEqual(first.result);
    await until(() => pool.size === 0);
    const others = await Promise.all(Array.from({ length: 3 }, () => pool.invoke("0")));
    expect(others.map(({ result }) => result.functionError)).toEqual([undefined, undefined, undefined]);
    expect(others.map(({ result }) => result.payload)).not.toContain(first.result.payload);
  });

  it("get no company without room, yet the first serves all", async () => {
    let hasRoom = false;
    const pool = givenPool({ mayGrow: () => hasRoom, idleMs: 60_000 });
    await Promise.all(Array.from({ length: 5 }, () => pool.invoke("200")));
    expect(pool.size).toBe(1);
    hasRoom = true;
    await Promise.all(Array.from({ length: 5 }, () => pool.invoke("1000")));
    expect(pool.size).toBeGreaterThan(1);
  });

  it("get no company for who has waited for less than loading one takes", async () => {
    const pool = givenPool();
    await pool.invoke("0");
    const startedMs = performance.now();
    let longestMs = 0;
    const invoke = async () => {
      const sentMs = performance.now();
      await pool.invoke("30");
      longestMs = Math.max(longestMs, performance.now() - sentMs);
    };
    let last = invoke();
    // At all times, somebody waits for some 30 ms; a busy machine makes it longer.
    while (performance.now() - startedMs < 1_500) {
      const next = invoke();
      await last;
      last = next;
    }
    await last;
    expect(longestMs < 100 ? pool.size : 1).toBe(1);
  });

  it("do not end while they are in use", async () => {
    const pool = givenPool();
    const busy = pool.invoke(String(4 * idleMs));
    const other = await pool.invoke("0");
    await until(() => pool.size === 1);
    expect((await busy).result.functionError).toBeUndefined();
    expect(other.result.functionError).toBeUndefined();
  });

  it("each end after their own idle time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const pool = givenPool({ idleMs: 10_000 });
    const first = Array.from({ length: 3 }, () => pool.invoke("4000"));
    while (pool.size < 3) {
      await delay(20);
      vi.advanceTimersByTime(100);
    }
    await Promise.all(first);
    // Two are used again, so the third is idle for longer.
    vi.advanceTimersByTime(6_000);
    await Promise.all([pool.invoke("0"), pool.invoke("0")]);
    vi.advanceTimersByTime(4_000);
    expect(pool.size).toBe(2);
    vi.advanceTimersByTime(5_900);
    expect(pool.size).toBe(2);
    vi.advanceTimersByTime(200);
    expect(pool.size).toBe(1);
  });
});

describe("a function's new code", () => {
  it("answers what begins from then on; what runs ends with the old code", async () => {
    const pool = givenPool();
    const { codeDirectory } = pool.settings;
    const next = join(codeDirectory, "../asset.next");
    cpSync(codeDirectory, next, { recursive: true });
    writeFileSync(
      join(next, "index.mjs"),
      `export const handler = async () => process.env.LAMBDA_TASK_ROOT;`,
    );
    const answer = async (ms: number) => (await pool.invoke(String(ms))).result.payload;
    const first = await answer(0);
    const running = answer(300);
    await until(() => pool.inFlight === 1);
    pool.replaceCode(next);
    expect(await answer(0)).toBe(next);
    expect(await running).toBe(first);
    await until(() => pool.size === 1);
    expect(await answer(0)).toBe(next);
  });
});
