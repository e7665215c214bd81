import { compactDecrypt, exportJWK, generateKeyPair } from "jose";
import { unwrap } from "../../../client/src/card-issuing.ts";
import type { Connection } from "../../../infra/development/connection.ts";
import { operateOn } from "../../harness/given-live-program.ts";
import type { Caller } from "./caller.ts";
import type { Narrator } from "./narrator.ts";

interface Batch {
  readonly cards: readonly { readonly cardNumber: string; readonly nameOnCard: string }[];
}

const shippingAddress = {
  line1: "12 St James's Square",
  city: "London",
  postalCode: "SW1Y 4JH",
  country: "GB",
};

/** A physical Card is issued, embossed by a bureau that the demo plays, and shipped. */
export async function produceCard(
  { program: client, programId }: Caller,
  tell: Narrator,
  connection: Connection,
  cardholderId: string,
): Promise<void> {
  const body = { cardholderId, cardForm: 1, cardType: 0, shippingAddress } as const;
  const { data: card } = await unwrap(client.POST("/cards", { body }));
  tell.step(
    "A physical Card is issued, and production.requested is in the queue for others",
    `${card.cardId}, ${card.maskedCardNumber}, status ${card.issuerCardStatus} Not Activated, shipping ${card.shipping?.status}`,
  );
  const { publicKey, privateKey } = await generateKeyPair("ECDH-ES", { crv: "P-256" });
  const key = await exportJWK(publicKey);
  const { batchId, jwe = "" } = await operateOn(connection, "export-production", {
    programId,
    publicKey: key,
  });
  const { plaintext } = await compactDecrypt(jwe, privateKey);
  const { cards }: Batch = JSON.parse(new TextDecoder().decode(plaintext));
  const embossed = cards.map(
    ({ cardNumber, nameOnCard }) => `${nameOnCard}, number ending in ${cardNumber.slice(-4)}`,
  );
  tell.step("A bureau gets it in a batch that only its key opens", `${batchId}`, ...embossed);
  const params = { path: { cardId: card.cardId } };
  const shipped = { status: "shipped", trackingNumber: "00340434161094042557", carrier: "DHL" } as const;
  const { data: sent } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/shipping", { params, body: shipped }),
  );
  tell.step(
    "and ships it",
    `shipping ${sent.shipping?.status}, ${sent.shipping?.carrier} ${sent.shipping?.trackingNumber}`,
  );
}
