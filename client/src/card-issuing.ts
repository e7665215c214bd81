export { type Client, type ClientOptions, createClient } from "./client.ts";
export { jsonLines } from "./json-lines.ts";
export {
  type ChangeNotification,
  type Notification,
  readNotification,
  type TransactionNotification,
  verifyNotification,
  type WebhookPing,
} from "./notification.ts";
export { pages } from "./pages.ts";
export type { Paths } from "./paths.ts";
export { type AnswerTo, type Question, verifyQuestion } from "./question.ts";
export { RequestRejectedError, unwrap } from "./unwrap.ts";
