import { type Client, unwrap } from "../../../client/src/card-issuing.ts";
import type { Narrator } from "./narrator.ts";

/** The books of the day on which the Wallet was made: closed if the clock has moved on. */
export async function readBooks(client: Client, tell: Narrator, walletId: string): Promise<void> {
  const wallet = { params: { path: { walletId } } };
  const { data: made } = await unwrap(client.GET("/wallets/{walletId}", wallet));
  const path = { date: made.dateCreated.slice(0, 10) };
  const { error } = await client.GET("/ledger/{date}", { params: { path } });
  if (error) return tell.step(`The books of ${path.date} are not closed yet`, error.code);
  const { data: journal = "" } = await client.GET("/ledger/{date}", {
    params: { path, query: { format: "hledger" } },
    parseAs: "text",
  });
  const lines = String(journal).split("\n");
  const isOwn = (line: string) => /^; (assets|equity|liabilities:[ns]|revenues)/.test(line);
  tell.step(
    `The books of ${path.date} for hledger: opening, debits, credits, closing`,
    ...lines.filter(isOwn).map((line) => line.slice(2)),
  );
}
