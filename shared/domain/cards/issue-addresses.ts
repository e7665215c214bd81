import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { CryptoAddress } from "../../contract/cards.ts";
import type { ExtendedPublicKeys } from "../../contract/program-settings.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";

/** The deposit addresses of one Card, and the index below the Program's keys that they stand at. */
export interface IssuedAddresses {
  readonly cryptoAddresses: CryptoAddress[];
  readonly addressIndex: number;
}

/**
 * Deposit addresses that no other Card of the Program has or will have. The curves are loaded here, while the index is fetched,
 * because most invocations of the functions that can issue a Card do not, and should not wait for them at a cold start.
 */
export async function issueAddresses(programId: string, keys: ExtendedPublicKeys): Promise<IssuedAddresses> {
  const [addressIndex, { cryptoAddresses }] = await Promise.all([
    takeAddressIndex(programId),
    import("./crypto-addresses.ts"),
  ]);
  return { cryptoAddresses: cryptoAddresses(keys, addressIndex), addressIndex };
}

/**
 * The Program's next index, from 0; it is never given out again. The counter stands outside the issuing transaction, which would
 * make all issuances of the Program contend for it: an issuance that then fails leaves a gap, and nothing else.
 */
async function takeAddressIndex(programId: string): Promise<number> {
  const { Attributes } = await table.send(
    new UpdateCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.addressIndex(programId),
      UpdateExpression: "ADD taken :one",
      ExpressionAttributeValues: { ":one": 1 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  return (Attributes?.taken as number) - 1;
}
