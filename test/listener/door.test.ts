import type { ConnectionOptions } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { issueAuthority, issueLeaf } from "../../infra/development/issue-certificate.ts";
import type { Door } from "../../infra/listener/door.ts";
import { log } from "../../shared/platform/log.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { givenAuthority, valid } from "./given-door.ts";
import { echo, givenListener } from "./given-listener.ts";

async function givenDoor(more: Partial<Door> = {}) {
  const authority = await givenAuthority();
  const door = { readIdentity: async () => authority.identity, clients: ["card-network"], ...more };
  const { port } = await givenListener(undefined, {}, door);
  const connect = async (tls?: ConnectionOptions) => {
    const client = await NetworkClient.connect(port, "default", tls);
    onTestFinished(() => client.close());
    return client;
  };
  return { ...authority, port, connect };
}

/** The answer, or that the listener closed the connection without one. */
const heard = (client: NetworkClient) =>
  Promise.race([client.send(echo(1)), client.closed.then(() => "closed")]);

describe("the listener's door", () => {
  it("hears who has a certificate of a trusted CA in the network's name", async () => {
    const { connect, named } = await givenDoor();
    const client = await connect(await named("card-network"));
    expect(await heard(client)).toEqual(echo(1));
  });

  it("answers a side that sends no more", async () => {
    const { connect, named } = await givenDoor();
    const client = await connect(await named("card-network"));
    const answer = client.send(echo(1));
    client.end();
    expect(await answer).toEqual(echo(1));
  });

  it("hears nobody without a certificate, and nobody without TLS", async () => {
    const { connect, identity } = await givenDoor();
    expect(await heard(await connect({ ca: identity.authorities }))).toBe("closed");
    expect(await heard(await connect())).toBe("closed");
  });

  it("hears no certificate of another CA, none of a server, and none that has expired", async () => {
    const { connect, authority, toTls, identity } = await givenDoor();
    const leaf = { subject: [{ CN: ["card-network"] }], alternativeNames: [], ...valid() };
    const other = await issueAuthority("Network CA", valid());
    const refused = [
      await issueLeaf({ ...leaf, authority: other, usage: "clientAuth" }),
      await issueLeaf({ ...leaf, authority, usage: "serverAuth" }),
      await issueLeaf({ ...leaf, authority, usage: "clientAuth", notAfter: new Date(Date.now() - 1_000) }),
    ];
    for (const one of refused)
      expect(await heard(await connect({ ...toTls(one), ca: identity.authorities }))).toBe("closed");
  });

  it("hears no Tenant: the same CAs sign for them, in no name of a network", async () => {
    const { connect, named, tenants } = await givenDoor();
    const strangers = [await tenants(), await named("card-network2"), await named("card-network", "other")];
    for (const tls of strangers) expect(await heard(await connect(tls))).toBe("closed");
  });

  it("takes a renewed certificate and other CAs without a restart, and connections stay", async () => {
    const [first, second] = [await givenAuthority(), await givenAuthority()];
    let identity = first.identity;
    const { connect } = await givenDoor({ readIdentity: async () => identity, renewMs: 20 });
    const client = await connect(await first.named("card-network"));
    expect(await heard(client)).toEqual(echo(1));
    identity = second.identity;
    await vi.waitFor(async () =>
      expect(await heard(await connect(await second.named("card-network")))).toEqual(echo(1)),
    );
    expect(await heard(client)).toEqual(echo(1));
    const replaced = { ...(await first.named("card-network")), ca: second.identity.authorities };
    expect(await heard(await connect(replaced))).toBe("closed");
  });

  it("keeps what it has while a renewed one cannot be read, or does not fit together", async () => {
    const [one, other] = [await givenAuthority(), await givenAuthority()];
    const errors = vi.spyOn(log, "error").mockReturnValue();
    onTestFinished(() => errors.mockRestore());
    const readIdentity = vi
      .fn(async () => ({ ...one.identity, privateKey: other.identity.privateKey }))
      .mockResolvedValueOnce(one.identity)
      .mockRejectedValueOnce(new Error("Secrets Manager does not answer."));
    const { connect } = await givenDoor({ readIdentity, renewMs: 10 });
    await vi.waitFor(() => expect(readIdentity.mock.calls.length).toBeGreaterThan(3));
    expect(await heard(await connect(await one.named("card-network")))).toEqual(echo(1));
    expect(JSON.stringify(errors.mock.calls)).not.toContain("PRIVATE KEY");
  });

  it("says for how many days its certificate is valid", async () => {
    const measured = vi.spyOn(log, "measured").mockReturnValue();
    onTestFinished(() => measured.mockRestore());
    const { identity } = await givenAuthority(12);
    await givenDoor({ readIdentity: async () => identity });
    expect(measured.mock.calls.map(([, facts]) => facts.ListenerCertificateDays)).toEqual([12]);
  });
});
