import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { firstCalls, injectFaults } from "../harness/faults.ts";
import { ada, givenCardholder, givenProgram, shippingAddress } from "../harness/given-cards.ts";

// Everything is logged.
process.env.LOG_LEVEL = "DEBUG";

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      lines.push(String(chunk));
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const kycToken = "share-token-of-the-provider";
const nameOnCard = "COUNTESS OF LOVELACE";
const secrets = [
  ada.firstName,
  ada.lastName,
  ada.dateOfBirth,
  ada.email,
  ada.phone,
  ada.address.line1,
  kycToken,
  nameOnCard,
];

describe("log lines", () => {
  test("contain no personal data, whether the request succeeds or fails", async () => {
    const program = await givenProgram();
    const cardholderId = await givenCardholder(program, { altKycEnabled: 1 });
    const path = { cardholderId };
    const submit = (body: object) => program.call("POST /cardholders/{cardholderId}/submit", { path, body });
    const update = (body: object) => program.call("PUT /cardholders/{cardholderId}", { path, body });
    const issue = () =>
      program.call("POST /cards", {
        body: { cardholderId, cardForm: 1, cardType: 0, nameOnCard, shippingAddress },
      });
    const statuses = [
      (await submit({})).status,
      (await submit({ kycToken })).status,
      (await submit({ kycToken })).status,
      (await update({ ...ada, lastName: "King" })).status,
      (await program.call("POST /cardholders", { body: { ...ada, email: `${ada.email}@` } })).status,
      (await issue()).status,
      (await program.call("POST /cardholders/{cardholderId}/kyc-outcome", { path, body: { status: 1 } }))
        .status,
      (await issue()).status,
    ];
    expect(statuses).toEqual([422, 200, 409, 409, 422, 403, 200, 200]);
    for (const fault of ["server-error", "lost"] as const) {
      using _faults = injectFaults(firstCalls(Number.POSITIVE_INFINITY, fault));
      expect((await update(ada)).status).toBe(503);
    }
    expect(lines.join("\n")).toContain("store unavailable");
    for (const secret of secrets) expect(lines.join("\n")).not.toContain(secret);
  });

  test("contain no value that a list was searched by, whatever became of the request", async () => {
    const program = await givenProgram();
    const query = { email: "seeker@example.org", phone: "+4915199988877", name: "Quixote" };
    const search = (more: object = {}) => program.call("GET /cardholders", { query: { ...query, ...more } });
    expect((await search()).status).toBe(200);
    expect((await search({ unknown: "x" })).status).toBe(422);
    expect((await search({ email: "" })).status).toBe(422);
    expect((await program.call("GET /cards", { query: { name: query.name } })).status).toBe(200);
    expect(lines.length).toBeGreaterThan(0);
    for (const value of Object.values(query)) expect(lines.join("\n")).not.toContain(value);
  });
});
