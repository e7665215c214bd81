import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { heldEntry } from "../../../shared/domain/holds/hold.ts";
import type { Entry } from "../../../shared/lists/entry.ts";
import { entryOf, type ProgramKind } from "../../../shared/lists/listed-kind.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";

const kindOf: Readonly<Record<string, ProgramKind>> = {
  CARDHOLDER: "cardholders",
  CARD: "cards",
  WALLET: "wallets",
  TRANSACTION: "transactions",
  FEE: "fees",
  DEPOSIT: "deposits",
  NOTIFICATION: "notifications",
};

/** Where the id of a record stands, if not in `entityId`. */
const idOf: Partial<Record<ProgramKind, string>> = {
  wallets: "walletId",
  deposits: "depositId",
  notifications: "transIdSc",
};

/** What a Program's list of a kind has to hold, read from its records by a scan of the whole store. */
export async function listRecords(programId: string, kind: ProgramKind): Promise<Entry[]> {
  const entries: Entry[] = [];
  const scan = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    FilterExpression: "begins_with(pk, :program)",
    ExpressionAttributeValues: { ":program": `${programId}#` },
  };
  for await (const { Items = [] } of paginateScan({ client: table }, scan)) {
    for (const item of Items) {
      const sk = String(item.sk);
      if (kind === "holds") {
        if (sk === "HOLD" && item.outstandingMinor > 0) entries.push(heldEntry(item.outstandingMinor));
        continue;
      }
      // A Cardholder's pointers to its Cards have no id of their own, and what lists do not show has none either.
      const id = item[idOf[kind] ?? "entityId"];
      if (kindOf[sk.split("#")[0] ?? ""] === kind && id !== undefined) entries.push(entryOf(kind, id, item));
    }
  }
  return entries;
}
