import { describe, expect, it } from "vitest";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import { illegalStatus } from "../../shared/platform/http/api-error.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { givenProgram } from "../harness/given-cards.ts";

const cases = contractCases();

/** The places of a body that name a record of the Program, and the body with another there. */
function renamed(body: unknown): { readonly place: string; readonly other: unknown }[] {
  if (typeof body === "string" && /^[a-z]{3}_[0-9A-Z]{26}$/.test(body))
    return [{ place: "", other: `${body.slice(0, 4)}0000000000000000000000NB0D` }];
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    renamed(value).map(({ place, other }) => ({
      place: `.${name}${place}`,
      other: Array.isArray(body) ? body.with(Number(name), other) : { ...body, [name]: other },
    })),
  );
}

const named = cases.filter(({ route, code }) => code === "OK" && route.body);

describe("a record that the body names and that does not exist", () => {
  it.for(named.map((one) => [`${one.route.method} ${one.route.path}` as const, one] as const))(
    "%s: the 404 has its place",
    async ([place, { prepare, manualIssuance }]) => {
      const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
      const program = await givenProgram({ settings });
      const request = await prepare(program);
      for (const { place: name, other } of renamed(request.body)) {
        const { status, body } = await program.call(place, { ...request, body: other });
        if (status !== 404) continue;
        expect(
          body.errors?.map(({ path }: { path: string }) => path),
          name,
        ).toContain(`body${name}`);
      }
    },
  );
});

/** What is wrong is no status: whose it is, what it is, or a setting. */
const ofNoStatus = new Set([
  ...["POST /disputes", "POST /cards/{cardId}/authorization-advices", "POST /cards/{cardId}/refunds"],
  ...["POST /cards/{cardId}/refunds/{transId}/reverse", "POST /cards/{cardId}/fees/{feeId}/reverse"],
  ...["POST /cards/{cardId}/chargebacks", "POST /cards/{cardId}/token-requests", "POST /wallets/provision"],
  ...["POST /cards/{cardId}/three-ds-challenges", "POST /cards/{cardId}/authentications"],
  ...["POST /three-ds-challenges/{challengeId}/complete", "POST /cards/{cardId}/shipping"],
  "POST /external-accounts/{externalAccountId}/check",
]);
const illegal = cases.filter(
  ({ code, route }) => code === "ILLEGAL_TRANSITION" && !ofNoStatus.has(`${route.method} ${route.path}`),
);

describe("ILLEGAL_TRANSITION", () => {
  it("names no status that would permit it", () => {
    const { message } = errorCatalogue.ILLEGAL_TRANSITION;
    expect(illegalStatus("new", ["new"])).toEqual({ rejected: "ILLEGAL_TRANSITION", message });
  });

  it.for(illegal.map((one) => [`${one.route.method} ${one.route.path}` as const, one] as const))(
    "%s says the status, and those that permit it",
    async ([place, { prepare, manualIssuance }]) => {
      const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
      const program = await givenProgram({ settings });
      const { body } = await program.call(place, await prepare(program));
      expect(body).toMatchObject({ code: "ILLEGAL_TRANSITION" });
      expect(body.message).toMatch(/ this operation: it is [\w ]+?(, and must be [\w ]+)?\.$/);
    },
  );
});
