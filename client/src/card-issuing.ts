export { type Client, type ClientOptions, createClient } from "./client.ts";
export { jsonLines } from "./json-lines.ts";
export {
  type ChangeNotification,
  type Notification,
  readNotification,
  type TransactionNotification,
  verifyNotification,
} from "./notification.ts";
export { pages } from "./pages.ts";
export type { Paths } from "./paths.ts";
export { RequestRejectedError, unwrap } from "./unwrap.ts";
