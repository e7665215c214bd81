import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Narrator } from "./narrator.ts";

/** What else can be seen: a Card on hold, lists, what is deprecated. */
export async function look(client: Client, tell: Narrator, cardId: string, walletId: string): Promise<void> {
  const params = { path: { cardId } };
  await unwrap(client.PUT("/cards/{cardId}/status", { params, body: { status: 2 } }));
  const { data } = await unwrap(client.GET("/cards/{cardId}/status", { params }));
  tell.step("The Card is put on hold", `status ${data.status} On Hold`);

  const ofCard = { query: { cardId, limit: 200 } } as const;
  const { items, total } = await unwrap(client.GET("/authorizations", { params: ofCard }));
  const cleared = items.filter(({ status }) => status === "cleared").length;
  const [declined] = items.flatMap(({ declineMessage }) => declineMessage ?? []);
  tell.step(
    "Each authorization tells what became of it",
    `${total} of the Card, ${cleared} of them cleared`,
    ...(declined === undefined ? [] : [declined]),
  );

  const approved = { query: { status: 1, limit: 3 } } as const;
  const held = { query: { issuerCardStatus: 2, limit: 3 } } as const;
  const lists = [
    await unwrap(client.GET("/cardholders", { params: approved })),
    await unwrap(client.GET("/cards", { params: held })),
    await unwrap(client.GET("/wallets/{walletId}/transfers", { params: { path: { walletId } } })),
  ];
  const names = ["Approved Cardholders", "Cards on hold", "transfers of the Wallet"];
  tell.step(
    "Lists know how many records match",
    ...lists.map(({ items, total }, number) => `${names[number]}: ${items.length} of ${total}`),
  );

  const { response } = await client.POST("/cards/{cardId}/deposit", { params });
  tell.step(
    "An old endpoint still answers, and says that it is deprecated",
    `Deprecation: ${response.headers.get("deprecation")}`,
    `Link: ${response.headers.get("link")}`,
  );
}
