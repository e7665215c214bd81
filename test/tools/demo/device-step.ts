import { createRevealKey, encryptPin } from "../../../client/device.ts";
import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Narrator } from "./narrator.ts";

/** The Cardholder's device reads the Card's number and sets a PIN; the Program sees neither. */
export async function useDevice(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const params = { path: { cardId } };
  const { publicKey, open } = await createRevealKey();
  const { data: answer } = await unwrap(
    client.POST("/cards/{cardId}/reveal", { params, body: { publicKey } }),
  );
  const { cardNumber, expiryMonth, expiryYear } = await open(answer.jwe);
  tell.step(
    "The Card is revealed to the Cardholder's device, which alone can decrypt it",
    `${cardNumber.slice(0, 6)}******${cardNumber.slice(-4)} ${expiryMonth}/${expiryYear}, code ***, until ${answer.expiresAt}`,
  );
  const { data: vault } = await unwrap(client.GET("/vault/key"));
  const jwe = await encryptPin(vault.jwk, "8271", cardId);
  const { data: set } = await unwrap(client.PUT("/cards/{cardId}/pin", { params, body: { jwe } }));
  tell.step("The device sets a PIN, encrypted for the vault", `${set.transId}, type 74`);
}
