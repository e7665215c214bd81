import { unmarshall } from "@aws-sdk/util-dynamodb";
import { z } from "zod";
import { Currency, currencyNames } from "../../shared/contract/enums.ts";
import { integerEnum } from "../../shared/contract/primitives.ts";
import { packedName, unpackItem } from "../../shared/platform/table/packed.ts";
import type { TraceEntry } from "../local/interfaces.ts";
import type { StreamRecord } from "../local/start-functions.ts";

const Entry = z.object({
  entryId: z.string(),
  kind: z.string(),
  postings: z.array(z.object({ account: z.string(), amountMinor: z.number() })),
});

/** What the records say of the ledger and of questions. */
export function traceEntriesIn(records: readonly StreamRecord[]): TraceEntry[] {
  const changes = records.filter(isTold).map(({ event }) => readChange(event.dynamodb));
  return [...ledgerEntriesIn(changes), ...questionEntriesIn(changes)];
}

/** Returns each new journal entry once, although every account stores a copy. */
function ledgerEntriesIn(changes: readonly Change[]): TraceEntry[] {
  const entries = new Map<string, TraceEntry>();
  for (const { item, isNew } of changes) {
    if (!isNew) continue;
    // An entry is an item, or part of the record that it was committed with.
    const parsed = Entry.safeParse(item?.entry ?? item);
    if (!parsed.success) continue;
    const { entryId, kind, postings } = parsed.data;
    const detail = Object.fromEntries(postings.map(({ account, amountMinor }) => [account, amountMinor]));
    entries.set(entryId, { kind: "ledger-entry", name: kind, detail, about: readAbout(item) });
  }
  return [...entries.values()];
}

const About = z.object({
  pk: z.string(),
  sk: z.string(),
  cardId: z.string().optional(),
  merchantName: z.string().optional(),
  currency: integerEnum(Currency).optional(),
});

/** Where the entry is, and of its record what people know it by. */
function readAbout(item: unknown): Record<string, string> {
  const { success, data } = About.safeParse(item);
  if (!success) return {};
  const { pk, sk: place, cardId, merchantName: merchant, currency } = data;
  const [programId = "", accountId = ""] = pk.split("#");
  return {
    ...{ programId, accountId, place },
    ...(cardId !== undefined && { cardId }),
    ...(merchant !== undefined && { merchant }),
    ...(currency !== undefined && { currency: currencyNames[currency] }),
  };
}

interface Change {
  readonly item: Readonly<Record<string, unknown>> | undefined;
  readonly isNew: boolean;
  /** Few records need it, and reading takes long. */
  readBefore(): Readonly<Record<string, unknown>> | undefined;
}

/** What is told has one of them. Most items have none, and are not read: that takes long. */
const told = [packedName, "entry", "postings", "question", "decision", "lateAnswer"];

export function isTold({ event }: StreamRecord): boolean {
  const { NewImage } = Object(event.dynamodb);
  return told.some((name) => NewImage?.[name] !== undefined);
}

function readChange(change: unknown): Change {
  const { NewImage, OldImage } = Object(change);
  const read = (image: Parameters<typeof unmarshall>[0] | undefined) =>
    image && unpackItem(unmarshall(image));
  return { item: read(NewImage), isNew: OldImage === undefined, readBefore: () => read(OldImage) };
}

const Asked = z.object({
  question: z.object({ authorizationId: z.string(), amountMinor: z.number(), lapsesAt: z.string() }),
});
const Decided = z.object({
  decision: z.object({
    decidedBy: z.string(),
    reason: z.string().optional(),
    detail: z.string().optional(),
    askedAt: z.string().optional(),
    answeredAt: z.string().optional(),
  }),
  result: z.object({ approved: z.boolean(), authorizationId: z.string(), amount: z.number() }),
});
const AnsweredLate = z.object({ lateAnswer: z.object({ decision: z.string(), at: z.string() }) });

/** Questions to authorization endpoints, what was decided, and answers that came too late. */
function questionEntriesIn(changes: readonly Change[]): TraceEntry[] {
  return changes.flatMap(({ item, readBefore }): TraceEntry[] => {
    const isNew = (name: string) => item?.[name] !== undefined && readBefore()?.[name] === undefined;
    const read = <T>(schema: z.ZodType<T>): T | undefined => schema.safeParse(item).data;
    const asked = isNew("question") && read(Asked);
    if (asked) return [{ kind: "question", name: "asked", detail: asked.question }];
    const decided = isNew("decision") && read(Decided);
    if (decided) {
      const { decision, result } = decided;
      const { approved, ...amount } = result;
      const { decidedBy, ...why } = decision;
      const name = `${approved ? "approved" : "declined"} by ${decidedBy}`;
      return [{ kind: "decision", name, detail: { ...amount, ...why } }];
    }
    const late = isNew("lateAnswer") && read(AnsweredLate);
    return late ? [{ kind: "late-answer", name: "answered too late", detail: late.lateAnswer }] : [];
  });
}
