import { newIban } from "../bank-accounts.ts";
import { type GivenProgram, givenWallet } from "../given-cards.ts";
import { type EndpointCases, externalIdTaken, type Preparation, unknownId } from "./case.ts";
import { verified } from "./payout-cases.ts";

const mandateRoute = "POST /external-accounts/{externalAccountId}/mandates";

async function mandated(program: GivenProgram, externalAccountId: string) {
  const request = { path: { externalAccountId }, body: { signedAt: "2026-11-01" } };
  const { mandateId } = (await program.call(mandateRoute, request)).body.data;
  return { path: { externalAccountId, mandateId: mandateId as string } };
}

async function added(program: GivenProgram): Promise<string> {
  const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
  return (await program.call("POST /external-accounts", { body })).body.data.externalAccountId;
}

const mandate: Preparation = async (program) => mandated(program, await added(program));

const cancelledMandate: Preparation = async (program) => {
  const request = await mandate(program);
  await program.call("POST /external-accounts/{externalAccountId}/mandates/{mandateId}/cancel", request);
  return request;
};

const pull: Preparation = async (program) => {
  const externalAccountId = await verified(program);
  const { path } = await mandated(program, externalAccountId);
  const walletId = await givenWallet(program, 0);
  return { body: { walletId, ...path, amount: 2_500, reference: "INVOICE-7" } };
};

const without =
  (change: (program: GivenProgram) => Promise<object>): Preparation =>
  async (program) => {
    const { body } = await pull(program);
    return { body: { ...(body as object), ...(await change(program)) } };
  };

const made: Preparation = async (program) => {
  const { body } = await program.call("POST /pulls", await pull(program));
  return { path: { pullId: body.data.pullId as string } };
};

const cancelled: Preparation = async (program) => {
  const request = await made(program);
  await program.call("POST /pulls/{pullId}/cancel", request);
  return request;
};

export const pullCases: readonly EndpointCases[] = [
  {
    route: mandateRoute,
    success: async (program) => ({
      path: { externalAccountId: await added(program) },
      body: { signedAt: "2026-11-01", reference: "CUSTOMER-7" },
    }),
    refusals: {
      NOT_FOUND: async () => ({
        path: { externalAccountId: unknownId("exa") },
        body: { signedAt: "2026-11-01" },
      }),
      VALIDATION_FAILED: async (program) => ({
        path: { externalAccountId: await added(program) },
        body: { signedAt: "yesterday" },
      }),
    },
  },
  {
    route: "GET /external-accounts/{externalAccountId}/mandates",
    success: async (program) => {
      const { externalAccountId = "" } = (await mandate(program)).path ?? {};
      return { path: { externalAccountId } };
    },
  },
  { route: "GET /external-accounts/{externalAccountId}/mandates/{mandateId}", success: mandate },
  {
    route: "POST /external-accounts/{externalAccountId}/mandates/{mandateId}/cancel",
    success: mandate,
    refusals: { ILLEGAL_TRANSITION: cancelledMandate },
  },
  {
    route: "POST /pulls",
    success: pull,
    refusals: {
      NOT_FOUND: without(async () => ({ walletId: unknownId("wlt") })),
      EXTERNAL_ACCOUNT_NOT_VERIFIED: without(async (program) => (await mandate(program)).path ?? {}),
      MANDATE_CANCELLED: without(async (program) => {
        const { path } = await mandated(program, await verified(program));
        const route = "POST /external-accounts/{externalAccountId}/mandates/{mandateId}/cancel";
        await program.call(route, { path });
        return path;
      }),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /pulls", pull),
      VALIDATION_FAILED: without(async () => ({ collectOn: "2020-01-31" })),
    },
  },
  {
    route: "GET /pulls",
    success: async (program) => {
      await made(program);
      return { query: { status: "pending" } };
    },
  },
  { route: "GET /pulls/{pullId}", success: made },
  { route: "GET /pulls/{pullId}/events", success: made },
  {
    route: "POST /pulls/{pullId}/cancel",
    success: made,
    refusals: { ILLEGAL_TRANSITION: cancelled },
  },
  {
    route: "POST /pulls/{pullId}/outcome",
    success: async (program) => ({ ...(await made(program)), body: { status: "collected" } }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({
        ...(await cancelled(program)),
        body: { status: "collected" },
      }),
      VALIDATION_FAILED: async (program) => ({ ...(await made(program)), body: { status: "completed" } }),
    },
  },
];
