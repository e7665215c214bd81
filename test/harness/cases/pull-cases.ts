import { type GivenProgram, givenWallet } from "../given-cards.ts";
import {
  after,
  and,
  called,
  changing,
  created,
  type EndpointCases,
  type Preparation,
  unknownId,
} from "./case.ts";
import { added, verified } from "./payout-cases.ts";

const mandates = "/external-accounts/{externalAccountId}/mandates";
const cancelMandate = `POST ${mandates}/{mandateId}/cancel` as const;
const signed = { signedAt: "2026-11-01" };

async function mandated(program: GivenProgram, externalAccountId: string) {
  const request = { path: { externalAccountId }, body: signed };
  const { mandateId } = (await program.call(`POST ${mandates}`, request)).body.data;
  return { path: { externalAccountId, mandateId: mandateId as string } };
}

const unverified: Preparation = async (program) => ({ path: { externalAccountId: await added(program) } });
const mandate: Preparation = async (program) => mandated(program, await added(program));
const verifiedMandate: Preparation = async (program) => mandated(program, await verified(program));

const pull: Preparation = async (program) => {
  const { path } = await verifiedMandate(program);
  const walletId = await givenWallet(program, 0);
  return { body: { walletId, ...path, amount: 2_500, reference: "INVOICE-7" } };
};
const underMandate = (other: Preparation) =>
  changing(pull, async (program) => (await other(program)).path ?? {});

const made = created("POST /pulls", pull, "pullId");

export const pullCases: EndpointCases = {
  [`POST ${mandates}`]: [
    and(unverified, { body: { ...signed, reference: "CUSTOMER-7" } }),
    {
      NOT_FOUND: { path: { externalAccountId: unknownId("exa") }, body: signed },
      VALIDATION_FAILED: and(unverified, { body: { signedAt: "yesterday" } }),
    },
  ],
  [`GET ${mandates}`]: async (program) => {
    const { externalAccountId = "" } = (await mandate(program)).path ?? {};
    return { path: { externalAccountId } };
  },
  [`GET ${mandates}/{mandateId}`]: mandate,
  [cancelMandate]: mandate,
  "POST /pulls": [
    pull,
    {
      NOT_FOUND: changing(pull, { walletId: unknownId("wlt") }),
      EXTERNAL_ACCOUNT_NOT_VERIFIED: underMandate(mandate),
      MANDATE_CANCELLED: underMandate(called(cancelMandate, verifiedMandate)),
      VALIDATION_FAILED: changing(pull, { collectOn: "2020-01-31" }),
    },
  ],
  "GET /pulls": after(made, { query: { status: "pending" } }),
  "GET /pulls/{pullId}": made,
  "GET /pulls/{pullId}/events": made,
  "POST /pulls/{pullId}/cancel": made,
  "POST /pulls/{pullId}/outcome": [
    and(made, { body: { status: "collected" } }),
    {
      ILLEGAL_TRANSITION: and(called("POST /pulls/{pullId}/cancel", made), { body: { status: "collected" } }),
      VALIDATION_FAILED: and(made, { body: { status: "completed" } }),
    },
  ],
};
