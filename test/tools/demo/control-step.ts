import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { money, type Narrator } from "./narrator.ts";

/** A control allows a day's groceries, declines what exceeds it, and gets back what is reversed. */
export async function controlSpending(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const { data: control } = await unwrap(
    client.POST("/controls", {
      body: {
        name: "Groceries for 40.00 a day",
        cardId,
        velocity: { amount: 4_000, window: "day" },
        merchants: { mcc: { allow: ["5411"] } },
      },
    }),
  );
  const { controlId } = control;
  const params = { path: { controlId } };
  await using cleaning = cleanUp();
  cleaning.defer(() => unwrap(client.DELETE("/controls/{controlId}", { params })));
  const usage = async () => {
    const { data } = await unwrap(client.GET("/controls/{controlId}/usage", { params }));
    return `${money(data.used.amount).trim()} of ${money(data.limit.amount ?? 0).trim()} used`;
  };
  const authorize = async (amount: number, mcc: string) => {
    const purchase = { params: { path: { cardId } }, body: { amount, merchantName: "Corner Shop", mcc } };
    return (await unwrap(client.POST("/sandbox/cards/{cardId}/authorizations", purchase))).data;
  };
  tell.step("The Card may spend 40.00 USD a day, on groceries only", controlId);
  const { authorizationId } = await authorize(3_500, "5411");
  tell.step("Groceries for 35.00 USD: approved", await usage());
  await tell.balances();
  const { declineReason } = await authorize(600, "5411");
  tell.step("Another 6.00 USD: declined", `${declineReason}, ${await usage()}`);
  const fuel = await authorize(100, "5541");
  tell.step("Fuel for 1.00 USD: declined", `${fuel.declineReason}, ${await usage()}`);
  await unwrap(
    client.POST("/sandbox/authorizations/{authorizationId}/reverse", {
      params: { path: { authorizationId } },
      body: {},
    }),
  );
  tell.step("The shop reverses: the hold goes, and does not count any more", await usage());
  await tell.balances();
}
