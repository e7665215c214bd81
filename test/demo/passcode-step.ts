import type { Client } from "./client.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

/** A one-time passcode: asked for, told of by a callback where there is a receiver, fetched, used. */
export async function authenticate(
  client: Client,
  tell: Narrator,
  cardId: string,
  receiver: DemoReceiver | undefined,
): Promise<void> {
  const path = `/passcodes/${cardId}`;
  const subscription = { cardId, ...(receiver && { webhookUrl: receiver.origin + path }) };
  const { token, secret } = (await client.call("POST /otp/listeners", subscription)).body.data;
  const before = await client.call(`GET /otp/${token}`);
  tell.step("The Card's one-time passcodes are subscribed to", `status ${before.body.data.status}`);

  const challenge = await client.call(`POST /sandbox/cards/${cardId}/three-ds-challenges`, { amount: 9_900 });
  const { challengeId } = challenge.body.data;
  if (receiver) {
    const callback = receiver.verified(await receiver.next(path), secret);
    tell.step(
      "A web shop asks for one, and the callback comes in: which Card, and never the code",
      JSON.stringify(callback),
    );
  } else tell.step("A web shop asks for one", challengeId);

  const { status, code, expiresAt } = (await client.call(`GET /otp/${token}`)).body.data;
  tell.step("The code is fetched", `status ${status}, code ${code}, until ${expiresAt}`);
  await client.call(`POST /sandbox/three-ds-challenges/${challengeId}/complete`, { code });
  const used = await client.call(`GET /otp/${token}`);
  tell.step("The Cardholder types it in", `status ${used.body.data.status}`);
  await client.call(`DELETE /otp/${token}`);
}
