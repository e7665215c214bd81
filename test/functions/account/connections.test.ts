import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type GivenAccount, givenAccount, unchanged, verdict } from "./given-account.ts";

const base = "/account/programs/{programId}/connections" as const;

let account: GivenAccount;
let programId: string;
beforeAll(async () => {
  account = await givenAccount();
  programId = await account.newProgram();
});
afterEach(() => void Object.assign(process.env, { ENVIRONMENT_NAME: "local" }));

const list = async (of = programId) =>
  (await account.call(`GET ${base}`, { path: { programId: of } })).body.items as Record<string, string>[];
const connect = (body: object, of = programId) =>
  account.call(`POST ${base}`, { path: { programId: of }, body });
const remove = (connectionId: string) =>
  account.call(`DELETE ${base}/{connectionId}`, { path: { programId, connectionId } });

describe("the connections of a Program", () => {
  test("are the defaults as long as it has no others", async () => {
    const found = await list();
    expect(found.map(({ port, adapter }) => [port, adapter])).toEqual([
      ["bank", "iso20022"],
      ["compliance", "local"],
      ["custodian", "deposits"],
      ["processor", "iso8583"],
    ]);
    for (const { webhookUrl, connectionId } of found)
      expect(webhookUrl).toBe(`https://webhooks.issuing.example/v2/connections/${programId}/${connectionId}`);
    expect(JSON.stringify(found)).not.toContain("secret");
    process.env.ENVIRONMENT_NAME = "staging";
    expect((await list())[1]).toMatchObject({ port: "compliance", adapter: "http" });
  });

  test("are replaced by a second one of the same port, and go back to the default", async () => {
    const standard = (await list())[3];
    const first = await connect({ port: "processor", adapter: "marqeta" });
    expect(first.body.data).toMatchObject({
      port: "processor",
      adapter: "marqeta",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const second = await connect({ port: "processor", adapter: "marqeta" });
    expect(second.body.data.secret).not.toBe(first.body.data.secret);
    const { secret: _, ...shown } = second.body.data;
    expect((await list())[3]).toEqual(shown);
    expect((await remove(shown.connectionId)).body.data).toEqual(standard);
    expect(verdict(await remove(first.body.data.connectionId))).toEqual([404, "NOT_FOUND"]);
    expect((await list())[3]).toEqual(standard);
    expect(await unchanged(() => remove(standard?.connectionId ?? ""))).toEqual([200, "OK", true]);
  });

  test("show which earlier ones are accepted, for 24 hours or until they are deleted: five, and no sixth", async () => {
    const made = [];
    for (const adapter of ["marqeta", "iso8583", "marqeta", "marqeta", "marqeta", "marqeta"])
      made.unshift((await connect({ port: "processor", adapter })).body.data);
    const sixth = () => connect({ port: "processor", adapter: "marqeta" });
    expect(await unchanged(sixth)).toEqual([409, "LIMIT_REACHED", true]);
    const [current, last, ...others] = made;
    const replaced = async () => ((await list())[3]?.replaced ?? []) as unknown as Record<string, string>[];
    const { connectionId, adapter, webhookUrl } = last;
    const shown = await replaced();
    expect(shown[0]).toEqual({ connectionId, adapter, webhookUrl, acceptedUntil: expect.any(String) });
    expect(Date.parse(shown[0]?.acceptedUntil ?? "") - Date.now()).toBeGreaterThan(86_390_000);
    const accepted = made.slice(1, 6).map((one) => one.connectionId);
    expect(shown.map((one) => one.connectionId)).toEqual(accepted);
    const [one, two] = await Promise.all([remove(last.connectionId), remove(others[0].connectionId)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect((await remove(others[1].connectionId)).body.data).toMatchObject({
      connectionId: current.connectionId,
    });
    expect((await replaced()).map((each) => each.connectionId)).toEqual(accepted.slice(3));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
    expect(await replaced()).toEqual([]);
    expect(verdict(await remove(others[2].connectionId))).toEqual([404, "NOT_FOUND"]);
    const next = await sixth();
    expect(next.status).toBe(200);
    vi.useRealTimers();
    await remove(next.body.data.connectionId);
  });

  test("are in the audit log, without their secrets", async () => {
    const created = await connect({ port: "compliance", adapter: "http" });
    const { connectionId, secret } = created.body.data;
    await remove(connectionId);
    const entries = (await account.audit()).filter(({ subjectId }) => subjectId === connectionId);
    expect(entries.map(({ action }) => action)).toEqual(["connection.create", "connection.delete"]);
    expect(entries[0]).toMatchObject({
      programId,
      before: { port: "compliance", adapter: "local" },
      after: { connectionId, port: "compliance", adapter: "http" },
    });
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  test.each([
    [{ port: "bank", adapter: "marqeta" }, "body.adapter"],
    [{ port: "processor", adapter: "http" }, "body.adapter"],
    [{ port: "post", adapter: "http" }, "body.port"],
    [{ port: "compliance", adapter: "http", url: "https://169.254.169.254/" }, "body.url"],
    [{ port: "compliance", adapter: "http", url: "http://kyc.example.com/" }, "body.url"],
  ])("422: %j", async (body, path) => {
    const answer = await connect(body);
    expect([...verdict(answer), answer.body.errors[0].path]).toEqual([422, "VALIDATION_FAILED", path]);
  });

  test("422: local, where the platform is deployed", async () => {
    process.env.ENVIRONMENT_NAME = "staging";
    const body = { port: "compliance", adapter: "local" };
    expect(await unchanged(() => connect(body))).toEqual([422, "VALIDATION_FAILED", true]);
  });
});
