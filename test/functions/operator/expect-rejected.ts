import { expect } from "vitest";
import { operate } from "../../harness/administration.ts";
import { allStoredItems } from "../../harness/stored.ts";

/** Ids of records that do not exist. */
export const unknownTenant = "tnt_00000000000000000000000000";
export const unknownProgram = "prg_00000000000000000000000000";
/** The author of the items that commands write. */
export const by = "operator:local";

/** Expects that the command is rejected, and that every item of both tables stays the same. */
export async function expectRejected(command: string, input: unknown): Promise<void> {
  const before = await allStoredItems();
  const rejection = expect.objectContaining({ name: "CommandRejected" });
  await expect(operate(command as never, input)).rejects.toThrow(rejection);
  expect(await allStoredItems()).toEqual(before);
}
