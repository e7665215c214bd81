import { unwrap } from "../../../client/src/card-issuing.ts";
import { CannotRun } from "../../command-line/options.ts";
import { sayStep } from "../../command-line/print.ts";
import { withPasscode } from "./passcode.ts";
import { authorize, type Stage } from "./steps.ts";

/** An app adds the Card to a phone's wallet, which pays with its token until it is deleted. */
export async function tokenStory(stage: Stage): Promise<void> {
  const { client } = stage;
  const tokenId = await provision(stage);
  await authorize(stage, 1_250, tokenId);
  const params = { path: { tokenId } };
  await unwrap(client.POST("/tokens/{tokenId}/suspend", { params, body: { reason: "Phone lost" } }));
  sayStep("the token is suspended");
  await authorize(stage, 1_250, tokenId);
  const event = { params, body: { event: "delete" } } as const;
  await unwrap(client.POST("/sandbox/tokens/{tokenId}/wallet-event", event));
  sayStep("the wallet deletes it");
}

/** @throws CannotRun where the Program's rules decline it */
async function provision(stage: Stage): Promise<string> {
  const { client, cardId } = stage;
  const { data: wallet } = await unwrap(client.GET("/sandbox/wallets/certificates"));
  const pushed = { params: { path: { cardId } }, body: { wallet: "apple_pay", ...wallet } } as const;
  const { data: payload } = await unwrap(client.POST("/cards/{cardId}/push-provisioning", pushed));
  sayStep("an app gets the Card, encrypted for a phone's wallet");
  let tokenId = "";
  await withPasscode(stage, async (readCode) => {
    const body = { payload, device: { type: "phone" } } as const;
    const { data } = await unwrap(client.POST("/sandbox/wallets/provision", { body }));
    ({ tokenId } = data);
    sayStep(`the wallet asks for a token: ${data.outcome}: ${tokenId}`);
    if (data.outcome === "declined")
      throw new CannotRun(
        `The story ends here: ${data.declineReason}. /token-rules has the Program's rules.`,
      );
    if (data.outcome === "approved") return;
    const typed = { params: { path: { tokenId } }, body: { code: await readCode() } };
    await unwrap(client.POST("/sandbox/tokens/{tokenId}/passcode", typed));
    sayStep("the Cardholder types in the passcode: the token is active");
  });
  return tokenId;
}
