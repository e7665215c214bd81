import { expect } from "vitest";
import { withinTime } from "../../shared/platform/time-budget.ts";
import type { Case, CaseRequest } from "../harness/cases/case.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { caseFile, readRecorded, revive } from "../harness/cases/recorded-case.ts";
import { type GivenProgram, givenProgram, handlerOf } from "../harness/given-cards.ts";
import { replay } from "../harness/replay.ts";

export interface RecordedCase extends Case {
  readonly key: `${Case["route"]["method"]} ${Case["route"]["path"]}`;
  readonly file: string;
}

/** Every answer of the contract, and the file with its request. */
export function recordedCases(): RecordedCase[] {
  return contractCases().map((one) => ({
    ...one,
    key: `${one.route.method} ${one.route.path}` as const,
    file: caseFile(one),
  }));
}

/** For a busy machine. */
const patienceMs = 60_000;

/** The recorded request, with the ids of what was prepared in the Program. */
export function replayRecorded({ file, key }: RecordedCase, program: GivenProgram, prepared: CaseRequest) {
  return replay(handlerOf(key), revive(readRecorded(file), program, prepared));
}

/** Limit and number, which is what there is, or what there would be. */
const namesLimit = /^At most \d+ .+ are allowed, and there (are|would be) \d+\.$/;

/** Replays the request in a new Program. */
export async function expectAnswer(one: RecordedCase): Promise<void> {
  const { code, status, prepare, manualIssuance } = one;
  const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
  const program = await givenProgram({ settings });
  const prepared = await withinTime(patienceMs, async () => prepare(program));
  const retryMs = code === "IDEMPOTENCY_IN_PROGRESS" ? 3_000 : patienceMs;
  const answer = await withinTime(retryMs, () => replayRecorded(one, program, prepared));
  expect([answer.status, answer.body.code ?? "OK"], JSON.stringify(answer.body)).toEqual([status, code]);
  if (code === "LIMIT_REACHED") expect(answer.body.message).toMatch(namesLimit);
}
