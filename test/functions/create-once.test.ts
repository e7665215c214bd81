import { describe, expect, it } from "vitest";
import { routes } from "../../shared/contract/routes.ts";
import { idempotencyRecords } from "../../shared/platform/idempotency.ts";
import { writeBatch } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { ada, givenProgram } from "../harness/given-cards.ts";
import { playScenario, readScenarios } from "../harness/scenarios/scenario.ts";
import { storedItem, storedItems } from "../harness/stored.ts";

const creating = contractCases().filter(({ route, code }) => route.creates && code === "OK");
const key = (value = "once") => ({ headers: { "Idempotency-Key": value } });

const moving = contractCases().filter(({ route, code }) => route.movesFunds && code === "OK");

describe("Idempotency-Key of what moves money", () => {
  it.for(moving.map((one) => [`${one.route.method} ${one.route.path}` as const, one] as const))(
    "%s: a repetition has the first answer, balances included, and moves nothing",
    async ([place, { prepare, manualIssuance }]) => {
      const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
      const program = await givenProgram({ settings });
      const request = await prepare(program);
      const first = await program.call(place, { ...request, ...key() });
      expect(first.status, JSON.stringify(first.body)).toBe(200);
      // Balances change meanwhile, if it can be done twice.
      await program.call(place, { ...request, ...key("another") });
      const before = await storedItems(program.programId);
      expect((await program.call(place, { ...request, ...key() })).body).toEqual(first.body);
      const after = await storedItems(program.programId);
      // It may only ask for another delivery of its notifications.
      expect(after.filter(({ sk }) => sk !== "OUTBOX")).toEqual(before.filter(({ sk }) => sk !== "OUTBOX"));
      const other = { ...request, body: { ...(request.body as object), amount: 7 } };
      if (request.body === undefined || !("amount" in (request.body as object))) return;
      expect((await program.call(place, { ...other, ...key() })).body.code).toBe("IDEMPOTENCY_MISMATCH");
    },
  );
});

describe("Idempotency-Key of what creates something", () => {
  it.for(creating.map((one) => [`${one.route.method} ${one.route.path}` as const, one] as const))(
    "%s: a repetition creates nothing more, and has the first answer or names what was created",
    async ([place, { route, prepare }]) => {
      const program = await givenProgram({ settings: { threeDSecure: true } });
      const request = { ...(await prepare(program)), ...key() };
      const first = await program.call(place, request);
      expect(first.status, JSON.stringify(first.body)).toBe(200);
      const before = await storedItems(program.programId);
      const again = await program.call(place, request);
      if (typeof route.creates === "string") {
        expect([again.status, again.body.code]).toEqual([409, "ALREADY_CREATED"]);
        expect(again.body.errors).toEqual([
          expect.objectContaining({
            path: "header.Idempotency-Key",
            message: `created ${route.creates} ${first.body.data[route.creates]}`,
          }),
        ]);
      } else expect(again.body).toEqual(first.body);
      expect((await storedItems(program.programId)).length).toBe(before.length);
    },
  );

  it("names every endpoint that creates something", () => {
    const declared = routes.filter(({ creates }) => creates).map(({ path }) => path);
    expect(declared.toSorted()).toMatchInlineSnapshot(`
      [
        "/account/api-users",
        "/account/certificates",
        "/account/ip-allowlist",
        "/account/programs",
        "/account/programs/{programId}/api-users",
        "/account/programs/{programId}/card-designs",
        "/account/programs/{programId}/connections",
        "/account/tickets",
        "/account/tickets/{ticketId}/comments",
        "/cardholders",
        "/cardholders/bulk",
        "/cards",
        "/cards/bulk",
        "/cards/{cardId}/authentications",
        "/cards/{cardId}/processing-errors",
        "/controls",
        "/disputes/{disputeId}/evidence",
        "/external-accounts",
        "/external-accounts/{externalAccountId}/mandates",
        "/otp/listeners",
        "/report-schedules",
        "/reports",
        "/wallets",
        "/webhooks",
        "/webhooks/events/redeliver",
        "/webhooks/events/{transIdSc}/redeliver",
      ]
    `);
  });

  it("of requests at the same moment, one creates", async () => {
    const program = await givenProgram();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => program.call("POST /cardholders", { body: ada, ...key() })),
    );
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await program.call("GET /cardholders")).body.total).toBe(1);
  });

  it("a key whose answer was lost creates nothing: 409, at first as in progress", async () => {
    const program = await givenProgram();
    await program.call("POST /wallets", { body: { name: "Travel" }, ...key() });
    const place = idempotencyRecords.key(program.programId, "POST /wallets", "once");
    const { answer: _, ...kept } = (await storedItem(place)) ?? {};
    const lost = async (createdAt: Date) => {
      await writeBatch([{ put: { ...kept, ...place, createdAt: createdAt.toISOString() } as Key }]);
      return (await program.call("POST /wallets", { body: { name: "Travel" }, ...key() })).body.code;
    };
    expect(await lost(new Date())).toBe("IDEMPOTENCY_IN_PROGRESS");
    expect(await lost(new Date(Date.now() - 120_000))).toBe("ALREADY_CREATED");
    expect((await program.call("GET /wallets")).body.total).toBe(1);
  });

  it("keeps no secret", async () => {
    const program = await givenProgram();
    const { body } = await program.call("POST /account/api-users", { body: { name: "Ada" }, ...key() });
    const { tenantId } = program.caller;
    const place = idempotencyRecords.key(tenantId ?? "", "POST /account/api-users", "once");
    const stored = JSON.stringify(await storedItem(place));
    expect(stored).toContain(body.data.apiUserId);
    expect(stored).not.toContain(body.data.apiKey);
  });

  it("422: every other POST refuses the header, unless it is deprecated and does nothing", async () => {
    const others = contractCases().filter(
      ({ route, code }) =>
        code === "OK" && route.method === "POST" && !route.creates && !route.movesFunds && !route.deprecated,
    );
    expect(others.length).toBeGreaterThan(10);
    const program = await givenProgram();
    for (const { route } of others.filter(({ route }) => !route.path.includes("{"))) {
      const { status, body } = await program.call(`${route.method} ${route.path}`, key());
      expect([400, 422], route.path).toContain(status);
      expect(body.errors).toContainEqual(
        expect.objectContaining({ path: "header.Idempotency-Key", code: "not_supported" }),
      );
    }
  });
});

describe.each(readScenarios(import.meta.dirname, "create-once.txt"))("$of", ({ rows }) => {
  it.each(rows)("%s", playScenario);
});
