import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

/** A one-time passcode: challenge, callback if there is a receiver, retrieval, use. */
export async function authenticate(
  client: Client,
  tell: Narrator,
  cardId: string,
  receiver: DemoReceiver | undefined,
): Promise<void> {
  const path = `/passcodes/${cardId}`;
  const subscription = { cardId, ...(receiver && { webhookUrl: receiver.origin + path }) };
  const { data: subscribed } = await unwrap(client.POST("/otp/listeners", { body: subscription }));
  const { token, secret } = subscribed;
  await using cleaning = cleanUp();
  cleaning.defer(() => unwrap(client.DELETE("/otp/{token}", { params: { path: { token } } })));
  const look = async () => (await unwrap(client.GET("/otp/{token}", { params: { path: { token } } }))).data;
  tell.step("The Card's one-time passcodes are subscribed to", `status ${(await look()).status}`);

  const params = { path: { cardId } };
  const purchase = { params, body: { amount: 9_900 } };
  const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/three-ds-challenges", purchase));
  const { challengeId } = data;
  if (receiver && secret !== undefined) {
    const { notification } = receiver.verified(await receiver.next(path), secret);
    tell.step(
      "A web shop asks for one, and the callback comes in: which Card, and never the code",
      JSON.stringify(notification),
    );
  } else tell.step("A web shop asks for one", challengeId);

  const { status, code, expiresAt } = await look();
  tell.step("The code is fetched", `status ${status}, code ${code}, until ${expiresAt}`);
  await unwrap(
    client.POST("/sandbox/three-ds-challenges/{challengeId}/complete", {
      params: { path: { challengeId } },
      body: { code: String(code) },
    }),
  );
  tell.step("The Cardholder types it in", `status ${(await look()).status}`);
}
