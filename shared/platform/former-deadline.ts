type Item = Readonly<Record<string, unknown>>;

/** A stored deadline. The previous version kept some of its parts only in the ids. */
export function toCurrent(item: Item): Item {
  const id = String(item.deadlineId);
  switch (item.kind) {
    case "expire_hold":
      return { authorizationId: id.slice("hold:".length), ...item };
    case "charge_maintenance":
      return { cardId: id.slice("maintenance:".length), ...item };
    case "apply_cardholder_block":
      return { cardholderId: id.split(":")[1], ...item };
    case "retry_callback": {
      const [, attempt, messageId, endpointId, deliveryId] = id.split("|");
      const { ownerId: programId, cause } = item;
      const ids = { programId, messageId, endpointId, deliveryId };
      const delivery = { kind: "notification", ...ids, attempt: Number(attempt), cause };
      return { ...item, kind: "retry_delivery", delivery };
    }
    default:
      return item;
  }
}
