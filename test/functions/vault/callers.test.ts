import type { Context } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/vault/handler.ts";
import { type VaultCommand, vaultCallers, vaultCommands } from "../../../shared/contract/vault.ts";

const vaultArn = "arn:aws:lambda:eu-west-1:111122223333:function:vault";
const context = { awsRequestId: "request", getRemainingTimeInMillis: () => 60_000 };
const invoke = (command: string, invokedFunctionArn: string) =>
  handler({ command, input: {} }, { ...context, invokedFunctionArn } as Context);
const everyCommand = Object.keys(vaultCommands) as VaultCommand[];
/** An empty input fits two commands; the others reject it, which they do only for their callers. */
const isDenied = (command: string, arn: string) =>
  invoke(command, arn).then(
    () => false,
    (error: Error) => error.message === `No right to ${command}.`,
  );

describe.each(Object.entries(vaultCallers))("the caller %s", (caller, granted) => {
  it("gives its commands and no other", async () => {
    for (const command of everyCommand) {
      const isGranted = (granted as readonly string[]).includes(command);
      expect(await isDenied(command, `${vaultArn}:${caller}`), command).toBe(!isGranted);
    }
  });
});

it.each(["", ":other", ":$LATEST", ":constructor"])(
  "denies a caller by way of the ARN's end %j",
  async (end) => {
    for (const command of everyCommand) expect(await isDenied(command, vaultArn + end), command).toBe(true);
  },
);

it("gives Programs' requests no way to a card number in clear, a PIN's check or the keys of production", () => {
  expect(vaultCallers.sandbox).toEqual(["sandbox-wallet", "open-payload", "compute-cavv", "open-accounts"]);
  expect(vaultCallers.accounts).toEqual(["seal-account"]);
  expect(vaultCallers.cards).toEqual([
    "reveal",
    "public-key",
    "set-pin",
    "pins-set",
    "hash-numbers",
    "provision",
  ]);
});
