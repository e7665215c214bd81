import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, it } from "vitest";
import { stateFile } from "../files.ts";
import { givenSchedules, HOUR_MS, minutely, sweepArn } from "./given-schedules.ts";
import type { Services } from "./given-services.ts";
import { arnOf } from "./given-template.ts";

let services: Services;
const start = async (...args: Parameters<typeof givenSchedules>): Promise<void> => {
  services = await givenSchedules(...args);
};

afterEach(() => services.stop());

describe("a schedule", () => {
  it("runs at each of its times on the way, and sees that time", async () => {
    const seen: number[] = [];
    await start([minutely], { sweep: () => void seen.push(services.clock.now()) });
    const from = services.clock.now();
    await services.clock.advance(HOUR_MS);
    expect(seen).toHaveLength(60);
    expect(seen.every((at, index) => Math.floor(at / 60_000) === Math.floor(from / 60_000) + 1 + index)).toBe(
      true,
    );
    expect(services.clock.now() - from).toBeGreaterThanOrEqual(HOUR_MS);
    expect(services.clock.now() - from).toBeLessThan(HOUR_MS + 10_000);
  });

  it("hands its function EventBridge's scheduled event", async () => {
    const seen: unknown[] = [];
    await start([minutely], { sweep: (event) => void seen.push(event) });
    await services.clock.advance(60_000);
    expect(seen).toEqual([
      {
        version: "0",
        id: expect.any(String),
        "detail-type": "Scheduled Event",
        source: "aws.events",
        account: "111122223333",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        region: "eu-west-1",
        resources: [arnOf("AWS::Events::Rule", "minutely")],
        detail: {},
      },
    ]);
  });

  it("takes turns with other schedules and with queues, in the order of the due times", async () => {
    const order: string[] = [];
    const dawn: [string, string, object] = [
      "AWS::Events::Rule",
      "dawn",
      {
        ScheduleExpression: "rate(6 hours)",
        Targets: [{ Id: "t", Arn: arnOf("AWS::Lambda::Function", "report") }],
      },
    ];
    const hourly: [string, string, object] = [
      "AWS::Events::Rule",
      "hourly",
      { ScheduleExpression: "rate(1 hour)", Targets: [{ Id: "t", Arn: sweepArn }] },
    ];
    const hour = () => new Date(services.clock.now()).getUTCHours();
    await start([dawn, hourly], {
      sweep: () => void order.push(`sweep ${hour()}`),
      report: () => void order.push(`report ${hour()}`),
      worker: () => void order.push(`message ${hour()}`),
    });
    const toMidnight = 24 * HOUR_MS - (services.clock.now() % (24 * HOUR_MS));
    await services.clock.advance(toMidnight);
    order.length = 0;
    const QueueUrl = services.queueUrl("work");
    await services.queueClient.send(
      new SendMessageCommand({ QueueUrl, MessageBody: "m", DelaySeconds: 900 }),
    );
    await services.clock.advance(7 * HOUR_MS);
    expect(order[0]).toBe("message 0");
    expect(order.filter((each) => each.startsWith("sweep"))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((at) => `sweep ${at}`),
    );
    expect(order.indexOf("report 6")).toBeGreaterThan(order.indexOf("sweep 5"));
    expect(order.indexOf("report 6")).toBeLessThan(order.indexOf("sweep 7"));
  });

  it("ends an advance only after the run and everything it started have finished", async () => {
    const done: string[] = [];
    await start([minutely], {
      sweep: async () => {
        const QueueUrl = services.queueUrl("work");
        await services.queueClient.send(new SendMessageCommand({ QueueUrl, MessageBody: "swept" }));
      },
      worker: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        done.push("worked");
      },
    });
    await services.clock.advance(60_000);
    expect(done).toEqual(["worked"]);
  });

  it("runs once at the next start for what it missed while the platform was down", async () => {
    let runs = 0;
    const functions = { sweep: () => void runs++ };
    await start([minutely], functions);
    await services.clock.advance(60_000);
    expect(runs).toBe(1);
    const { directory } = services;
    await services.stop({ keep: true });
    // Time goes on without the platform.
    const state = stateFile<{ offsetMs: number }>(`${directory}/clock.json`);
    state.write({ offsetMs: state.read({ offsetMs: 0 }).offsetMs + 10 * 60_000 });
    await start([minutely], functions, directory);
    await expect.poll(() => runs, { interval: 5, timeout: 60_000 }).toBe(2);
  });

  it("does not run while it is disabled", async () => {
    let runs = 0;
    const [type, name, properties] = minutely;
    await start([[type, name, { ...properties, State: "DISABLED" }]], { sweep: () => void runs++ });
    await services.clock.advance(5 * 60_000);
    expect(runs).toBe(0);
  });

  it("runs again after a failed run", async () => {
    let runs = 0;
    await start([minutely], {
      sweep: () => {
        runs += 1;
        throw new Error("no");
      },
    });
    await services.clock.advance(5 * 60_000);
    expect(runs).toBe(5);
  });
});
