import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import { money, type Narrator } from "./narrator.ts";

/** What the network says of today, and what the report makes of it. */
export async function settle(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const params = { path: { cardId } };
  const purchase = { amount: 2_500, merchantName: "Corner Shop", interchange: 15 };
  const { data: posted } = await unwrap(
    client.POST("/sandbox/cards/{cardId}/force-post", { params, body: purchase }),
  );
  const date = await today(client);
  const common = { type: "DR", currency: "840" } as const;
  await unwrap(
    client.POST("/sandbox/settlements/{date}/file", {
      params: { path: { date } },
      body: {
        fileId: `demo-${posted.transId}`,
        transactions: [
          { ...common, referenceCode: posted.transId, amount: 2_400, interchange: 15 },
          { ...common, referenceCode: `unknown-${posted.transId}`, amount: 990 },
        ],
      },
    }),
  );
  const report = await unwrap(client.GET("/settlements/{date}", { params: { path: { date } } }));
  if (typeof report === "string") throw new Error("The report is a page.");
  const { gross, interchange, net, reconciliation } = report.data;
  tell.step(
    "The network says what it has settled today, and errs twice: the report names both",
    `gross ${money(gross).trim()} less interchange ${money(interchange).trim()} is ${money(net).trim()}`,
    ...reconciliation.differing.map(
      ({ stated, ledger }) => `it states ${money(stated.amount).trim()} of ${money(ledger.amount).trim()}`,
    ),
    ...reconciliation.missing
      .filter(({ side }) => side === "ledger")
      .map(({ referenceCode }) => `never posted: ${referenceCode}`),
  );
}

/** By the platform's clock: the newest transaction is of today. */
async function today(client: Client): Promise<string> {
  const params = { query: { limit: 1, orderBy: "transDate", sort: "desc" } } as const;
  const { items } = await unwrap(client.GET("/cards/transactions", { params }));
  return String(items.find(({ isAggregate }) => !isAggregate)?.dateCreated ?? items[0]?.dateCreated).slice(
    0,
    10,
  );
}
