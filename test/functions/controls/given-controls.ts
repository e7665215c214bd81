import { givenCard, givenProgram } from "../../harness/given-cards.ts";

/** A Program with the calls of spend controls. */
export async function givenControls() {
  const program = await givenProgram();
  const onControl = (route: Parameters<typeof program.call>[0]) => (controlId: string, body?: object) =>
    program.call(route, { path: { controlId }, ...(body && { body }) });
  const create = (body: object = {}) =>
    program.call("POST /controls", { body: { name: "Fuel only", cash: "block", ...body } });
  return {
    ...program,
    create,
    /** The ids of so many new ones, one after the other. */
    createMany: async (count: number, body: object = {}): Promise<string[]> => {
      const ids: string[] = [];
      for (let made = 0; made < count; made += 1) ids.push((await create(body)).body.data.controlId);
      return ids;
    },
    list: async (query: Record<string, string> = {}) => (await program.call("GET /controls", { query })).body,
    view: onControl("GET /controls/{controlId}"),
    replace: onControl("PUT /controls/{controlId}"),
    remove: onControl("DELETE /controls/{controlId}"),
    activate: onControl("POST /controls/{controlId}/activate"),
    /** A new Card of a new Cardholder, or of the one given. */
    givenCard: async (details: Record<string, unknown> = {}) => {
      const { cardId, cardholderId } = await givenCard(program, details);
      return { cardId: String(cardId), cardholderId: String(cardholderId) };
    },
  };
}
export type GivenControls = Awaited<ReturnType<typeof givenControls>>;
