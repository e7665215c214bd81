import { answerWith, responseCode } from "../../shared/adapters/iso8583/answer.ts";
import {
  isOfToken,
  readTokenMessage,
  type TokenMessage,
  toTokenAnswer,
  toTokenEvent,
} from "../../shared/adapters/iso8583/tokens/token-message.ts";
import type { MessageKind } from "./answer-message.ts";

/** What a wallet asks or says of a token. Sent again, it is known by the token: nothing changes. */
export const tokenMessages: MessageKind<TokenMessage> = {
  takes: isOfToken,
  read: readTokenMessage,
  answer: async ({ message, read, input }, by) => {
    const isRequest = read.is === "token_request";
    const found = await by.findCard(read, !isRequest, input);
    if (!found) return answerWith(message, responseCode.noSuchCard);
    const { programId } = found;
    const attemptId = toTokenEvent(read, found).eventId;
    const checked = isRequest ? await by.checkPrinted(read, found, attemptId) : {};
    const result = await by.ports.apply(toTokenEvent(read, found, checked));
    if (result.outcome === "refused") {
      const reason = "It does not fit the state of its token, or names another Card's.";
      await by.keepRefused({ reason, input, programId });
    }
    return toTokenAnswer(message, read, result);
  },
};
