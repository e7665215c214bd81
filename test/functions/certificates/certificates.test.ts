import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { certificateStatus } from "../../../shared/contract/account-access.ts";
import { certificates, certificateTransitions } from "../../../shared/tenancy/certificates/certificate.ts";
import { operate } from "../../harness/administration.ts";
import { storedAccountsItem } from "../../harness/stored.ts";
import { unchanged, verdict } from "../account/given-account.ts";
import { type GivenApplicant, givenApplicant } from "./given-applicant.ts";

const dayMs = 86_400_000;
const one = "/account/certificates/{certificateId}" as const;
let owner: GivenApplicant;
let stranger: GivenApplicant;
beforeAll(async () => {
  [owner, stranger] = [await givenApplicant(), await givenApplicant()];
});
afterEach(() => vi.useRealTimers());

const view = async (of: GivenApplicant, certificateId: string) =>
  of.call(`GET ${one}`, { path: { certificateId } });
const revoke = (of: GivenApplicant, certificateId: string) =>
  of.call(`DELETE ${one}`, { path: { certificateId } });
const list = async (of: GivenApplicant, query: Record<string, string> = {}) =>
  (await of.call("GET /account/certificates", { query })).body;
const passDays = (days: number) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * dayMs });
};

/** The id of a certificate in the status, as it comes there. */
async function givenIn(status: string): Promise<string> {
  owner = await givenApplicant();
  const { certificateId } = await owner.certificate();
  if (status === "revoked") await revoke(owner, certificateId);
  if (status === "expired") passDays(91);
  return certificateId;
}

describe("GET /account/certificates", () => {
  test("lists only the Tenant's certificates, in the requested order and status", async () => {
    const account = await givenApplicant();
    const first = await account.certificate();
    const second = await account.certificate();
    await revoke(account, first.certificateId);
    const idsOf = (body: { items: { certificateId: string }[] }) =>
      body.items.map(({ certificateId }) => certificateId);
    const both = [first.certificateId, second.certificateId];
    expect(idsOf(await list(account, { sort: "asc" }))).toEqual(both);
    expect(idsOf(await list(account, { orderBy: "certificateId", sort: "desc" }))).toEqual(both.toReversed());
    expect(idsOf(await list(account, { status: "active" }))).toEqual([second.certificateId]);
    expect(idsOf(await list(account, { status: "revoked" }))).toEqual([first.certificateId]);
    expect(await list(account, { status: "expired" })).toMatchObject({ items: [], total: 0 });
    expect(await list(account, { limit: "1", offset: "1", sort: "asc" })).toMatchObject({
      items: [{ certificateId: second.certificateId }],
      total: 2,
      limit: 1,
      offset: 1,
    });
    expect(await list(account, { after: "99999999999" })).toMatchObject({ items: [], total: 0 });
    passDays(91);
    expect((await list(account, { status: "expired" })).total).toBe(1);
  });

  test("422: an order or a status that there is not", async () => {
    const queries: Record<string, string>[] = [
      { orderBy: "serialNumber" },
      { status: "2" },
      { limit: "201" },
    ];
    for (const query of queries) {
      expect((await owner.call("GET /account/certificates", { query })).status).toBe(422);
    }
  });
});

describe(`GET ${one}`, () => {
  test("shows the certificate again", async () => {
    const account = await givenApplicant();
    const made = await account.certificate();
    expect((await view(account, made.certificateId)).body.data).toEqual(made);
  });

  test("404: another Tenant's, and one that there is not", async () => {
    const { certificateId } = await (await givenApplicant()).certificate();
    for (const id of [certificateId, "crt_0000000000000000000000NB0D"]) {
      expect(verdict(await view(stranger, id))).toEqual([404, "NOT_FOUND"]);
      expect(await unchanged(() => revoke(stranger, id))).toEqual([404, "NOT_FOUND", true]);
    }
  });
});

describe(`DELETE ${one}`, () => {
  const legal = certificateTransitions.filter(({ trigger }) => trigger === "revoke");

  test.each(certificateStatus.options)("of a certificate that is %s", async (status) => {
    const certificateId = await givenIn(status);
    expect((await view(owner, certificateId)).body.data.status).toBe(status);
    const step = legal.find(({ from }) => from === status);
    if (step) {
      expect((await revoke(owner, certificateId)).body.data).toMatchObject({ status: step.to });
      expect((await view(owner, certificateId)).body.data.status).toBe(step.to);
    } else if (status === "revoked") {
      // Asked for again, it is as it was.
      expect(await unchanged(() => revoke(owner, certificateId))).toEqual([200, "OK", true]);
    } else {
      expect(await unchanged(() => revoke(owner, certificateId))).toEqual([409, "ILLEGAL_TRANSITION", true]);
    }
  });

  test("a revocation outlasts the certificate's time", async () => {
    const certificateId = await givenIn("revoked");
    passDays(91);
    expect((await view(owner, certificateId)).body.data.status).toBe("revoked");
  });

  test("of simultaneous revocations, only the first counts and is in the audit log", async () => {
    const account = await givenApplicant();
    const { certificateId } = await account.certificate();
    const answers = await Promise.all(Array.from({ length: 5 }, () => revoke(account, certificateId)));
    const dates = answers.map(({ body }) => body.data.dateRevoked);
    expect(new Set(dates).size).toBe(1);
    const { tenantId } = account;
    await operate("revoke-certificate", { tenantId, certificateId });
    const entries = (await account.audit()).filter(({ action }) => action === "certificate.revoke");
    expect(entries).toMatchObject([
      {
        actor: account.apiUserId,
        subjectId: certificateId,
        before: { status: "active" },
        after: { status: "revoked", dateRevoked: dates[0] },
      },
    ]);
  });

  test("is what the authorizer reads, too", async () => {
    const account = await givenApplicant();
    const { certificateId } = await account.certificate();
    const { fingerprint } = (await revoke(account, certificateId)).body.data;
    expect(await storedAccountsItem(certificates.key(fingerprint))).toMatchObject({
      revokedAt: expect.any(String),
      revokedBy: account.apiUserId,
    });
  });
});
