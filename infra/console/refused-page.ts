import { idStart } from "../../shared/platform/id.ts";
import { refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { commandSection } from "./commands.ts";
import { NotFound, type Page } from "./page.ts";
import { toFields } from "./record-fields.ts";
import { programTrail } from "./trails.ts";

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
