import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";

type TableSchema = Omit<CreateTableCommandInput, "TableName">;

const keyed: TableSchema = {
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  BillingMode: "PAY_PER_REQUEST",
};

export async function issuingTables(): Promise<{ issuing: TableSchema; accounts: TableSchema }> {
  const index = (name: string, hash: string, range: string) => ({
    IndexName: name,
    KeySchema: [
      { AttributeName: hash, KeyType: "HASH" as const },
      { AttributeName: range, KeyType: "RANGE" as const },
    ],
  });
  const issuing: TableSchema = {
    ...keyed,
    AttributeDefinitions: [
      ...(keyed.AttributeDefinitions ?? []),
      ...["collection", "entityId", "dueShard", "dueAt"].map((AttributeName) => ({
        AttributeName,
        AttributeType: "S" as const,
      })),
    ],
    GlobalSecondaryIndexes: [
      {
        ...index("by-collection", "collection", "entityId"),
        Projection: {
          ProjectionType: "INCLUDE",
          NonKeyAttributes: [
            "status",
            "issuerCardStatus",
            "cardholderId",
            "lastName",
            "firstName",
            "cardHolderLastName",
            "createdAt",
            "transStatus",
          ],
        },
      },
      { ...index("by-due", "dueShard", "dueAt"), Projection: { ProjectionType: "ALL" } },
    ],
  };
  return { issuing, accounts: keyed };
}
