import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";

type Item = Readonly<Record<string, unknown>>;

/** The first and last sort key to read. */
interface Span {
  readonly first: string;
  readonly last: string;
}

/** The items of a partition of the `issuing` table, page by page, in key order. Consistent reads. */
export async function* readPartition(pk: string, span?: Span): AsyncGenerator<Item[], void> {
  const query = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: span ? "pk = :pk AND sk BETWEEN :first AND :last" : "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk, ...(span && { ":first": span.first, ":last": span.last }) },
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield Items;
}
