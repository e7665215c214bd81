import { idStart } from "../../shared/platform/id.ts";
import { refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { countLetters, showLetters } from "../commands/dead-letters/letters.ts";
import { sources } from "../commands/dead-letters/sources.ts";
import type { Target } from "../commands/dead-letters/target.ts";
import { commandSection, environmentOption } from "./commands.ts";
import { type Cell, NotFound, type Page, toHref, toTable } from "./page.ts";
import { toFields } from "./record-fields.ts";
import { programTrail } from "./trails.ts";
import { hrefOfId, leadsSomewhere } from "./values.ts";

const most = 100;

export async function deadLettersPage(target: Target): Promise<Page> {
  const counts = await countLetters(target);
  const rows = counts.map(({ queue, messages, inFlight }): Cell[] => [
    { text: queue, href: toHref(["dead-letters", queue]) },
    toNumber(messages),
    toNumber(inFlight),
  ]);
  const summary = "A queue's page receives its messages and makes them visible again, which SQS counts.";
  const columns = ["Queue", "Messages", "Being looked at"];
  const table = toTable("Messages that failed, by queue", columns, rows, summary);
  return { title: "Dead letters", trail: [], sections: [table] };
}

const toNumber = (value: number): Cell => ({ text: String(value), isNumber: true });

/** Owners and failures, never contents. */
export async function deadLetterPage(target: Target, queue: string): Promise<Page> {
  const source = sources.find((one) => one === queue);
  if (source === undefined)
    throw new NotFound(`There is no queue ${queue}; there are ${sources.join(", ")}.`);
  const letters = await showLetters(target, source, most);
  const operator = `npm run operator --${environmentOption(target.environment)} dead-letters`;
  return {
    title: `Dead letters of ${queue}`,
    trail: [{ text: "Dead letters", href: toHref(["dead-letters"]) }],
    sections: [
      toTable("Messages", columns, letters.map(toRow), `${letters.length}, at most ${most}.`),
      {
        kind: "commands",
        title: "Commands",
        commands: [
          { about: "Return all to the queue", line: `${operator} redrive ${source}` },
          { about: "Return one", line: `${operator} redrive ${source} <message id>` },
          { about: "Delete one permanently", line: `${operator} discard ${source} <message id> '<reason>'` },
        ],
      },
    ],
  };
}

const columns = ["Message", "Kind", "Sent", "Received", "Bytes", "Ids", "Failure"];

function toRow({
  messageId,
  kind,
  sentAt,
  receives,
  bytes,
  ids,
  failure = {},
}: Awaited<ReturnType<typeof showLetters>>[number]): Cell[] {
  const reasons = Object.entries(failure).map(([name, value]) => ({ text: `${name}: ${value}` }));
  const [received, size] = [toNumber(receives), toNumber(bytes)];
  return [{ text: messageId }, { text: kind }, { time: sentAt }, received, size, idCells(ids), reasons];
}

function idCells(ids: Readonly<Record<string, string | number>>): Cell[] {
  const [, programId] = Object.entries(ids).find(([name]) => /(^|\.)(programId|ownerId)$/.test(name)) ?? [];
  return Object.entries(ids).map(([name, value]) => ({
    text: `${name}: ${value}`,
    href:
      typeof value === "string" && leadsSomewhere(value)
        ? hrefOfId(value, programId as string | undefined)
        : undefined,
  }));
}

/** Not the reason: it can quote a payer's name or account. */
const fields = ["refusedId", "port", "programId", "receivedAt", "isCut"];

/** An input from outside that was not applied. Only the operator's command shows it. */
export async function refusedPage(environment: string, refusedId: string): Promise<Page> {
  const isRefused = refusedId.startsWith(idStart("refused"));
  const refused = isRefused ? await refusedInputs.at(refusedId).get() : undefined;
  if (!refused) throw new NotFound(`There is no refused input ${refusedId}.`);
  return {
    title: `Refused input ${refusedId}`,
    trail: refused.programId === undefined ? [] : await programTrail(refused.programId),
    sections: [
      toFields("Refused input", fields, refused, { kind: "refused" }),
      ...commandSection(environment, [
        { about: "Read the input and the reason", command: "view-refused", input: { refusedId } },
      ]),
    ],
  };
}
