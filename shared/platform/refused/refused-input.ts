import * as z from "zod";
import { RefusedPort } from "../../contract/enums.ts";
import { maskCardNumbers, maskCardNumbersInBytes } from "../../contract/mask-card-numbers.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { timestamp as toTimestamp, unixSeconds } from "../clock.ts";
import { idStart, idTime, newId } from "../id.ts";
import { log } from "../log.ts";
import { sha256 } from "../sha256.ts";
import { defineEntity } from "../table/entity.ts";
import { afterAll } from "../table/keys.ts";
import { readItems, toPartitionQuery } from "../table/query.ts";
import { transact, type WriteAction } from "../table/transact.ts";

/** What came from outside and could not be applied, for the operator to look into. */
const RefusedInput = z.object({
  refusedId: id("refused"),
  port: RefusedPort,
  reason: z.string(),
  programId: id("program").optional(),
  receivedAt: timestamp,
  /** As text, or of bytes in hex. Card numbers are masked. */
  input: z.string(),
  /** Only the beginning is kept. */
  isCut: z.boolean(),
  expiresAtSeconds: z.int(),
});
export type RefusedInput = Readonly<z.output<typeof RefusedInput>>;

export const refusedInputs = defineEntity({
  name: "refused",
  schema: RefusedInput,
  key: (refusedId: string) => ({ pk: "DESK#REFUSED", sk: refusedId }),
});

/** Which input is kept, of one that came several times. */
const firstRefused = defineEntity({
  name: "firstRefused",
  schema: RefusedInput.pick({ refusedId: true, expiresAtSeconds: true }),
  key: (digest: string) => ({ ...refusedInputs.at(`FIRST#${digest}`).key }),
});

interface Refusal {
  readonly port: RefusedPort;
  /** The operator reads it. Card numbers are masked. */
  readonly reason: string;
  readonly input: string | Uint8Array;
  /** If it is known. */
  readonly programId?: string | undefined;
  /**
   * An input that may come again is known by it, without card numbers. The first of each reason is
   * kept.
   */
  readonly identity?: string | undefined;
}

const keptDays = 90;
const maximumLength = 64 * 1024;
/** It may have a value from outside, of any length. */
const longestReason = 2_000;
/** A number that begins in the part that is kept may end this much later. */
const longestNumber = 40;

/** Keeps it for 90 days, without card numbers. Returns the `refusedId`, or that of the first. */
export async function keepRefused(refusal: Refusal): Promise<string> {
  const { port, reason, programId, identity } = refusal;
  const record = toRecord(refusal);
  const { refusedId, expiresAtSeconds } = record;
  if (identity === undefined) await refusedInputs.at(refusedId).createNow(record);
  else {
    const first = firstRefused.at(sha256([port, programId, reason, identity].join("\n")));
    const kept = await transact([
      first.create({ refusedId, expiresAtSeconds }),
      refusedInputs.at(refusedId).create(record),
    ]);
    const before = kept.committed ? undefined : firstRefused.parse(kept.failedConditions.get("firstRefused"));
    if (before) return before.refusedId;
  }
  log.warn("An input from outside was refused and kept.", { refusedId, port, programId });
  return refusedId;
}

/** In the transaction of a change that the operator is to look into, and which makes it once. */
export function refusedPut(refusal: Omit<Refusal, "identity">, refusedId?: string): WriteAction {
  const record = toRecord(refusal, refusedId);
  return refusedInputs.at(record.refusedId).create(record);
}

function toRecord({ port, reason, input, programId }: Refusal, refusedId: string = newId("refused")) {
  const begin = asText(input.slice(0, maximumLength + longestNumber));
  const kept =
    typeof begin === "string"
      ? maskCardNumbers(begin).slice(0, maximumLength)
      : maskCardNumbersInBytes(begin).slice(0, 2 * maximumLength);
  const receivedAt = idTime(refusedId);
  return {
    refusedId,
    port,
    reason: maskCardNumbers(reason.slice(0, longestReason)),
    ...(programId !== undefined && { programId }),
    receivedAt: toTimestamp(receivedAt),
    input: kept,
    isCut: input.length > maximumLength,
    expiresAtSeconds: unixSeconds(receivedAt) + keptDays * 86_400,
  };
}

/** Bytes that are all printable ASCII are text. */
function asText(input: string | Uint8Array): string | Uint8Array {
  if (typeof input === "string") return input;
  const text = Buffer.from(input).toString("latin1");
  return /^[\r\n\t -~]*$/.test(text) ? text : input;
}

/** The newest first, from the one after `before` on. */
export async function listRefused(limit: number, before?: string): Promise<RefusedInput[]> {
  const { pk } = refusedInputs.at("").key;
  const keys = { first: idStart("refused"), last: before ?? afterAll };
  const query = { ...toPartitionQuery(pk, keys), ScanIndexForward: false, Limit: limit + 1 };
  const found: RefusedInput[] = [];
  for await (const item of readItems(query)) {
    if (item.sk !== before) found.push(refusedInputs.parse(item));
    if (found.length >= limit) break;
  }
  return found;
}
