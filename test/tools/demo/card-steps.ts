import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { person } from "../../harness/person.ts";
import type { Narrator } from "./narrator.ts";

/** A Cardholder passes the compliance review. */
export async function approveCardholder(client: Client, tell: Narrator): Promise<string> {
  const { data: created } = await unwrap(client.POST("/cardholders", { body: person }));
  const { cardholderId } = created;
  tell.step("A Cardholder is created", `${cardholderId}, status ${created.status} Draft`);
  const params = { path: { cardholderId } };
  const { data: submitted } = await unwrap(client.POST("/cardholders/{cardholderId}/submit", { params }));
  tell.step(
    "and submitted for compliance review",
    `status ${submitted.status} Under Review, to be continued at ${submitted.kycUrl}`,
  );
  const outcome = new URLSearchParams({ outcome: "approved" });
  const { status } = await fetch(submitted.kycUrl ?? "", { method: "POST", body: outcome });
  const { data: decided } = await unwrap(client.GET("/cardholders/{cardholderId}", { params }));
  tell.step(
    "The compliance provider of this machine approves on its page",
    `it answers ${status}; status ${decided.status} Approved`,
  );
  return cardholderId;
}

/** A virtual Card is issued to the Cardholder. */
export async function issueCard(client: Client, tell: Narrator, cardholderId: string): Promise<string> {
  const body = { cardholderId, cardForm: 0, cardType: 0 } as const;
  const { data } = await unwrap(client.POST("/cards", { body }));
  const { cardId, maskedCardNumber, issuerCardStatus, cryptoAddresses } = data;
  tell.step(
    "A virtual Card is issued",
    `${cardId}, ${maskedCardNumber}, status ${issuerCardStatus} Active, deposit addresses:`,
    ...cryptoAddresses.map(({ chain, address }) => `${chain.padEnd(8)} ${address}`),
  );
  return cardId;
}
