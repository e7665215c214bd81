import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Narrator } from "./narrator.ts";

/** A phone gets a token, a purchase is authenticated, and the Card is lost: it goes on as one. */
export async function loseCard(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const params = { path: { cardId } };
  const tokenId = await addToWallet(client, tell, cardId);
  const authenticationId = await authenticateInApp(client, tell, cardId);
  const { data: before } = await unwrap(client.GET("/cards/{cardId}", { params }));
  const buy = async (more: { tokenId?: string; authenticationId?: string; plasticId?: string }) => {
    const body = { amount: 100, merchantName: "Web Shop", entryMode: "ecommerce", ...more } as const;
    return (await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", { params, body }))).data;
  };
  const held = await buy({ authenticationId });
  tell.step("The purchase names its authentication", outcome(held));

  const { data: made } = await unwrap(
    client.POST("/cards/{cardId}/replace", { params, body: { reason: "lost" } }),
  );
  tell.step(
    "The Card is lost: another number replaces it at once",
    `${made.maskedCardNumber}, ${made.state}`,
  );
  tell.step("The old number is stopped", outcome(await buy({ plasticId: String(before.plasticId) })));
  tell.step("The phone's token goes on", outcome(await buy({ tokenId })));
  if (held.approved) {
    const path = { authorizationId: held.authorizationId };
    await unwrap(
      client.POST("/sandbox/authorizations/{authorizationId}/clear", { params: { path }, body: {} }),
    );
    tell.step("What was held on the old number is settled", held.authorizationId);
  }
  const { items } = await unwrap(client.GET("/account-updates", { params: { query: { cardId } } }));
  tell.step(
    "Merchants that keep the number can be told, without the number",
    ...items.map(({ kind, oldNumberHash }) => `${kind} of ${oldNumberHash.slice(0, 12)}…`),
  );
}

function outcome({ approved, declineReason }: { approved: boolean; declineReason?: string | undefined }) {
  return approved ? "approved" : `declined: ${declineReason}`;
}

async function addToWallet(client: Client, tell: Narrator, cardId: string): Promise<string> {
  const body = { wallet: "apple_pay", device: { type: "phone" } } as const;
  const { data } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/token-requests", { params: { path: { cardId } }, body }),
  );
  const { tokenId, state } = data;
  tell.step("A phone asks for a token of the Card", `${tokenId}, ${state}`);
  const { data: verified } = await unwrap(
    client.POST("/tokens/{tokenId}/verify", { params: { path: { tokenId } }, body: { outcome: "approved" } }),
  );
  tell.step("The Cardholder agrees in the Tenant's app", verified.state);
  return tokenId;
}

async function authenticateInApp(client: Client, tell: Narrator, cardId: string): Promise<string> {
  const body = { amount: 100, merchantName: "Web Shop" };
  const { data } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/authentications", { params: { path: { cardId } }, body }),
  );
  const { authenticationId, state, challenge } = data;
  tell.step("A web shop asks for 3-D Secure", `${authenticationId}, ${state} in the ${challenge?.method}`);
  const { data: decided } = await unwrap(
    client.POST("/authentications/{authenticationId}/outcome", {
      params: { path: { authenticationId } },
      body: { outcome: "approved" },
    }),
  );
  tell.step("The Cardholder approves it in the app", `${decided.state}, ECI ${decided.eci}`);
  return authenticationId;
}
