import { handler } from "../../../functions/controls/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { replay } from "../../harness/replay.ts";

/** What a control has used, and the sum of the transactions that it lists. */
export async function usageOf(programId: string, controlId: string) {
  const call = (route: "GET /controls/{controlId}/usage" | "GET /controls/{controlId}/transactions") =>
    replay(handler, apiEvent({ route, path: { controlId }, caller: { programId } }));
  const [usage, list] = await Promise.all([
    call("GET /controls/{controlId}/usage"),
    call("GET /controls/{controlId}/transactions"),
  ]);
  const items = list.body.items as { amount: number; count: number }[];
  const sum = (field: "amount" | "count") => items.reduce((total, item) => total + item[field], 0);
  return { used: usage.body.data.used, sum: { amount: sum("amount"), count: sum("count") } };
}
