import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CaseRequest } from "../harness/cases/case.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { givenLiveProgram, type LiveProgram, tenantLevel } from "../harness/given-live-program.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const endpoints = contractCases()
  .filter(({ code, route }) => code === "OK" && route.level !== "tenant")
  .map((one) => ({ ...one, key: `${one.route.method} ${one.route.path}` as const }));

const identifiersIn = (value: unknown) =>
  JSON.stringify(value ?? "")
    .match(/\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g)
    ?.map(String) ?? [];

/** A filter is not an identifier: it only matches nothing. */
const namesRecord = ({ path: parameters, body }: CaseRequest) => identifiersIn([parameters, body]).length > 0;

describe("every endpoint of the contract, over mutual TLS", () => {
  let given: GivenPlatform;
  let automatic: LiveProgram;
  let manual: LiveProgram;
  let stranger: LiveProgram;
  let tenant: LiveProgram;

  beforeAll(async () => {
    given = await givenPlatform();
    const { connection } = given;
    automatic = given.program;
    tenant = tenantLevel(connection);
    [manual, stranger] = await Promise.all([
      givenLiveProgram(connection, { manualIssuance: true }),
      givenLiveProgram(connection),
    ]);
  });
  afterAll(async () => {
    await Promise.all([manual, stranger, tenant].map((program) => program?.close()));
    await given?.stop();
  });

  // What an endpoint before began in the background may change the state meanwhile, and does so
  // once. What a stranger's request changed, it would change each time.
  const again = { retry: 2 };
  it.each(endpoints)("$key: only the Program's own key finds its records", again, async (endpoint) => {
    const { route, key, prepare, manualIssuance } = endpoint;
    const owner = manualIssuance ? manual : automatic;
    const request = await prepare(owner);
    const before = await stateOf(owner);

    const theirs = await stranger.call(key, request);
    expect(identifiersIn(theirs.body).filter((id) => identifiersIn(before).includes(id))).toEqual([]);
    if (namesRecord(request)) expect([theirs.status, theirs.body.code]).toEqual([404, "NOT_FOUND"]);

    const ofTenant = await tenant.call(key, request);
    if (route.responseKind === "list")
      expect(ofTenant.body).toMatchObject({ status: "success", items: [], total: 0 });
    else expect([ofTenant.status, ofTenant.body.code]).toEqual([404, "NOT_FOUND"]);

    expect(await stateOf(owner)).toEqual(before);
    const own = await owner.call(key, request);
    expect(own.status, JSON.stringify(own.body)).toBe(200);
  });

  /** Everything that a Program can see of itself, in lists. */
  async function stateOf(program: LiveProgram) {
    const lists = ["GET /cardholders", "GET /cards", "GET /wallets"] as const;
    const answers = await Promise.all(lists.map((key) => program.call(key)));
    return answers.map(({ body }) => [body.items, body.total]);
  }
});
