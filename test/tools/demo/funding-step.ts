import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { money, type Narrator } from "./narrator.ts";

/** Cards that spend from one Wallet, up to a limit, and a Card that is topped up from it. */
export async function spendFromWallet(client: Client, tell: Narrator, cardholderId: string): Promise<void> {
  const { data: made } = await unwrap(client.POST("/wallets", { body: { name: "Travel" } }));
  const { walletId } = made;
  const wallet = { params: { path: { walletId } } };
  await unwrap(
    client.POST("/sandbox/wallets/{walletId}/deposits", {
      ...wallet,
      body: { amount: 10_000, pending: false },
    }),
  );
  const body = { cardholderId, cardForm: 0, cardType: 0 } as const;
  const spendLimit = { amount: 3_000, window: "day" } as const;
  const limited = { ...body, fundingWalletId: walletId, spendLimit };
  const { data: card } = await unwrap(client.POST("/cards", { body: limited }));
  const path = { cardId: card.cardId };
  tell.step(
    `A Card spends from the Wallet "${made.name}", at most ${money(spendLimit.amount).trim()} a day`,
    `${card.cardId} has no balance of its own`,
  );
  const buy = (amount: number) =>
    unwrap(
      client.POST("/sandbox/cards/{cardId}/authorizations", {
        params: { path },
        body: { amount, merchantName: "Railway" },
      }),
    );
  await buy(2_500);
  const { data: declined } = await buy(1_000);
  const { data: funding } = await unwrap(client.GET("/cards/{cardId}/funding", { params: { path } }));
  const { data: left } = await unwrap(client.GET("/wallets/{walletId}", wallet));
  tell.step(
    "It pays a train, and a second one is too much",
    `${declined.declineReason}: ${money(funding.remaining ?? 0).trim()} of the limit are left`,
    `the Wallet holds ${money(left.ledgerBalance - left.availableBalance).trim()}`,
  );
  await topUp(client, tell, walletId, body);
}

async function topUp(
  client: Client,
  tell: Narrator,
  walletId: string,
  body: { readonly cardholderId: string; readonly cardForm: 0; readonly cardType: 0 },
): Promise<void> {
  const load = { walletId, amount: 1_500 };
  const { data: card } = await unwrap(client.POST("/cards", { body: { ...body, load } }));
  const params = { path: { cardId: card.cardId } };
  const rule = { walletId, threshold: 1_000, amount: 2_000, active: true };
  await unwrap(client.PUT("/cards/{cardId}/top-up", { params, body: rule }));
  await unwrap(
    client.POST("/sandbox/cards/{cardId}/authorizations", {
      params,
      body: { amount: 1_200, merchantName: "Railway" },
    }),
  );
  let availableMinor = 0;
  for (let tries = 0; tries < 40 && availableMinor < rule.threshold; tries += 1) {
    await pause(250);
    const { data } = await unwrap(client.GET("/cards/{cardId}/balance", { params }));
    availableMinor = data.availableBalance;
  }
  if (availableMinor < rule.threshold) throw new Error("The Card was not topped up within ten seconds.");
  tell.step(
    `Another Card has money of its own, and is topped up below ${money(rule.threshold).trim()}`,
    `after a purchase, ${money(rule.amount).trim()} come by themselves: available ${money(availableMinor).trim()}`,
  );
}
