import { countLetters, showLetters } from "../commands/dead-letters/letters.ts";
import { sources } from "../commands/dead-letters/sources.ts";
import type { Target } from "../commands/dead-letters/target.ts";
import { environmentOption } from "./commands.ts";
import { type Cell, NotFound, type Page, toHref } from "./page.ts";
import { hrefOfId, leadsSomewhere } from "./values.ts";

const most = 100;

export async function deadLettersPage(target: Target): Promise<Page> {
  const counts = await countLetters(target);
  return {
    title: "Dead letters",
    trail: [],
    sections: [
      {
        kind: "table",
        title: "Messages that failed, by queue",
        columns: [{ name: "Queue" }, { name: "Messages" }, { name: "Being looked at" }],
        rows: counts.map(({ queue, messages, inFlight }) => [
          { text: queue, href: toHref(["dead-letters", queue]) },
          { text: String(messages), isNumber: true },
          { text: String(inFlight), isNumber: true },
        ]),
        summary: "A queue's page receives its messages and makes them visible again, which SQS counts.",
      },
    ],
  };
}

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
      {
        kind: "table",
        title: "Messages",
        columns: ["Message", "Kind", "Sent", "Received", "Bytes", "Ids", "Failure"].map((name) => ({ name })),
        rows: letters.map(({ messageId, kind, sentAt, receives, bytes, ids, failure = {} }) => [
          { text: messageId },
          { text: kind },
          { time: sentAt },
          { text: String(receives), isNumber: true },
          { text: String(bytes), isNumber: true },
          idCells(ids),
          Object.entries(failure).map(([name, value]) => ({ text: `${name}: ${value}` })),
        ]),
        summary: `${letters.length}, at most ${most}.`,
      },
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
