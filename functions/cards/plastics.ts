import { askVault } from "../../shared/cards/ask-vault.ts";
import { type Card, getCard } from "../../shared/cards/card.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { type Plastic, plastics, toNumberId, toPlastics } from "../../shared/plastics/plastic.ts";
import { toPlasticView } from "../../shared/plastics/plastic-view.ts";
import { type ReplacementRequest, replacement } from "../../shared/plastics/replace.ts";
import { tellUpdateNow } from "../../shared/plastics/tell-update.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";

/**
 * @throws ApiError NOT_FOUND for an unknown Card or plastic; CARD_BLOCKED; ILLEGAL_TRANSITION;
 * REPLACEMENT_PENDING; LIMIT_REACHED; IDEMPOTENCY_MISMATCH
 */
export const replaceCard: Operations["POST /cards/{cardId}/replace"] = (request) => {
  const { scope, path, body, idempotency } = request;
  return make({ ...toScope(scope), ...path, ...body, actor: toActor(request) }, idempotency);
};

/** As `replaceCard`. */
export const renewCard: Operations["POST /cards/{cardId}/renew"] = (request) => {
  const { scope, path, body, idempotency } = request;
  const renewed = {
    ...toScope(scope),
    ...path,
    ...body,
    reason: "renewed",
    actor: toActor(request),
  } as const;
  return make(renewed, idempotency);
};

function toScope({ tenantId, programId }: { readonly tenantId: string; readonly programId: string }) {
  return { tenantId, programId };
}

async function make(request: ReplacementRequest, key: Parameters<typeof answerRequest>[2]) {
  const { made, numberId } = await answerRequest(replacement, request, key);
  const { programId, cardId } = request;
  await tellUpdateNow(programId, made.plasticId);
  // A new number has no PIN. What the vault answers is no part of what was done.
  const isNew = numberId === made.plasticId;
  return { ...made, pinSet: !isNew && (await readPins(programId, cardId, [numberId])).has(numberId) };
}

/** The first one too, also of Cards that were never replaced. */
export const listPlastics: Operations["GET /cards/{cardId}/plastics"] = async ({ scope, path, query }) => {
  const { programId } = scope;
  const { cardId } = path;
  const [card, stored] = await Promise.all([getCard(programId, cardId), plastics.list(programId, cardId)]);
  const all = toPlastics(card, stored);
  const withPin = await readPins(programId, cardId, [...new Set(all.map(toNumberId))]);
  const given = all.map((plastic) => ({ ...plastic, entityId: plastic.plasticId }));
  const view = (plastic: (typeof given)[number]) => toView(card, plastic, withPin);
  return listPage({ records: { given }, orders: { sequence: "sequence" }, view }, query);
};

function toView(card: Card, plastic: Plastic, withPin: ReadonlySet<string>) {
  return { ...toPlasticView(card, plastic), pinSet: withPin.has(toNumberId(plastic)) };
}

/** Only the vault knows. */
async function readPins(programId: string, cardId: string, numberIds: string[]) {
  return new Set((await askVault("pins-set", { programId, cardId, numberIds })).numberIds);
}
