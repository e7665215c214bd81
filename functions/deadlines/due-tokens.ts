import { execute } from "../../shared/changes/execute.ts";
import { verificationExpiry } from "../../shared/passcodes/passcode.ts";
import type { DueDeadline } from "../../shared/platform/deadlines.ts";
import { stepped } from "../../shared/tokens/steps.ts";
import { liveTokens } from "../../shared/tokens/token.ts";

/** Whether the token still waited for its passcode, which ends with its verification. */
export async function expireVerification(deadline: DueDeadline): Promise<boolean> {
  const { tokenId } = verificationExpiry.parse(deadline);
  const step = { programId: deadline.ownerId, tokenId, trigger: "expire", by: "platform" } as const;
  return "answer" in (await execute(stepped, step));
}

/** The Card is closed: it gets no new ones. One that has ended meanwhile is left. */
export async function deleteTokens(programId: string, cardId: string): Promise<void> {
  const live = await liveTokens.at(programId, cardId).get();
  for (const tokenId of live?.tokenIds ?? [])
    await execute(stepped, { programId, tokenId, trigger: "close", by: "platform" });
}
