import type * as sdk from "@aws-sdk/lib-dynamodb";

/** What the table's client sends. Its types are the SDK's, whose code is not loaded. */
function declareCommand<Command>(operation: string): Command {
  return class {
    readonly operation = operation;
    readonly input: unknown;

    constructor(input: unknown) {
      this.input = input;
    }
  } as Command;
}

export const GetCommand = declareCommand<typeof sdk.GetCommand>("GetItem");
export const PutCommand = declareCommand<typeof sdk.PutCommand>("PutItem");
export const UpdateCommand = declareCommand<typeof sdk.UpdateCommand>("UpdateItem");
export const DeleteCommand = declareCommand<typeof sdk.DeleteCommand>("DeleteItem");
export const QueryCommand = declareCommand<typeof sdk.QueryCommand>("Query");
export const ScanCommand = declareCommand<typeof sdk.ScanCommand>("Scan");
export const BatchGetCommand = declareCommand<typeof sdk.BatchGetCommand>("BatchGetItem");
export const BatchWriteCommand = declareCommand<typeof sdk.BatchWriteCommand>("BatchWriteItem");
export const TransactGetCommand = declareCommand<typeof sdk.TransactGetCommand>("TransactGetItems");
export const TransactWriteCommand = declareCommand<typeof sdk.TransactWriteCommand>("TransactWriteItems");
