import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  shippingAddress,
} from "../../harness/given-cards.ts";

type View = Record<string, unknown> & { plasticId: string; state: string; maskedCardNumber: string };

/** A Card with 100.00, of which 7.00 are held. */
export async function givenHeld(program: GivenProgram, cardForm: 0 | 1, details: object = {}) {
  const cardholderId = await givenApprovedCardholder(program);
  const physical = cardForm === 1 && { shippingAddress };
  const { cardId } = await givenCard(program, { cardholderId, cardForm, ...physical, ...details });
  const path = { cardId: String(cardId) };
  const view = async () => (await program.call("GET /cards/{cardId}", { path })).body.data;
  const activate = ({ maskedCardNumber, expiryMonth, expiryYear }: Record<string, unknown>) => {
    const body = { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear };
    return program.call("POST /cards/{cardId}/activate", { path, body });
  };
  if (cardForm === 1) await activate(await view());
  const sandbox = (what: string, body: object) =>
    program.call(`POST /cards/{cardId}/${what}` as never, { api: "sandbox", path, body } as never);
  await sandbox("refunds", { amount: 10_000 });
  const { authorizationId } = (await sandbox("authorizations", { amount: 700 })).body.data;
  const buy = async (body: object = {}) =>
    (await sandbox("authorizations", { amount: 100, ...body })).body.data;
  return {
    ...{ path, view, activate, sandbox, buy },
    close: (body: object = {}) => program.call("POST /cards/{cardId}/close", { path, body }),
    replace: (reason: string, key: string) =>
      program.call("POST /cards/{cardId}/replace", {
        ...{ path, body: { reason }, headers: { "Idempotency-Key": key } },
      }),
    renew: (key: string) =>
      program.call("POST /cards/{cardId}/renew", { path, body: {}, headers: { "Idempotency-Key": key } }),
    plastics: async (): Promise<View[]> =>
      (await program.call("GET /cards/{cardId}/plastics", { path })).body.items,
    updates: async (): Promise<{ kind: string }[]> =>
      (await program.call("GET /account-updates", { query: path })).body.items,
    balances: async () => {
      const { data } = (await program.call("GET /cards/{cardId}/balance", { path })).body;
      return [data.availableBalance, data.ledgerBalance];
    },
    clear: () =>
      program.call("POST /authorizations/{authorizationId}/clear", {
        ...{ path: { authorizationId }, body: {} },
      }),
  };
}

export type Held = Awaited<ReturnType<typeof givenHeld>>;
