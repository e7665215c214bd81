import { lapseAuthentication } from "../../shared/authentications/ask-authentication.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { keptQuestions } from "../../shared/questions/kept-question.ts";

/** Declines what was asked about and not decided in time. */
export async function lapseQuestion(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId, deadlineId: subjectId } = deadline;
  const question = await keptQuestions.at(programId, subjectId).get();
  if (question?.request) await lapseAuthentication(question);
  else await transact([deadlineClaim(deadline, undefined)]);
}
