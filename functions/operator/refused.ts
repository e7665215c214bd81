import {
  listRefused,
  type RefusedInput,
  refusedInputs,
} from "../../shared/platform/refused/refused-input.ts";
import type { Command } from "./command.ts";

/** The newest first. */
export const listRefusedInputs: Command<"list-refused"> = async ({ limit, before }) => ({
  items: (await listRefused(limit, before)).map(toListed),
});

/** @throws CommandRejected if it does not exist */
export const viewRefusedInput: Command<"view-refused"> = async ({ refusedId }) => {
  const found = await refusedInputs.at(refusedId).require();
  return { ...toListed(found), input: found.input, isCut: found.isCut };
};

function toListed({ refusedId, port, reason, programId, receivedAt }: RefusedInput) {
  return { refusedId, port, reason, programId, receivedAt };
}
