import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { EventOptions } from "../harness/api-event.ts";
import {
  ada,
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  shippingAddress,
} from "../harness/given-cards.ts";

let program: GivenProgram;
let path: Record<string, string>;

beforeAll(async () => {
  program = await givenProgram();
  const cardholderId = await givenApprovedCardholder(program);
  const { cardId } = await givenCard(program, { cardholderId, cardForm: 1, shippingAddress });
  path = { cardholderId, cardId };
});

/** Bodies with every field that an endpoint knows. */
const bodies: Record<string, () => Record<string, unknown>> = {
  "POST /cardholders": () => ({ ...ada, altKycEnabled: 1, externalId: "x" }),
  "PUT /cardholders/{cardholderId}": () => ({ ...ada, altKycEnabled: 0, externalId: "x" }),
  "POST /cardholders/{cardholderId}/submit": () => ({ kycToken: "token" }),
  "POST /cardholders/{cardholderId}/kyc-outcome": () => ({ status: 1 }),
  "POST /cards": () => ({
    cardholderId: path.cardholderId,
    cardForm: 1,
    cardType: 0,
    nameOnCard: "ADA",
    externalId: "x",
    shippingAddress: { ...shippingAddress, line2: "Flat 3", recipient: "Ada", state: "London" },
  }),
  "PUT /cards/{cardId}/status": () => ({ status: 2 }),
  "POST /cards/{cardId}/activate": () => ({ lastFour: "0000", expiryMonth: 1, expiryYear: 2030 }),
  "POST /cards/{cardId}/close": () => ({ sweepToWalletId: "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M" }),
  "POST /cards/{cardId}/approval": () => ({ cardStatus: 1 }),
};

const anyText = fc.string({ unit: "binary", maxLength: 80 });
const anyValue = fc.oneof(
  fc.jsonValue(),
  anyText,
  fc.constantFrom("\ud800", "\u0000", "", " ", Number.MAX_VALUE, -0, 2 ** 53),
);

/** The body with one field, at any depth, replaced or taken out. */
function damaged(body: Record<string, unknown>, at: number, value: unknown): Record<string, unknown> {
  const copy = structuredClone(body);
  const places = Object.entries(copy).flatMap(([name, held]) => [
    [copy, name] as const,
    ...(typeof held === "object" && held !== null
      ? Object.keys(held).map((inner) => [held as Record<string, unknown>, inner] as const)
      : []),
  ]);
  const [holder, name] = places[at % places.length] ?? [copy, "unknown"];
  holder[name] = value;
  return copy;
}

const isClientsFault = (status: number) => status === 200 || (status >= 400 && status < 500);

describe("bad input is never the platform's fault", () => {
  for (const [route, bodyOf] of Object.entries(bodies)) {
    test(`${route}: any body, and any damage to a good one`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(30), anyValue, fc.boolean(), async (at, value, whole) => {
          const body = whole ? JSON.stringify(value) : damaged(bodyOf(), at, value);
          const answer = await program.call(route as EventOptions["route"], { path, body });
          if (!isClientsFault(answer.status))
            throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
        }),
        { numRuns: 60 },
      );
    });
  }

  for (const route of ["GET /cardholders", "GET /cards"] as const) {
    test(`${route}: any query`, async () => {
      const names = [
        "status",
        "issuerCardStatus",
        "cardholderId",
        "orderBy",
        "sort",
        "before",
        "after",
        "limit",
        "offset",
      ];
      const value = fc.oneof(
        anyText,
        fc.integer().map(String),
        fc.bigInt().map(String),
        fc.double().map(String),
      );
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 }), async (query) => {
          const answer = await program.call(route, { query });
          expect([200, 422]).toContain(answer.status);
        }),
        { numRuns: 60 },
      );
    });
  }

  test("any path: 404", async () => {
    const routes = [
      "GET /cardholders/{cardholderId}",
      "DELETE /cardholders/{cardholderId}",
      "GET /cards/{cardId}/status",
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), anyText, async (route, text) => {
        const answer = await program.call(route, { path: { cardholderId: text, cardId: text } });
        expect(answer.status).toBe(404);
      }),
      { numRuns: 60 },
    );
  });
});
