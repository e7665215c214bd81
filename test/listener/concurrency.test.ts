import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { givenListener } from "../harness/given-listener.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { givenConnection } from "./given-connection.ts";
import { givenSlowPlatform, purchase, slowFunctions, unansweredDuring } from "./given-slow-platform.ts";

const traces = Array.from({ length: 200 }, (_, index) => index + 1);

it("200 slow messages are under way at once, and each is answered and applied once", async () => {
  const all = Promise.withResolvers<void>();
  const under: string[] = [];
  const { applied, invoked } = slowFunctions((eventId) => {
    under.push(eventId);
    if (under.length === traces.length) all.resolve();
    return all.promise;
  });
  const { connect } = await givenSlowPlatform(invoked, { messages: 200, usefulMs: 30_000 });
  const clients = [await connect(), await connect()];
  const answers = await Promise.all(traces.map((trace) => clients[trace % 2]?.send(purchase(trace))));
  expect(answers.map((answer) => [answer?.mti, answer?.fields[11], answer?.fields[39]])).toEqual(
    traces.map((trace) => ["0110", purchase(trace).fields[11], "00"]),
  );
  expect(new Set(applied).size).toBe(200);
  expect(applied).toHaveLength(200);
  expect(clients.map(({ unexpected }) => unexpected)).toEqual([0, 0]);
});

it("beyond the limit messages wait unread, and each connection has its turn", async () => {
  let running = 0;
  let most = 0;
  const { applied, invoked } = slowFunctions(async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(5);
    running -= 1;
  });
  const { connect } = await givenSlowPlatform(invoked, { messages: 3, usefulMs: 30_000 });
  const [busy, other] = [await connect(), await connect()];
  const first = Promise.all(traces.map((trace) => busy.send(purchase(trace))));
  await sleep(20);
  await other.send(purchase(1_000));
  expect(applied.length).toBeLessThan(100);
  expect((await first).map(({ fields }) => fields[39])).toEqual(traces.map(() => "00"));
  expect(applied).toHaveLength(201);
  expect(most).toBe(3);
});

it("a message that waited too long is counted, and nothing of it begins", async () => {
  const { applied, invoked } = slowFunctions(() => sleep(300));
  const { connect } = await givenSlowPlatform(invoked, { messages: 1, usefulMs: 200 });
  const client = await connect();
  const first = client.send(purchase(1));
  const unanswered = await unansweredDuring(async () => {
    void client.send(purchase(2));
    expect((await first).fields[39]).toBe("00");
    expect((await client.send(purchase(3))).fields[39]).toBe("00");
  });
  expect(unanswered).toEqual(["late"]);
  expect(applied).toHaveLength(2);
});

it("a message whose checks take too long moves no money", async () => {
  const { applied, invoked } = slowFunctions(
    async () => {},
    () => sleep(1_000),
  );
  const { connect } = await givenSlowPlatform(invoked, { usefulMs: 200 });
  const client = await connect();
  const unanswered = await unansweredDuring(async () => {
    void client.send(purchase(1));
    await sleep(1_300);
  });
  expect(unanswered).toEqual(["failed"]);
  expect(applied).toEqual([]);
});

it("a decline in the platform's place waits for what the platform is about to approve", async () => {
  const approved = Promise.withResolvers<void>();
  const { applied, invoked } = slowFunctions((eventId) =>
    eventId.startsWith("0100") ? approved.promise : Promise.resolve(),
  );
  const { connect } = await givenSlowPlatform(invoked);
  const client = await connect();
  const { fields } = purchase(1);
  const asked = client.send(purchase(1));
  await sleep(100);
  const declined = client.send({ mti: "0120", fields: { ...fields, 39: "05" } });
  await sleep(100);
  approved.resolve();
  expect((await declined).fields[39]).toBe("00");
  await asked;
  expect(applied.map((eventId) => eventId.slice(0, 4))).toEqual(["0100", "0120"]);
});

it("it waits for another listener's, too", async () => {
  const { purchase: asked, ports, code, balances } = await givenConnection();
  const slow = await givenListener({
    ...ports,
    askVault: (...question) => sleep(150).then(() => ports.askVault(...question)),
  });
  const other = await NetworkClient.connect(slow.port);
  const { mti, fields } = asked(2_000);
  const approved = other.send({ mti, fields });
  expect(await code({ mti: "0120", fields: { ...fields, 39: "05" } })).toBe("00");
  expect((await approved).fields[39]).toBe("00");
  other.close();
  expect(await balances()).toEqual([10_000, 0, 10_000]);
});
