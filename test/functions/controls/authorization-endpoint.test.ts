import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it } from "vitest";
import { readProgramControls } from "../../../shared/controls/rulebooks.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

const url = "https://decisions.example.com/authorizations";
const standIn = { timeout: { approveUpTo: 5_000 }, connectionError: "approve", badAnswer: "decline" };
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe("the authorization endpoint", () => {
  const waits = skipLeaseWaits();
  let given: GivenControls;
  const hosts = useReceiverHosts("decisions.example.com");
  beforeEach(async () => {
    given = await givenControls();
  });

  const put = (body: object = {}) => given.call("PUT /authorization-endpoint", { body: { url, ...body } });

  const rotate = () => given.call("POST /authorization-endpoint/rotate-secret");
  const ping = async () => (await given.call("POST /authorization-endpoint/ping")).body.data;
  const remove = () => given.call("DELETE /authorization-endpoint");

  it("is in force in every process when a change is answered", async () => {
    expect((await readProgramControls(given.programId)).endpoint).toBeUndefined();
    await put();
    expect(waits.count).toBe(1);
    expect((await readProgramControls(given.programId)).endpoint?.url).toBe(url);
    await remove();
    expect((await readProgramControls(given.programId)).endpoint).toBeUndefined();
    expect((await given.call("GET /authorization-endpoint")).status).toBe(404);
    for (const answer of [await remove(), await rotate()]) expect(answer.status).toBe(404);
    expect((await put()).body.data.secret).toMatch(secretForm);
  });

  it("asks a test question by a ping, signed with all secrets during two rotations", async () => {
    expect((await given.call("POST /authorization-endpoint/ping")).status).toBe(404);
    const first = (await put({ url: `${hosts.receiver.origin}/decide` })).body.data.secret;
    // Its answer is lost.
    const second = (await rotate()).body.data.secret;
    const rotated = (await rotate()).body.data;
    expect(rotated.secret).toMatch(secretForm);
    expect(Date.parse(rotated.previousSecretExpiresAt)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    hosts.receiver.behave((_, response) => response.end('{"decision": "approve", "amount": 1}'));
    const { question, ...said } = await ping();
    expect(said).toEqual({ outcome: "approved", amount: 1, latencyMs: expect.any(Number) });
    const [sent] = hosts.receiver.received.slice(-1);
    for (const secret of [first, second, rotated.secret])
      expect(new Webhook(secret).verify(sent?.body.toString() ?? "", sent?.headers ?? {})).toEqual(question);
    hosts.receiver.behave((_, response) => response.end('{"decision": "decline", "reason": "test"}'));
    expect(await ping()).toMatchObject({ outcome: "declined", reason: "test" });
    hosts.receiver.behave((_, response) => response.writeHead(500).end());
    expect(await ping()).toMatchObject({ outcome: "bad_answer", detail: "HTTP status 500, not 200" });
  });

  it("has each change in the audit log, without a secret", async () => {
    const { secret } = (await put({ standIn })).body.data;
    const rotated = (await rotate()).body.data.secret;
    await remove();
    const entries = (await given.call("GET /account/audit-log", { query: { sort: "asc" } })).body.items;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      "authorization-endpoint.put",
      "authorization-endpoint.rotate-secret",
      "authorization-endpoint.delete",
    ]);
    expect(entries[0]).toMatchObject({ subjectId: given.programId, before: null, after: { url, standIn } });
    expect(entries[2]).toMatchObject({ before: { url }, after: null });
    for (const one of [secret, rotated]) expect(JSON.stringify(entries)).not.toContain(one);
  });
});
