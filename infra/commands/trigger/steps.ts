import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { CannotRun } from "../../command-line/options.ts";
import { sayStep } from "../../command-line/print.ts";

export interface Stage {
  readonly client: Client;
  readonly cardId: string;
}

export type Story = (stage: Stage) => Promise<void>;

/** Returns the id of the settled transaction. */
export async function purchase(stage: Stage, amount: number): Promise<string> {
  const authorizationId = await hold(stage, amount);
  const params = { path: { authorizationId } };
  const body = { referenceCode: `trigger${Date.now()}` };
  const { data } = await unwrap(
    stage.client.POST("/sandbox/authorizations/{authorizationId}/clear", { params, body }),
  );
  sayStep(`the shop clears it: ${data.transId}`);
  return data.transId;
}

/** @throws CannotRun if it is declined, as where the Card lacks the money or your server says so */
export async function hold(stage: Stage, amount: number): Promise<string> {
  const { approved, authorizationId } = await authorize(stage, amount);
  if (approved) return authorizationId;
  throw new CannotRun(
    "The story ends here: it needs a Card that may spend. Without --card, it takes a new one.",
  );
}

/** With the Card's number, or a token of it. */
export async function authorize({ client, cardId }: Stage, amount: number, tokenId?: string) {
  const params = { path: { cardId } };
  const body = { amount, merchantName: "Corner Shop", mcc: "5411", ...(tokenId && { tokenId }) };
  const { data } = await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", { params, body }));
  const outcome = data.approved ? "approved, and held" : `declined (${data.declineReason})`;
  sayStep(`a shop asks for ${(amount / 100).toFixed(2)}: ${outcome}: ${data.authorizationId}`);
  return data;
}
