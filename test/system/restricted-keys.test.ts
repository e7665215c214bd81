import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { send, type TlsAnswer, type TlsRequest } from "./tls-request.ts";

let given: GivenPlatform;
let base: string;
beforeAll(async () => {
  given = await givenPlatform();
  base = `/account/programs/${given.connection.programId}/api-users`;
  const { programId } = given.connection;
  const unlimited = { reads: "highest", writes: "highest", fundsMoves: "highest" };
  await given.operate("set-rate-limits", { programId, ...unlimited });
});
afterAll(() => given?.stop());

type Rest = Partial<Pick<TlsRequest, "base" | "body" | "headers">>;

const call = (apiKey: string, method: string, path: string, rest: Rest = {}) =>
  send(given.connection, { method, path, ...rest, headers: { "X-API-Key": apiKey, ...rest.headers } });

const account = (method: string, path: string, body?: object) =>
  call(given.connection.tenantApiKey, method, path, body && { body });

async function givenKey(rights: object): Promise<{ apiUserId: string; apiKey: string }> {
  const { status, body } = await account("POST", base, { name: "Restricted", ...rights });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.data;
}

const verdict = ({ status, body }: TlsAnswer) => [status, body.code ?? "OK"];
const refused = [403, "OPERATION_NOT_ALLOWED"];
const unknownCard = "crd_0000000000000000000000NB0D";

describe("a restricted key", () => {
  it("gets 403 with operation and role after 401, and before body, 404 and 422 are looked at", async () => {
    const { apiKey } = await givenKey({ role: "read_only" });
    expect(verdict(await call(apiKey, "GET", "/wallets"))).toEqual([200, "OK"]);
    expect(verdict(await call(apiKey, "GET", `/cards/${unknownCard}`))).toEqual([404, "NOT_FOUND"]);
    const answer = await call(apiKey, "POST", `/cards/${unknownCard}/unload`, { body: { amount: "much" } });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        status: "error",
        code: "OPERATION_NOT_ALLOWED",
        message: "The operation cards_unloadCard is not allowed to keys of the role read_only.",
        requestId: answer.headers["x-request-id"],
      },
    });
    expect(Object.keys(answer.body)).toEqual(["status", "code", "message", "requestId"]);
    const latin = { body: { name: "x" }, headers: { "content-type": "application/json; charset=latin1" } };
    expect(verdict(await call(apiKey, "POST", "/wallets", latin))).toEqual(refused);
    expect(verdict(await call(apiKey, "DELETE", "/cardholders/nobody"))).toEqual(refused);
    expect(verdict(await call(`${apiKey.slice(0, -1)}_`, "POST", "/wallets"))).toEqual([
      401,
      "API_KEY_INVALID",
    ]);
    expect(verdict(await call(apiKey, "POST", "/wallets/none"))).toEqual([404, "NOT_FOUND"]);
  });

  it("does in the sandbox, too, what its role says", async () => {
    const sandbox = { base: "sandboxUrl", body: { amount: 100 } } as const;
    const deposit = `/wallets/${given.connection.walletId}/deposits`;
    const codeOf = async (rights: object) =>
      verdict(await call((await givenKey(rights)).apiKey, "POST", deposit, sandbox));
    expect(await codeOf({ role: "no_money" })).toEqual(refused);
    expect(await codeOf({ role: "custom", operations: ["wallets:*"] })).toEqual(refused);
    expect(await codeOf({ role: "custom", operations: ["sandbox:*"] })).toEqual([200, "OK"]);
    expect(await codeOf({ role: "no_reveal" })).toEqual([200, "OK"]);
  });

  it("keeps its role in a rotation, and a change of it counts for both keys", async () => {
    const { apiUserId, apiKey } = await givenKey({ role: "read_only" });
    const rotated = await account("POST", `${base}/${apiUserId}/rotate`, { overlapSeconds: 600 });
    const keys: string[] = [apiKey, rotated.body.data.apiKey];
    const wallet = { body: { name: "Trips" } };
    const answers = async () => {
      const both = await Promise.all(keys.map((key) => call(key, "POST", "/wallets", wallet)));
      return both.map(verdict);
    };
    expect(await answers()).toEqual([refused, refused]);
    await account("PUT", `${base}/${apiUserId}`, { role: "custom", operations: ["wallets_createWallet"] });
    expect(await answers()).toEqual([
      [200, "OK"],
      [200, "OK"],
    ]);
  });

  it("is refused all that begins after its role has changed; what is under way ends as it began", async () => {
    const { apiUserId, apiKey } = await givenKey({});
    const before = (await call(apiKey, "GET", "/wallets")).body.total;
    let changedAt = Number.POSITIVE_INFINITY;
    const answers: { begunAt: number; status: number }[] = [];
    const endAt = Date.now() + 20_000;
    const worker = async () => {
      let after = 0;
      while (after < 5 && Date.now() < endAt) {
        const begunAt = performance.now();
        const { status } = await call(apiKey, "POST", "/wallets", { body: { name: "Many" } });
        answers.push({ begunAt, status });
        if (begunAt > changedAt) after += 1;
      }
    };
    const workers = Array.from({ length: 6 }, worker);
    while (answers.length < 12) await new Promise((resolve) => setTimeout(resolve, 20));
    const changed = await account("PUT", `${base}/${apiUserId}`, { role: "read_only" });
    changedAt = performance.now();
    await Promise.all(workers);
    expect(changed.body.data).toMatchObject({ role: "read_only" });
    const statuses = (isAfter: boolean) =>
      new Set(answers.filter(({ begunAt }) => begunAt > changedAt === isAfter).map(({ status }) => status));
    expect(statuses(true)).toEqual(new Set([403]));
    expect([...statuses(false)].filter((status) => status !== 200 && status !== 403)).toEqual([]);
    const made = answers.filter(({ status }) => status === 200).length;
    expect(made).toBeGreaterThan(0);
    expect((await call(apiKey, "GET", "/wallets")).body.total).toBe(before + made);
  });

  it("of the Tenant makes and changes no key, not even its own", async () => {
    const { body } = await account("POST", "/account/api-users", { name: "Ops", role: "no_reveal" });
    const { apiUserId, apiKey } = body.data;
    expect(verdict(await call(apiKey, "GET", "/account/api-users"))).toEqual([200, "OK"]);
    const own = `/account/api-users/${apiUserId}`;
    for (const [method, path, json] of [
      ["PUT", own, { role: "everything" }],
      ["POST", `${own}/rotate`, {}],
      ["DELETE", own, undefined],
      ["POST", "/account/api-users", { name: "Another" }],
      ["POST", base, { name: "Another" }],
    ] as const) {
      expect(verdict(await call(apiKey, method, path, json && { body: json }))).toEqual(refused);
    }
    const raised = await account("PUT", own, { role: "everything" });
    expect(raised.body.data).toMatchObject({ apiUserId, role: "everything" });
    expect(verdict(await call(apiKey, "DELETE", own))).toEqual([200, "OK"]);
  });
});
