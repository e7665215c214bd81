import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { money, type Narrator } from "./narrator.ts";

/** Money comes from a bank into a new Wallet. */
export async function fundWallet(client: Client, tell: Narrator, cardId: string): Promise<string> {
  const { data: created } = await unwrap(client.POST("/wallets", { body: { name: "Demo" } }));
  const { walletId, creditorReference } = created;
  const params = { path: { walletId } };
  tell.follow(
    {
      name: "Wallet",
      read: async () => (await unwrap(client.GET("/wallets/{walletId}", { params }))).data,
    },
    {
      name: "Card",
      read: async () =>
        (await unwrap(client.GET("/cards/{cardId}/balance", { params: { path: { cardId } } }))).data,
    },
  );
  const { data } = await unwrap(
    client.POST("/wallets/{walletId}/bank-deposit", { params, body: { amount: 50_000, reference: "Demo" } }),
  );
  tell.step(
    `${money(50_000).trim()} come into a new Wallet from a bank`,
    `${data.depositId}, cleared at once; payers would write ${creditorReference}`,
  );
  await tell.balances();
  return walletId;
}

/** Transfers to the Card: approved, repeated, declined, partial. */
export async function transfer(
  client: Client,
  tell: Narrator,
  sourceWalletId: string,
  destinationId: string,
): Promise<void> {
  const order = { sourceWalletId, destinationType: 1, destinationId } as const;
  const header = { "Idempotency-Key": `demo-${destinationId}` };
  const once = { params: { header }, body: { ...order, amount: 20_000 } };
  const { data: first } = await unwrap(client.POST("/wallets/transfer", once));
  tell.step("200.00 USD go from the Wallet to the Card", outcome(first));
  await tell.balances();

  const { data: again } = await unwrap(client.POST("/wallets/transfer", once));
  tell.step(
    "The same request with the same Idempotency-Key moves nothing more",
    again.transferId === first.transferId ? "the first answer again" : "another transfer!",
  );
  await tell.balances();

  const tooMuch = { ...order, amount: 90_000 };
  const { data: declined } = await unwrap(client.POST("/wallets/transfer", { body: tooMuch }));
  tell.step("900.00 USD are more than there is: declined", outcome(declined));
  await tell.balances();

  const partly = { ...tooMuch, allowPartial: true };
  const { data: partial } = await unwrap(client.POST("/wallets/transfer", { body: partly }));
  tell.step("The same, but a part will do", outcome(partial));
  await tell.balances();
}

interface Transferred {
  readonly transferId: string;
  readonly transStatus: number;
  /** Absent from the type of a declined one. */
  readonly transferredAmount?: number;
  readonly declineReason?: string | undefined;
}

function outcome({ transferId, transStatus, transferredAmount = 0, declineReason }: Transferred): string {
  const names = ["Pending", "Approved", "Declined", "Partial", "Error"];
  const reason = declineReason ? ` (${declineReason})` : "";
  return `${transferId}, ${names[transStatus]}${reason}: ${money(transferredAmount).trim()} moved`;
}

/** A deposit on the Card is pending, and clears. */
export async function receiveDigitalAssets(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const { data } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/deposits", {
      params: { path: { cardId } },
      body: { amount: 7_500, chain: "bitcoin", asset: "BTC" },
    }),
  );
  const { depositId } = data;
  tell.step("Digital assets worth 75.00 USD arrive on the Card, not yet confirmed", `${depositId}, pending`);
  await tell.balances();
  const params = { path: { depositId } };
  await unwrap(client.POST("/sandbox/deposits/{depositId}/clear", { params }));
  tell.step("The deposit clears");
  await tell.balances();
}

/** A purchase is held and settles, and a fee is charged. */
/** Returns the settled purchase. */
export async function pay(client: Client, tell: Narrator, cardId: string): Promise<string> {
  const params = { path: { cardId } };
  const purchase = { amount: 3_000, merchantName: "Corner Shop", mcc: "5411" };
  const { data: authorized } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/authorizations", { params, body: purchase }),
  );
  const { authorizationId } = authorized;
  tell.step("A shop asks for 30.00 USD: approved, and held", authorizationId);
  await tell.balances();
  const { data: cleared } = await unwrap(
    client.POST("/sandbox/authorizations/{authorizationId}/clear", {
      params: { path: { authorizationId } },
      body: { amount: 3_150 },
    }),
  );
  tell.step("It settles for 31.50 USD: the hold goes, the money too", cleared.transId);
  await tell.balances();
  const { data: charged } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/fees", { params, body: { feeType: 2, amount: 100 } }),
  );
  tell.step("A maintenance fee of 1.00 USD is charged", charged.feeId);
  await tell.balances();
  return cleared.transId;
}
