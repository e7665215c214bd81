import { type Card, cards } from "../../shared/cards/card.ts";
import { accountUpdates, type Plastic, plastics, toPlastics } from "../../shared/plastics/plastic.ts";
import { toPlasticView } from "../../shared/plastics/plastic-view.ts";
import { environment } from "../../shared/platform/environment.ts";
import { earliestChangeId, idTime, toOtherId } from "../../shared/platform/id.ts";
import { auditEntries } from "../../shared/tenancy/audit-log.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { walkItems } from "./newest-first.ts";
import { type Link, NotFound, type Page, type Table, toHref, toLinks } from "./page.ts";
import { itemTable, toFields, toNames } from "./record-fields.ts";
import { programTrail } from "./trails.ts";

interface OfCard {
  readonly programId: string;
  readonly cardId: string;
}

export function plasticHref({ programId, cardId }: OfCard, plasticId: string): string {
  return toHref(["programs", programId, "cards", cardId, "plastics", plasticId]);
}

/** As people of support need it: of what a merchant or a Cardholder has, what became of it. */
function toShown(card: Card, plastic: Plastic) {
  const { lastFour, expiryYear, expiryMonth, shipping } = plastic;
  const expires = `${String(expiryMonth).padStart(2, "0")}/${expiryYear}`;
  return { ...plastic, ...toPlasticView(card, plastic), expires, lastFour: `•••• ${lastFour}`, shipping };
}

const columns = toNames(
  "sequence dateCreated lastFour expires reason state dateActivated activateBy dateEnded plasticId",
);

/** The chain of a Card, the newest first; each leads to its page. */
export function plasticChain(programId: string, card: Card, all: readonly Plastic[]): Table {
  const of = { programId, cardId: card.entityId };
  const shown = all.map((plastic) => toShown(card, plastic)).toReversed();
  return itemTable("Plastics", { kind: "plastics", programId }, columns, shown, {
    cells: { plasticId: ({ plasticId }) => ({ text: plasticId, href: plasticHref(of, plasticId) }) },
    summary: `${shown.length}, the newest first.`,
  });
}

const fields = toNames(`plasticId cardId sequence reason state stoppedFor lastFour expires
  shipping.status shipping.carrier shipping.updatedAt dateCreated activateBy dateActivated dateEnded`);
const updateColumns = toNames("createdAt kind expiryMonth expiryYear entityId");

/** One plastic, those before and after it, and what merchants were told of the Card's numbers. */
export async function plasticPage(programId: string, cardId: string, plasticId: string): Promise<Page> {
  const [card, stored, told, trail] = await Promise.all([
    cards.at(programId, cardId).get(),
    plastics.list(programId, cardId),
    accountUpdates.list(programId, cardId),
    programTrail(programId, cardId),
  ]);
  const all = card ? toPlastics(card, stored) : [];
  const place = all.findIndex((one) => one.plasticId === plasticId);
  const plastic = all[place];
  if (!card || !plastic) throw new NotFound(`${cardId} has no plastic ${plasticId}.`);
  const context = { kind: "plastics", programId };
  const shown = toShown(card, plastic);
  const beside = [
    { what: "Before it", plastic: all[place - 1] },
    { what: "After it", plastic: all[place + 1] },
  ].flatMap(({ what, plastic }) =>
    plastic
      ? [{ text: `${what}: ${nameOf(plastic)}`, href: plasticHref({ programId, cardId }, plastic.plasticId) }]
      : [],
  );
  return {
    title: `Plastic ${nameOf(plastic)}`,
    trail,
    sections: [
      toFields(`Plastic ${place + 1} of ${all.length}`, fields, shown, context),
      ...toLinks("The chain", beside),
      plasticChain(programId, card, all),
      ...(told.length > 0
        ? [itemTable("Account updates", { kind: "accountUpdates", programId }, updateColumns, told)]
        : []),
    ],
  };
}

function nameOf({ lastFour, expiryMonth, expiryYear }: Plastic): string {
  return `•••• ${lastFour}, ${String(expiryMonth).padStart(2, "0")}/${expiryYear}`;
}

/** How many entries of the audit log are read: those of the moments after it was made. */
const patience = 1_000;

/**
 * A Card's first plastic has the Card's own ULID. A later one stands in the audit log, in the entry
 * that was written with it.
 */
export async function findPlastic(plasticId: string, programId: string): Promise<Link[]> {
  const first = toOtherId("card", plasticId);
  const cardId = (await cards.at(programId, first).get()) ? first : await findAudited(programId, plasticId);
  if (cardId === undefined) return [];
  const href = plasticHref({ programId, cardId }, plasticId);
  return [{ text: `Plastic ${plasticId} of ${cardId}`, href }];
}

async function findAudited(programId: string, plasticId: string): Promise<string | undefined> {
  const program = await readProgram(programId);
  const madeAt = idTime(plasticId);
  if (!program || Number.isNaN(madeAt.getTime())) return undefined;
  const { items } = await walkItems({
    parts: [{ pk: auditEntries.key(program.tenantId, "").pk, begin: "AUDIT#aud_" }],
    tableName: environment.accountsTable,
    from: earliestChangeId(new Date(madeAt.getTime() - 1_000)),
    isAscending: true,
    limit: 1,
    patience,
    isWanted: ({ action, after }) =>
      (action === "replace" || action === "renew") && Object(after).plasticId === plasticId,
  });
  return items[0] && String(items[0].subjectId);
}
