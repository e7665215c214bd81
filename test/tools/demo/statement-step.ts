import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Narrator } from "./narrator.ts";

/** The Card's month so far, in JSON and as a bank would send it. */
export async function readStatement(client: Client, tell: Narrator, cardId: string): Promise<void> {
  const months = await unwrap(client.GET("/cards/{cardId}/statements", { params: { path: { cardId } } }));
  const path = { cardId, period: months.items[0]?.period ?? "" };
  const statement = await unwrap(client.GET("/cards/{cardId}/statements/{period}", { params: { path } }));
  const { data } = statement as Exclude<typeof statement, string>;
  const { openingBalance = 0, closingBalance = 0, lines = [], proof } = data;
  const { data: xml } = await client.GET("/cards/{cardId}/statements/{period}", {
    params: { path, query: { format: "camt053" } },
    parseAs: "text",
  });
  tell.step(
    `The Card's statement of ${path.period}: ${lines.length} lines, in ${proof?.entries} journal entries`,
    `${openingBalance / 100} + ${(proof?.sum ?? 0) / 100} = ${closingBalance / 100}`,
    `as camt.053: ${String(xml).match(/<Ntry>/g)?.length ?? 0} entries`,
  );
}
