import { createHash } from "node:crypto";
import { GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/account/handler.ts";
import { AuthorizerContext } from "../../../shared/contract/authorizer-context.ts";
import { usageKey } from "../../../shared/contract/rate-limits.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { certificates } from "../../../shared/tenancy/certificates/certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { injectFaults } from "../../harness/faults.ts";
import { dayMs, givenCertificate } from "../../harness/given-certificates.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { measure } from "../../harness/measure.ts";
import { pepperReads } from "../../harness/pepper.ts";
import { replay } from "../../harness/replay.ts";
import { call } from "./authorizer-event.ts";
import {
  addressRefused,
  certificateRefused,
  type GivenCaller,
  givenCaller,
  ip,
  keyOf,
  keyRefused,
  register,
} from "./given-caller.ts";

describe("the authorizer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => caller.stop());

  describe("accepts", () => {
    it("a Program-level key with its Program's scope and currency, for the whole stage", async () => {
      const verdict = await call(caller.withKey(caller.programKey.apiKey));
      expect(verdict).toEqual({
        status: 200,
        resource: "arn:aws:execute-api:eu-west-1:000000000000:abcdef1234/live/*",
        usageKey: usageKey(caller.tenant.programIds[0] ?? "", "reads"),
        context: {
          level: "program",
          tenantId: caller.tenant.tenantId,
          programId: caller.tenant.programIds[0],
          currency: "2",
          apiUserId: caller.programKey.apiUserId,
        },
      });
      const context = verdict.status === 200 && verdict.context;
      expect(AuthorizerContext.parse(context)).toMatchObject({ currency: 2 });
    });

    it("a Tenant-level key on any certificate of the Tenant", async () => {
      const verdict = await call(caller.withKey(caller.tenantKey.apiKey));
      expect(verdict).toMatchObject({
        status: 200,
        context: { level: "tenant", tenantId: caller.tenant.tenantId, apiUserId: caller.tenantKey.apiUserId },
      });
      expect(verdict).not.toHaveProperty("context.programId");
      expect(verdict).not.toHaveProperty("context.role");
    });

    it("a Tenant-level key alone on a certificate that names no Program", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant, { programIds: [] });
      await register(pem);
      const on = (apiKey: string) => call(caller.withKey(apiKey, { certificatePem: pem }));
      expect(await on(caller.tenantKey.apiKey)).toMatchObject({ status: 200, context: { level: "tenant" } });
      expect(await on(caller.programKey.apiKey)).toEqual(keyRefused);
    });

    it.each([
      ["program", { role: "read_only" }, {}],
      [
        "tenant",
        { role: "custom", operations: ["cards:read", "cards_listCards"] },
        { operations: "cards:read cards_listCards" },
      ],
    ] as const)(
      "a restricted key of a %s with its role, and no other key with one",
      async (level, rights, more) => {
        const { tenantId, programIds } = caller.tenant;
        const scope = { tenantId, ...(level === "program" && { programId: programIds[0] }) };
        const { apiKey, apiUserId } = await operate("create-api-key", {
          ...scope,
          ...rights,
          name: "restricted",
        });
        const verdict = await call(caller.withKey(apiKey));
        expect(verdict).toMatchObject({ context: { level, apiUserId, role: rights.role, ...more } });
        expect(verdict.status === 200 && Object.keys(verdict.context).includes("operations")).toBe(
          level === "tenant",
        );
      },
    );

    it("a key in a header of any case", async () => {
      for (const name of ["x-api-key", "X-API-KEY", "x-Api-kEy"]) {
        const headers = [[name, caller.programKey.apiKey]] as const;
        expect(await call(caller.withKey("", { headers }))).toMatchObject({ status: 200 });
      }
    });

    it("with one call of the table, and the pepper not read again", async () => {
      await call(caller.withKey(caller.programKey.apiKey));
      const reads = pepperReads();
      const { cost } = await measure(() => call(caller.withKey(caller.programKey.apiKey)));
      expect(cost.roundTrips).toBe(1);
      expect(cost.calls).toEqual(["BatchGetItem"]);
      expect(pepperReads()).toBe(reads);
    });
  });

  describe("403 CERTIFICATE_NOT_AUTHORIZED, with a right key or none", () => {
    const refusesCertificate = async (pem: string | undefined) => {
      expect(await call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).toEqual(
        certificateRefused,
      );
      expect(await call({ certificatePem: pem, ip })).toEqual(certificateRefused);
    };

    it("a revoked one, on the very next request", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      const revoked = await register(pem);
      expect(await call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).toMatchObject({
        status: 200,
      });
      await operate("revoke-certificate", { tenantId: caller.tenant.tenantId, certificateId: revoked });
      await refusesCertificate(pem);
    });

    it("a revoked one that is registered again", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      const revoked = await register(pem);
      await operate("revoke-certificate", { tenantId: caller.tenant.tenantId, certificateId: revoked });
      expect(await register(pem)).toBe(revoked);
      await refusesCertificate(pem);
    });

    it("one outside its time, which begins and ends to the millisecond", async () => {
      const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000 + dayMs);
      const notAfter = new Date(notBefore.getTime() + dayMs);
      const pem = await givenCertificate(caller.authority, caller.tenant, { notBefore, notAfter });
      await register(pem);
      const at = (ms: number) => {
        vi.useFakeTimers({ toFake: ["Date"], now: ms });
        return call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }));
      };
      expect(await at(notBefore.getTime() - 1)).toEqual(certificateRefused);
      expect(await at(notBefore.getTime())).toMatchObject({ status: 200 });
      expect(await at(notAfter.getTime() - 1)).toMatchObject({ status: 200 });
      expect(await at(notAfter.getTime())).toEqual(certificateRefused);
    });
  });
});

describe("the authorizer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterAll(() => caller.stop());

  describe("401", () => {
    it("for a malformed key and for an unknown one", async () => {
      const unknown = `cik_${"A".repeat(43)}`;
      for (const value of [
        "",
        " ",
        "wrong",
        "\0",
        "é",
        `${caller.programKey.apiKey} `,
        "a".repeat(9_000),
        unknown,
      ]) {
        expect(await call(caller.withKey(value))).toEqual(keyRefused);
      }
    });

    it("for a revoked key, on the very next request", async () => {
      const key = await keyOf(caller.tenant, 0);
      expect(await call(caller.withKey(key.apiKey))).toMatchObject({ status: 200 });
      await operate("revoke-api-key", { tenantId: caller.tenant.tenantId, apiUserId: key.apiUserId });
      expect(await call(caller.withKey(key.apiKey))).toEqual(keyRefused);
    });

    it("for another Tenant's keys, of both levels", async () => {
      const other = await givenTenant(1);
      expect(await call(caller.withKey((await keyOf(other, 0)).apiKey))).toEqual(keyRefused);
      expect(await call(caller.withKey((await keyOf(other)).apiKey))).toEqual(keyRefused);
    });

    it("for a key sent twice, in one name or two, though both are right", async () => {
      const { apiKey } = caller.programKey;
      for (const names of [
        ["X-API-Key", "X-API-Key"],
        ["X-API-Key", "x-api-key"],
      ]) {
        const headers = names.map((name) => [name, apiKey] as const);
        expect(await call(caller.withKey("", { headers }))).toEqual(keyRefused);
      }
      expect(await call(caller.withKey(`${apiKey}, ${apiKey}`))).toEqual(keyRefused);
    });

    it("for a key anywhere but in its header", async () => {
      const { apiKey } = caller.programKey;
      const headers = [
        ["Authorization", `Bearer ${apiKey}`],
        ["X-API-Key-", apiKey],
        [" X-API-Key", apiKey],
        ["Cookie", `X-API-Key=${apiKey}`],
      ] as const;
      expect(
        await call({ certificatePem: caller.certificatePem, ip, headers, query: { "X-API-Key": apiKey } }),
      ).toEqual(keyRefused);
    });
  });

  describe("stored items", () => {
    it("holds no API key, nor a hash that can be made without the pepper", async () => {
      const { Items } = await table.send(new ScanCommand({ TableName: process.env.ACCOUNTS_TABLE }));
      const text = JSON.stringify(Items);
      expect(text).toContain(caller.programKey.apiUserId);
      expect(text).not.toContain(caller.programKey.apiKey);
      expect(text).not.toContain(createHash("sha256").update(caller.programKey.apiKey).digest("hex"));
    });

    it("make the authorizer fail if one does not match its schema", async () => {
      const pem = await givenCertificate(caller.authority, caller.tenant);
      await register(pem);
      const TableName = process.env.ACCOUNTS_TABLE;
      const Key = certificates.key(readClientCertificate(pem).fingerprint);
      const { Item } = await table.send(new GetCommand({ TableName, Key }));
      await table.send(new PutCommand({ TableName, Item: { ...Item, revokedAt: "soon" } }));
      await expect(call(caller.withKey(caller.programKey.apiKey, { certificatePem: pem }))).rejects.toThrow(
        "revokedAt",
      );
    });
  });
});

const suspended = {
  status: 403,
  code: "SUSPENDED",
  message: "Access of this Tenant or Program is suspended.",
};

describe("the authorizer, on suspended access", () => {
  let caller: GivenCaller;
  let otherKey: string;

  beforeAll(async () => {
    caller = await givenCaller();
    otherKey = (await keyOf(caller.tenant, 1)).apiKey;
  });
  beforeEach(async () => {
    await operate("resume-tenant", { tenantId: caller.tenant.tenantId });
    for (const programId of caller.tenant.programIds) await operate("resume-program", { programId });
  });
  afterAll(() => caller.stop());

  const callAll = async () => {
    const keys = [caller.programKey.apiKey, otherKey, caller.tenantKey.apiKey];
    const verdicts = await Promise.all(keys.map((apiKey) => call(caller.withKey(apiKey))));
    return verdicts.map((verdict) => ("code" in verdict ? verdict.code : verdict.status));
  };

  it("rejects every key of a suspended Tenant from the next request until it is resumed", async () => {
    const { tenantId } = caller.tenant;
    expect(await callAll()).toEqual([200, 200, 200]);
    await operate("suspend-tenant", { tenantId });
    expect(await callAll()).toEqual(["SUSPENDED", "SUSPENDED", "SUSPENDED"]);
    expect(await call(caller.withKey(caller.programKey.apiKey))).toEqual(suspended);
    await operate("resume-tenant", { tenantId });
    expect(await callAll()).toEqual([200, 200, 200]);
  });

  it("rejects only the keys of a suspended Program", async () => {
    const [programId] = caller.tenant.programIds;
    await operate("suspend-program", { programId });
    expect(await callAll()).toEqual(["SUSPENDED", 200, 200]);
    await operate("resume-program", { programId });
    expect(await callAll()).toEqual([200, 200, 200]);
  });

  it("keeps a Program suspended when its Tenant is resumed", async () => {
    const { tenantId, programIds } = caller.tenant;
    await operate("suspend-program", { programId: programIds[0] });
    await operate("suspend-tenant", { tenantId });
    await operate("resume-tenant", { tenantId });
    expect(await callAll()).toEqual(["SUSPENDED", 200, 200]);
  });

  it("answers SUSPENDED to valid credentials only", async () => {
    await operate("suspend-tenant", { tenantId: caller.tenant.tenantId });
    expect(await call(caller.withKey(`cik_${"A".repeat(43)}`))).toEqual(keyRefused);
    expect(await call(caller.withKey(caller.programKey.apiKey, { ip: "192.0.2.9" }))).toEqual(addressRefused);
  });
});

describe("the authorizer, when keys are replaced", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => caller.stop());

  const account = (route: EventOptions["route"], options: Omit<EventOptions, "route" | "caller">) =>
    replay(
      handler,
      apiEvent({ ...options, route, caller: { level: "tenant", tenantId: caller.tenant.tenantId } }),
    );
  const advance = (seconds: number) =>
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });

  /** A key of the first Program, or of the Tenant, and how it is replaced and revoked. */
  const givenKey = async (level: "program" | "tenant") => {
    const { apiKey, apiUserId } = await keyOf(caller.tenant, level === "program" ? 0 : undefined);
    const [programId = ""] = caller.tenant.programIds;
    const base =
      level === "program"
        ? ("/account/programs/{programId}/api-users" as const)
        : ("/account/api-users" as const);
    const path = { apiUserId, ...(level === "program" && { programId }) };
    return {
      apiKey,
      apiUserId,
      rotate: async (body?: object): Promise<string> =>
        (await account(`POST ${base}/{apiUserId}/rotate`, { path, ...(body && { body }) })).body.data.apiKey,
      revoke: () => account(`DELETE ${base}/{apiUserId}`, { path }),
    };
  };
  const accepted = expect.objectContaining({ status: 200 });
  const verdictOf = (apiKey: string) => call(caller.withKey(apiKey));

  it.each(["program", "tenant"] as const)(
    "takes both keys of a %s until the overlap ends, by the clock",
    async (level) => {
      const key = await givenKey(level);
      advance(0);
      const successor = await key.rotate({ overlapSeconds: 600 });
      expect(await verdictOf(key.apiKey)).toEqual(accepted);
      expect(await verdictOf(successor)).toEqual(accepted);
      advance(599.999);
      expect(await verdictOf(key.apiKey)).toEqual(accepted);
      advance(0.001);
      expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
      expect(await verdictOf(successor)).toEqual(accepted);
    },
  );

  it("accepts only the new key without an overlap", async () => {
    const key = await givenKey("program");
    const successor = await key.rotate();
    expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
    expect(await verdictOf(successor)).toEqual(accepted);
  });

  it("accepts at most two keys: another rotation ends the oldest at once", async () => {
    const key = await givenKey("program");
    const second = await key.rotate({ overlapSeconds: 600 });
    const third = await key.rotate({ overlapSeconds: 600 });
    expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
    expect(await verdictOf(second)).toEqual(accepted);
    expect(await verdictOf(third)).toEqual(accepted);
  });

  it("takes neither from the moment of revocation, by the Tenant or by the operator", async () => {
    for (const by of ["tenant", "operator"]) {
      const key = await givenKey("program");
      const successor = await key.rotate({ overlapSeconds: 600 });
      const { tenantId } = caller.tenant;
      if (by === "tenant") await key.revoke();
      else await operate("revoke-api-key", { tenantId, apiUserId: key.apiUserId });
      expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
      expect(await verdictOf(successor)).toEqual(keyRefused);
      expect(await key.rotate({ overlapSeconds: 600 }).catch(() => "refused")).toBe("refused");
    }
  });

  it("takes none after a revocation that races with rotations and with itself", async () => {
    const key = await givenKey("tenant");
    const [, first, second, ...rotations] = await Promise.allSettled([
      call(caller.withKey(key.apiKey)),
      key.revoke(),
      key.revoke(),
      key.rotate({ overlapSeconds: 600 }),
      key.rotate({ overlapSeconds: 600 }),
    ]);
    for (const revoked of [first, second]) expect(revoked).toMatchObject({ value: { status: 200 } });
    expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
    for (const one of rotations) {
      if (one.status === "fulfilled") expect(await verdictOf(one.value)).toEqual(keyRefused);
    }
  });

  it("leaves exactly one valid key after two rotations at the same time", async () => {
    const key = await givenKey("tenant");
    const outcomes = await Promise.allSettled([key.rotate(), key.rotate()]);
    const successors = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const verdicts = [await verdictOf(key.apiKey)];
    for (const successor of successors) verdicts.push(await verdictOf(successor));
    expect(verdicts.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(verdicts[0]).toEqual(keyRefused);
  });
});

interface Batch {
  readonly Keys: readonly unknown[];
}

describe("the authorizer, on a table that does not answer", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterEach(() => table.middlewareStack.remove("throttled"));
  afterAll(() => caller.stop());

  /** The first `times` answers are incomplete: only `answered` keys are processed. */
  const throttle = (times: number, answered = 0) => {
    const answers: number[] = [];
    table.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== "BatchGetItemCommand") return next(args);
        const { RequestItems } = args.input as { RequestItems: Record<string, Batch> };
        const [[tableName, batch]] = Object.entries(RequestItems) as [[string, Batch]];
        answers.push(batch.Keys.length);
        if (answers.length > times) {
          const { output, ...answer } = await next(args);
          // Left out nothing: then an answer need not say so.
          return { ...answer, output: { ...output, UnprocessedKeys: undefined } };
        }
        const part = (Keys: readonly unknown[]) => ({ [tableName]: { ...batch, Keys } });
        const UnprocessedKeys = part(batch.Keys.slice(answered));
        const taken = part(batch.Keys.slice(0, answered));
        const answer = await next(answered === 0 ? args : { ...args, input: { RequestItems: taken } });
        const Responses = answered === 0 ? undefined : (answer.output as { Responses?: object }).Responses;
        return { ...answer, output: { ...answer.output, Responses, UnprocessedKeys } };
      },
      { step: "initialize", priority: "low", name: "throttled" },
    );
    return answers;
  };
  const verdict = () => call(caller.withKey(caller.programKey.apiKey));

  it("answers 503 to every caller", async () => {
    const tableName = process.env.ACCOUNTS_TABLE;
    process.env.ACCOUNTS_TABLE = "no-such-table";
    await expect(verdict()).rejects.toThrow();
    process.env.ACCOUNTS_TABLE = tableName;
  });

  it("reads unprocessed keys again, because an unread certificate is not an unknown one", async () => {
    const answers = throttle(1);
    expect(await verdict()).toMatchObject({ status: 200 });
    expect(answers).toEqual([4, 4]);
  });

  it("reads only the unprocessed keys again", async () => {
    const answers = throttle(1, 1);
    expect(await verdict()).toMatchObject({ status: 200 });
    expect(answers).toEqual([4, 3]);
  });

  it("retries for half a second, and then answers 503", async () => {
    const three = throttle(3);
    expect(await verdict()).toMatchObject({ status: 200 });
    expect(three).toHaveLength(4);
    table.middlewareStack.remove("throttled");
    const all = throttle(Number.POSITIVE_INFINITY);
    const startedMs = performance.now();
    await expect(verdict()).rejects.toThrow("throttled");
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(all.length).toBeGreaterThan(1);
  });

  it("reads credentials as the last write left them, so that a revocation holds for the very next request", async () => {
    using faults = injectFaults(() => undefined);
    await verdict();
    const reads = faults.calls.map(({ input }) => Object.values(input.RequestItems as object)[0]);
    expect(reads.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true]);
  });

  it("is not asked for what cannot be a key", async () => {
    const answers = throttle(0);
    expect(await call(caller.withKey("wrong"))).toEqual(keyRefused);
    expect(await call({ certificatePem: caller.certificatePem, ip })).toEqual(keyRefused);
    expect(answers).toEqual([3, 3]);
  });
});
