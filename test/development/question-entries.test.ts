import { marshall } from "@aws-sdk/util-dynamodb";
import { expect, it } from "vitest";
import { traceEntriesIn } from "../../infra/development/trace-entries.ts";
import type { StreamRecord } from "../../infra/local/events/stream-source.ts";

const question = {
  authorizationId: "hld_1",
  amountMinor: 300,
  lapsesAt: "2026-11-23T12:00:02.000Z",
  event: {},
};
const decision = { decidedBy: "stand_in", reason: "timeout", receivedAt: "2026-11-23T12:00:00.000Z" };
const decided = {
  decision,
  result: { approved: false, authorizationId: "hld_1", amount: 0, transId: "txn_1" },
};
const lateAnswer = { decision: "approve", at: "2026-11-23T12:00:01.000Z" };

/** A write of an event's record. */
const record = (after: object, before?: object) => ({
  event: { dynamodb: { NewImage: marshall(after), ...(before && { OldImage: marshall(before) }) } },
});

it("a question, its decision and a late answer are shown once each", () => {
  const records = [
    record({ question }),
    record(decided, { question }),
    record({ ...decided, lateAnswer }, decided),
    record({ ...decided, lateAnswer, more: 1 }, { ...decided, lateAnswer }),
    record({ kind: "authorization", result: { approved: true } }),
    { event: { dynamodb: { OldImage: marshall({ question }) } } },
  ];
  expect(traceEntriesIn(records as unknown as StreamRecord[])).toEqual([
    {
      kind: "question",
      name: "asked",
      detail: { authorizationId: "hld_1", amountMinor: 300, lapsesAt: "2026-11-23T12:00:02.000Z" },
    },
    {
      kind: "decision",
      name: "declined by stand_in",
      detail: { authorizationId: "hld_1", amount: 0, reason: "timeout" },
    },
    { kind: "late-answer", name: "answered too late", detail: lateAnswer },
  ]);
});
