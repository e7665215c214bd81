import { refusedInputs } from "../../../shared/platform/refused/refused-input.ts";
import { commandSection } from "./commands.ts";
import { NotFound, type Page } from "./page.ts";
import { toFields } from "./record-page.ts";
import { programTrail } from "./trails.ts";

const fields = ["refusedId", "port", "reason", "programId", "receivedAt", "isCut"];

/** Why an input from outside was not applied. Only the operator's command shows the input. */
export async function refusedPage(environment: string, refusedId: string): Promise<Page> {
  const refused = await refusedInputs.at(refusedId).get();
  if (!refused) throw new NotFound(`There is no refused input ${refusedId}.`);
  return {
    title: `Refused input ${refusedId}`,
    trail: refused.programId === undefined ? [] : programTrail(refused.programId),
    sections: [
      toFields("Refused input", fields, refused, { kind: "refused" }),
      ...commandSection(environment, [
        { about: "Read the input", command: "view-refused", input: { refusedId } },
      ]),
    ],
  };
}
