import { newIban } from "../bank-accounts.ts";
import { type GivenProgram, givenWallet } from "../given-cards.ts";
import { type EndpointCases, externalIdTaken, type Preparation, unknownId } from "./case.ts";

/** An account that the bank has checked. */
export async function verified(program: GivenProgram): Promise<string> {
  const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
  const { externalAccountId } = (await program.call("POST /external-accounts", { body })).body.data;
  const path = { externalAccountId };
  const method = { method: "bank_check" };
  await program.call("POST /external-accounts/{externalAccountId}/verification", { path, body: method });
  const match = { outcome: "match", name: "Ada Lovelace" };
  await program.call("POST /external-accounts/{externalAccountId}/check", { path, body: match });
  return externalAccountId;
}

const payout: Preparation = async (program) => ({
  body: {
    walletId: await givenWallet(program, 5_000),
    externalAccountId: await verified(program),
    amount: 2_500,
    reference: "INVOICE-7",
  },
});

type Call = GivenProgram["call"];

async function made(program: GivenProgram, by: Call = program.call) {
  const { body } = await by("POST /payouts", await payout(program));
  return { path: { payoutId: body.data.payoutId as string } };
}

/** One that awaits its approval. The settings are as before then. */
const awaiting =
  (choose: (program: GivenProgram) => Call): Preparation =>
  async (program) => {
    const { programId } = program;
    const set = (payouts: object) =>
      program.call("PUT /account/programs/{programId}/settings", { path: { programId }, body: { payouts } });
    await set({ approvalAbove: 1_000 });
    const request = await made(program, choose(program));
    await set({});
    return request;
  };

const awaitingOwn = awaiting(({ call }) => call);
const awaitingAnother = awaiting(({ callAsAnother }) => callAsAnother);

/** The request again, which the state does not permit by then. */
const again =
  (route: Parameters<Call>[0], first: Preparation): Preparation =>
  async (program) => {
    const request = await first(program);
    await program.call(route, request);
    return request;
  };

const completed: Preparation = async (program) => ({
  ...(await made(program)),
  body: { status: "completed" },
});

export const payoutCases: readonly EndpointCases[] = [
  {
    route: "POST /payouts",
    success: payout,
    refusals: {
      NOT_FOUND: async (program) => {
        const { body } = await payout(program);
        return { body: { ...(body as object), walletId: unknownId("wlt") } };
      },
      EXTERNAL_ACCOUNT_NOT_VERIFIED: async (program) => {
        const { body } = await payout(program);
        const account = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
        const added = (await program.call("POST /external-accounts", { body: account })).body.data;
        return { body: { ...(body as object), externalAccountId: added.externalAccountId } };
      },
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /payouts", payout),
      VALIDATION_FAILED: async (program) => {
        const { body } = await payout(program);
        return { body: { ...(body as object), amount: 0 } };
      },
    },
  },
  {
    route: "GET /payouts",
    success: async (program) => {
      await made(program);
      return { query: { status: "pending" } };
    },
  },
  { route: "GET /payouts/{payoutId}", success: (program) => made(program) },
  { route: "GET /payouts/{payoutId}/events", success: (program) => made(program) },
  {
    route: "POST /payouts/{payoutId}/cancel",
    success: (program) => made(program),
    refusals: { ILLEGAL_TRANSITION: again("POST /payouts/{payoutId}/cancel", (program) => made(program)) },
  },
  {
    route: "POST /payouts/{payoutId}/approve",
    success: awaitingAnother,
    refusals: {
      ILLEGAL_TRANSITION: again("POST /payouts/{payoutId}/approve", awaitingAnother),
      SECOND_PERSON: awaitingOwn,
      EXTERNAL_ACCOUNT_NOT_VERIFIED: async (program) => {
        const request = await awaitingAnother(program);
        const { path = {} } = request;
        const { externalAccountId } = (await program.call("GET /payouts/{payoutId}", { path })).body.data;
        await program.call("DELETE /external-accounts/{externalAccountId}", { path: { externalAccountId } });
        return request;
      },
    },
  },
  {
    route: "POST /payouts/{payoutId}/decline",
    success: awaitingOwn,
    refusals: { ILLEGAL_TRANSITION: again("POST /payouts/{payoutId}/decline", awaitingOwn) },
  },
  { route: "POST /payment-files", success: async () => ({}) },
  {
    route: "POST /payouts/{payoutId}/outcome",
    success: completed,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const { path } = await made(program);
        await program.call("POST /payouts/{payoutId}/cancel", { path });
        return { path, body: { status: "completed" } };
      },
      VALIDATION_FAILED: async (program) => ({
        ...(await made(program)),
        body: { status: "returned", amount: 2_501 },
      }),
    },
  },
];
