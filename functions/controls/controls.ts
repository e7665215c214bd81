import {
  controlList,
  controls,
  readControlKeys,
  showControl,
  toControlView,
} from "../../shared/controls/control.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import { searchKey } from "../../shared/lists/search-key.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findNamed } from "../../shared/platform/labels.ts";

/** `cardholderId` leaves out the controls of the Cardholder's Cards. */
export const listControls: Operations["GET /controls"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state, externalId, name } = query;
  // A control is for one of them.
  if (cardId !== undefined && cardholderId !== undefined) return { items: [], total: 0 };
  const ownerId = cardId ?? cardholderId;
  return listPage(
    {
      records: await findControls(programId, ownerId, externalId),
      orders: { controlId: "entityId" },
      sortKeys: controlList.sortKeys,
      filters: { cardId, cardholderId, state, ...(externalId !== undefined && { externalId }) },
      sought: name === undefined ? [] : [[{ attribute: "soughtName", prefix: searchKey(name) }]],
      view: (control) => toControlView(controls.parse(control)),
    },
    query,
  );
};

async function findControls(programId: string, ownerId?: string, externalId?: string): Promise<Records> {
  const named = await findNamed(programId, "control", externalId, controls.key);
  if (named) return named;
  if (ownerId !== undefined) return { keys: await readControlKeys(programId, ownerId) };
  return { list: { programId, kind: controlList } };
}

export const viewControl: Operations["GET /controls/{controlId}"] = async ({ scope, path }) =>
  showControl(scope.programId, await controls.at(scope.programId, path.controlId).require());
