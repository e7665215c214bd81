import type { Client } from "./client.ts";
import type { Narrator } from "./narrator.ts";

/** A Cardholder passes the compliance review. */
export async function approveCardholder(client: Client, tell: Narrator): Promise<string> {
  const created = await client.call("POST /cardholders", {
    firstName: "Ada",
    lastName: "Lovelace",
    dateOfBirth: "1990-12-10",
    gender: 1,
    email: "ada@example.com",
    phone: "+442079460000",
    address: { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
  });
  const { cardholderId, status } = created.body.data;
  tell.step("A Cardholder is created", `${cardholderId}, status ${status} Draft`);
  const submitted = await client.call(`POST /cardholders/${cardholderId}/submit`);
  tell.step(
    "and submitted for compliance review",
    `status ${submitted.body.data.status} Under Review, to be continued at ${submitted.body.data.kycUrl}`,
  );
  const decided = await client.call(`POST /sandbox/cardholders/${cardholderId}/kyc-outcome`, { status: 1 });
  tell.step("The compliance provider approves", `status ${decided.body.data.status} Approved`);
  return cardholderId;
}

/** A virtual Card is issued to the Cardholder. */
export async function issueCard(client: Client, tell: Narrator, cardholderId: string): Promise<string> {
  const { body } = await client.call("POST /cards", { cardholderId, cardForm: 0, cardType: 0 });
  const { cardId, maskedCardNumber, issuerCardStatus, cryptoAddresses } = body.data;
  tell.step(
    "A virtual Card is issued",
    `${cardId}, ${maskedCardNumber}, status ${issuerCardStatus} Active, deposit addresses:`,
    ...cryptoAddresses.map(({ chain, address }: Record<string, string>) => `${chain?.padEnd(8)} ${address}`),
  );
  return cardId;
}
