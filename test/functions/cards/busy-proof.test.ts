import { afterEach, expect, test, vi } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { checkpoints } from "../../../shared/proofs/checkpoint.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { countEntries, givenHistory } from "../../harness/given-journal.ts";
import { givenProvableCard } from "../../harness/given-provable-card.ts";

afterEach(() => {
  vi.useRealTimers();
  table.middlewareStack.remove("busy");
});

test("a busy account with a wrong checkpoint is answered 503: its journal could not be read at rest", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2045, 0, 1) });
  const { program, cardId } = await givenProvableCard();
  const { programId } = program;
  const account = { kind: "card", accountId: cardId } as const;
  await givenHistory({ programId, account, count: 300, since: new Date() });
  vi.setSystemTime(Date.now() + 120_000);
  await advanceCheckpoint(programId, account);
  await overwrite(checkpoints.at(programId, cardId).key, { settledDebitsMinor: 1 });
  // An entry is committed whenever the whole journal is read.
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const found = await next(args);
        const isWhole = commandName === "QueryCommand" && JSON.stringify(args.input).includes('"ENTRY#"');
        if (isWhole) await countEntries({ programId, account, count: 1, balanceMinor: 0 });
        return found;
      },
    { step: "initialize", name: "busy" },
  );
  const prove = () => program.call("GET /cards/{cardId}/balance/proof", { path: { cardId } });
  expect((await withinTime(500, prove)).status).toBe(503);
});
