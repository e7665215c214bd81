import { lapseAuthentication } from "../../shared/authentications/ask-authentication.ts";
import type { DueDeadline } from "../../shared/platform/deadlines.ts";
import { log } from "../../shared/platform/log.ts";
import { present } from "../../shared/platform/table/condition.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { keptQuestions } from "../../shared/questions/kept-question.ts";
import { lapseToken } from "../../shared/tokens/ask-token.ts";

/** Declines what was asked about and not decided in time. */
export async function lapseQuestion(deadline: DueDeadline): Promise<boolean> {
  const { ownerId: programId, deadlineId: subjectId } = deadline;
  const kept = keptQuestions.at(programId, subjectId);
  const question = await kept.get();
  if (!question?.request) return false;
  if (question.about === "token") await lapseToken(subjectId, question);
  else await lapseAuthentication(question);
  // Its event's id was another's: it never becomes a token, and would be tried for ever.
  if (!(await kept.get())?.request) return true;
  log.warn("The question cannot be decided.", { programId, subjectId });
  await transact([kept.delete({ request: present })]);
  return true;
}
