import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { givenFunctions } from "../harness/given-functions.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { givenAuthority, givenDeployedDoor } from "./given-door.ts";
import { givenSlowPlatform, purchase, slowFunctions, unansweredDuring } from "./given-slow-platform.ts";

const traces = Array.from({ length: 40 }, (_, index) => index + 1);

it("stops after all messages that have come are answered, also those without a turn", async () => {
  const gate = Promise.withResolvers<void>();
  const { applied, invoked } = slowFunctions(() => gate.promise);
  const { connect, stop } = await givenSlowPlatform(invoked, { messages: 4 });
  const clients = [await connect(), await connect()];
  await sleep(50);
  const answers = traces.map((trace) => clients[trace % 2]?.send(purchase(trace)));
  const stopped = stop();
  await sleep(150);
  gate.resolve();
  expect((await Promise.all(answers)).map((answer) => answer?.fields[39])).toEqual(traces.map(() => "00"));
  await Promise.all([stopped, ...clients.map(({ closed }) => closed)]);
  expect(applied).toHaveLength(traces.length);
  await expect(connect()).rejects.toThrow("ECONNREFUSED");
});

it("ends at its deadline, counts what it has not answered, and nothing of that begins later", async () => {
  const { applied, invoked } = slowFunctions(() => sleep(800));
  const { connect, stop } = await givenSlowPlatform(invoked, { messages: 1, stopMs: 300 });
  const client = await connect();
  const unanswered = await unansweredDuring(async () => {
    for (const trace of [1, 2, 3]) void client.send(purchase(trace));
    await sleep(50);
    await stop();
    await client.closed;
    await sleep(900);
  });
  expect(unanswered).toEqual(["stopped", "stopped", "stopped"]);
  expect(applied).toHaveLength(1);
});

it("does not wait for a client that takes no answers", async () => {
  const { invoked } = slowFunctions(async () => {});
  const { connect, stop } = await givenSlowPlatform(invoked, { stopMs: 300 });
  const client = await connect();
  client.pause();
  client.write(Buffer.concat(traces.map((trace) => client.toFrame(purchase(trace)))));
  await sleep(50);
  await stop();
});

it("SIGTERM ends the process, once it has answered", async () => {
  const gate = Promise.withResolvers<void>();
  const { applied, invoked } = slowFunctions(() => gate.promise);
  const { identity, named } = await givenAuthority();
  const tls = await named("other-network");
  const listener = spawn(process.execPath, ["infra/listener/main.ts"], {
    env: {
      ...process.env,
      ...(await givenFunctions(invoked)),
      ...(await givenDeployedDoor(identity)),
      ...{
        LISTENER_HOST: "127.0.0.1",
        LISTENER_PORT: "0",
        LISTENER_HEALTH_PORT: "0",
        LISTENER_DIALECT: "default",
      },
      ...{ LOG_LEVEL: "INFO", LISTENER_MESSAGES: "8", ENVIRONMENT_NAME: "test", SERVICE_NAME: "listener" },
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void listener.kill("SIGKILL"));
  const lines = createInterface(listener.stdout);
  const output: string[] = [];
  lines.on("line", (line) => output.push(line));
  const listening = () => output.map((line) => JSON.parse(line)).find(({ port }) => port !== undefined);
  const { port, healthPort } = await vi.waitFor(
    () => listening() ?? Promise.reject(new Error("not yet")),
    20_000,
  );
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${healthPort}`)).status).toBe(200));
  const client = await NetworkClient.connect(port, "default", tls);
  onTestFinished(() => client.close());
  const answers = traces.slice(0, 10).map((trace) => client.send(purchase(trace)));
  await sleep(200);
  listener.kill("SIGTERM");
  await vi.waitFor(async () => {
    await expect(NetworkClient.connect(port)).rejects.toThrow("ECONNREFUSED");
  });
  gate.resolve();
  expect((await Promise.all(answers)).map(({ fields }) => fields[39])).toEqual(Array(10).fill("00"));
  expect(await once(listener, "exit")).toEqual([0, null]);
  expect(applied).toHaveLength(10);
  const written = output.join("\n");
  expect(written).not.toContain("MessagesUnanswered");
  expect(written).toContain('"MessagesReceived":10');
  expect(written).not.toContain("PRIVATE KEY");
});
