import type { Client } from "./client.ts";
import type { Narrator } from "./narrator.ts";

/** What else can be seen: a Card on hold, lists, what is deprecated. */
export async function look(client: Client, tell: Narrator, cardId: string, walletId: string): Promise<void> {
  await client.call(`PUT /cards/${cardId}/status`, { status: 2 });
  const { body } = await client.call(`GET /cards/${cardId}/status`);
  tell.step("The Card is put on hold", `status ${body.data.status} On Hold`);

  const lists = [
    "/cardholders?status=1&limit=3",
    "/cards?issuerCardStatus=2&limit=3",
    `/wallets/${walletId}/transfers`,
  ];
  const totals: string[] = [];
  for (const path of lists) {
    const list = await client.call(`GET ${path}`);
    totals.push(`GET ${path}: ${list.body.items.length} of ${list.body.total}`);
  }
  tell.step("Lists know how many records match", ...totals);

  const { headers } = await client.call(`POST /cards/${cardId}/deposit`);
  tell.step(
    "An old endpoint still answers, and says that it is deprecated",
    `Deprecation: ${headers.deprecation}`,
    `Link: ${headers.link}`,
  );
}
