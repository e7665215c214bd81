import type { Read } from "../changes/change.ts";
import { type ListenerIds, makeRoom, readListenerIds } from "../passcodes/passcode.ts";

interface OfCard {
  readonly programId: string;
  readonly cardId: string;
  readonly cardholderId: string;
}

/** The Card's subscriptions to passcodes. Some may have ended, or be full: they are read again. */
export function readListeners({ programId, cardId, cardholderId }: OfCard): Read<ListenerIds> {
  const get = () => readListenerIds(programId, cardId, cardholderId);
  return { get, renew: (_, failed) => makeRoom(failed).then(get) };
}
