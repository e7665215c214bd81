import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setImmediate, setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { nameVerdict } from "../../../functions/authorizer/confirmed-name.ts";
import { startDnsServer } from "../../../infra/local/dns.ts";

/** What becomes of a question: passed on, lost, or answered SERVFAIL. */
type Fate = "answered" | "lost" | "failed";

describe("forward-confirmed reverse DNS, where DNS fails", () => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  const bound = async (): Promise<Socket> => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    stops.push(() => socket.close());
    return socket;
  };
  const useServers = (...sockets: Socket[]) => {
    process.env.DNS_SERVERS = sockets.map((socket) => `127.0.0.1:${socket.address().port}`).join(",");
  };

  /** A DNS server for one address and its names. Answers as `fateOf` says, and counts queries. */
  const givenServer = async (
    ip: string,
    names: string[],
    fateOf: (question: string, number: number) => Fate,
  ) => {
    const server = await startDnsServer({
      names: { [ip]: names },
      addresses: Object.fromEntries(names.map((name) => [name, [ip]])),
    });
    stops.push(() => server.stop());
    const upstreamPort = Number(server.address.split(":")[1]);
    const relay = await bound();
    const askers = new Map<number, { port: number; address: string }>();
    let questions = 0;
    relay.on("message", (message, from) => {
      const id = message.readUInt16BE(0);
      if (from.port === upstreamPort) {
        const asker = askers.get(id);
        return relay.send(message, asker?.port, asker?.address);
      }
      questions += 1;
      const fate = fateOf(message.toString("latin1"), questions);
      askers.set(id, from);
      if (fate === "answered") relay.send(message, upstreamPort, "127.0.0.1");
      if (fate === "failed") relay.send(serverFailure(message), from.port, from.address);
    });
    useServers(relay);
    return { questions: () => questions };
  };

  /** Of addresses of its own for each test, since the cache is of the process. */
  const verdictOf = (ip: string) => nameVerdict(ip, ["demo.test"]);
  /** Timers go off in the order of their times, however late a busy machine is with all of them. */
  const expectNothingOpened = async (ip: string) => {
    expect(await Promise.race([verdictOf(ip), setTimeout(1_000, "later than a second")])).toBe("unavailable");
  };

  it("a server that never answers opens nothing, takes less than a second, and is not waited for again at once", async () => {
    useServers(await bound());
    await expectNothingOpened("203.0.113.1");
    expect(await Promise.race([verdictOf("203.0.113.1"), setImmediate("waited for")])).toBe("unavailable");
  });

  it("three of them in a row take less than a second as well", async () => {
    useServers(await bound(), await bound(), await bound());
    await expectNothingOpened("203.0.113.2");
  });

  it("an address is not confirmed by a server that has stopped", async () => {
    // Connected elsewhere, it refuses others as a closed port does, and keeps its port.
    const stopped = await bound();
    stopped.connect(1, "127.0.0.1");
    await once(stopped, "connect");
    useServers(stopped);
    await expectNothingOpened("203.0.113.3");
  });

  it("a server that answers with garbage opens nothing", async () => {
    const garbage = await bound();
    garbage.on("message", (_, from) => garbage.send("garbage", from.port, from.address));
    useServers(garbage);
    await expectNothingOpened("203.0.113.4");
  });

  it("a server that dies between the two questions opens nothing", async () => {
    const { questions } = await givenServer("203.0.113.5", ["c5.demo.test"], (_, number) =>
      number === 1 ? "answered" : "lost",
    );
    await expectNothingOpened("203.0.113.5");
    expect(questions()).toBeGreaterThan(1);
  });

  // Up to half may be lost: on a busy machine another address is tried.
  let lost = 60;
  it("a lost query is repeated, and confirms the address", { retry: 3 }, async () => {
    const ip = `203.0.113.${lost++}`;
    await givenServer(ip, ["c6.demo.test"], (_, number) => (number === 1 ? "lost" : "answered"));
    expect(await verdictOf(ip)).toBe("confirmed");
  });

  it("a name that DNS fails for does not block another", async () => {
    const names = ["broken.demo.test", "c7.demo.test"];
    await givenServer("203.0.113.7", names, (question) =>
      question.includes("broken") ? "failed" : "answered",
    );
    expect(await verdictOf("203.0.113.7")).toBe("confirmed");
  });

  it("a name that confirms wins while others are not answered", { retry: 3 }, async () => {
    const ip = `203.0.113.${lost++}`;
    const names = [...Array(12).keys()].map((number) => `silent${number}.demo.test`).concat("c9.demo.test");
    await givenServer(ip, names, (question) => (question.includes("silent") ? "lost" : "answered"));
    expect(await Promise.race([verdictOf(ip), setTimeout(700, "waited for the others")])).toBe("confirmed");
  });

  it("a name that DNS fails for is not taken for a missing one", async () => {
    const names = ["broken.demo.test", "c8.other.test"];
    await givenServer("203.0.113.8", names, (question) =>
      question.includes("broken") ? "failed" : "answered",
    );
    expect(await verdictOf("203.0.113.8")).toBe("unavailable");
  });
});

/** SERVFAIL in answer to a question: the question itself, with the bits that say so. */
function serverFailure(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8182, 2);
  return answer;
}
