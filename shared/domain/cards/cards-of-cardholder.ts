import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** Makes a Card findable by its Cardholder, in the transaction that issues it. It stays when the Card is closed. */
export function cardOfPut(programId: string, cardholderId: string, cardId: string): WriteAction {
  return {
    name: "cardOf",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...issuingKey.cardOf(programId, cardholderId, cardId), cardId },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** The ids of all the Cards that were ever issued to a Cardholder, oldest first; consistently read, without looking at anyone else's. */
export async function cardIdsOf(programId: string, cardholderId: string): Promise<string[]> {
  const { pk, sk } = issuingKey.cardOf(programId, cardholderId, "");
  const cardIds: string[] = [];
  const query = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :cardholder AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":cardholder": pk, ":prefix": sk },
  };
  for await (const { Items } of paginateQuery({ client: table }, query)) {
    for (const item of Items ?? []) cardIds.push(item.cardId as string);
  }
  return cardIds;
}
