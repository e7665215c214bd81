import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { operator } from "../given-access.ts";

/** Ids that nothing has. */
export const nobody = "tnt_00000000000000000000000000";
export const noProgram = "prg_00000000000000000000000000";
/** Who the items say wrote them. */
export const by = "operator:local";
const refused = expect.objectContaining({ name: "CommandRefused" });

/** An item of the accounts table. */
export const stored = async (key: { pk: string; sk: string }) =>
  (await table.send(new GetCommand({ TableName: process.env.ACCOUNTS_TABLE, Key: key }))).Item;
/** Every item of both tables. */
export const everything = async () => {
  const tables = [process.env.ACCOUNTS_TABLE, process.env.ISSUING_TABLE];
  const scans = tables.map((TableName) => table.send(new ScanCommand({ TableName })));
  const items = (await Promise.all(scans)).flatMap(({ Items }) => Items ?? []);
  return items.toSorted((left, right) => (`${left.pk} ${left.sk}` < `${right.pk} ${right.sk}` ? -1 : 1));
};
/** The command is refused, and no item of any table is another than before. */
export const refusesAndChangesNothing = async (command: string, input: unknown) => {
  const before = await everything();
  await expect(operator(command as never, input)).rejects.toThrow(refused);
  expect(await everything()).toEqual(before);
};
