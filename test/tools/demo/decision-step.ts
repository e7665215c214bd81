import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { money, type Narrator } from "./narrator.ts";
import type { DemoReceiver } from "./receiver.ts";

/** The Program's own server approves, declines and falls silent: then the stand-in decides. */
export async function decideAuthorizations(
  client: Client,
  tell: Narrator,
  cardId: string,
  receiver: DemoReceiver,
): Promise<void> {
  const path = `/decisions/${cardId}`;
  const standIn = { timeout: { approveUpTo: 500 } };
  const body = { url: receiver.origin + path, deadlineMs: 500, standIn };
  await using cleaning = cleanUp();
  const { data: registered } = await unwrap(client.PUT("/authorization-endpoint", { body }));
  cleaning.defer(() => unwrap(client.DELETE("/authorization-endpoint")));
  const secret = registered.secret ?? (await rotateSecret());
  tell.step("The Program's own server decides on authorizations from now on", body.url);
  await authorize("It approves", 300, { decision: "approve" });
  await authorize("It declines", 300, { decision: "decline", reason: "Not on Mondays" });
  await authorize("It is silent: the stand-in approves up to 5.00 USD", 400, undefined);
  await authorize("and declines more", 600, undefined);
  await tell.balances();

  /** A demo that was killed has left its endpoint. */
  async function rotateSecret() {
    return (await unwrap(client.POST("/authorization-endpoint/rotate-secret"))).data.secret;
  }

  async function authorize(title: string, amount: number, answer: object | undefined) {
    receiver.decide(path, secret, () => answer);
    const purchase = { params: { path: { cardId } }, body: { amount, merchantName: "Kiosk" } };
    const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", purchase));
    const { authorizationId } = data;
    const { data: decision } = await unwrap(
      client.GET("/authorizations/{authorizationId}/decision", { params: { path: { authorizationId } } }),
    );
    const { outcome, decidedBy, reason, receivedAt, decidedAt } = decision;
    const tookMs = Date.parse(decidedAt) - Date.parse(receivedAt);
    const why = reason === undefined ? "" : ` (${reason})`;
    tell.step(title, `${money(amount).trim()}: ${outcome} by ${decidedBy}${why} after ${tookMs} ms`);
  }
}
