import {
  controlList,
  controls,
  readControlKeys,
  showControl,
  toControlView,
} from "../../shared/controls/control.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { searchKey } from "../../shared/lists/search-key.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findKeys } from "../../shared/platform/labels.ts";

/** `cardholderId` leaves out the controls of the Cardholder's Cards. */
export const listControls: Operations["GET /controls"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state, externalId, name } = query;
  // A control is for one of them.
  if (cardId !== undefined && cardholderId !== undefined) return { items: [], total: 0 };
  const ownerId = cardId ?? cardholderId;
  return listPage(
    {
      records:
        ownerId === undefined && externalId === undefined
          ? { list: { programId, kind: controlList } }
          : { keys: await findControlKeys(programId, ownerId, externalId) },
      orders: { dateCreated: "createdAt", controlId: "entityId", name: "name" },
      sortKeys: controlList.sortKeys,
      filters: { cardId, cardholderId, state, ...(externalId !== undefined && { externalId }) },
      sought: name === undefined ? [] : [[{ attribute: "soughtName", prefix: searchKey(name) }]],
      view: (control) => toControlView(controls.parse(control)),
    },
    query,
  );
};

function findControlKeys(programId: string, ownerId: string | undefined, externalId: string | undefined) {
  return externalId === undefined
    ? readControlKeys(programId, ownerId ?? "")
    : findKeys(programId, "control", externalId, controls.key);
}

export const viewControl: Operations["GET /controls/{controlId}"] = async ({ scope, path }) =>
  showControl(scope.programId, await controls.at(scope.programId, path.controlId).require());
