import type { Connection } from "../../../infra/development/connection.ts";
import { issueCards } from "../prove/cards.ts";
import { Client } from "../prove/client.ts";

/** Controls of every kind, which have counted: a Program's, a Cardholder's and a Card's. */
export async function useControls(connection: Connection): Promise<void> {
  const client = new Client(connection);
  const { cardIds } = await issueCards(client, 2, 1_000_000);
  const { cardholderId } = (await client.call(`GET /cards/${cardIds[0]}`)).body.data;
  const control = async (body: object) =>
    (await client.call("POST /controls", body)).body.data.controlId as string;
  await control({ name: "A month", velocity: { amount: 90_000_000, window: "month" } });
  await control({ name: "Some days", cardholderId, velocity: { count: 500, window: "P30D" } });
  await control({ name: "Groceries", cardId: cardIds[0], merchants: { mcc: { allow: ["5411"] } } });
  await control({ name: "Once", cardId: cardIds[1], singleUse: true, state: "draft" });
  for (const cardId of cardIds) {
    for (const amount of [1_200, 3_400]) {
      const body = { amount, merchantName: "Corner Shop", mcc: "5411" };
      const path = `POST /sandbox/cards/${cardId}/authorizations`;
      const { authorizationId } = (await client.call(path, body)).body.data;
      if (amount > 2_000) await client.call(`POST /sandbox/authorizations/${authorizationId}/clear`, {});
    }
  }
  await client.close();
}
