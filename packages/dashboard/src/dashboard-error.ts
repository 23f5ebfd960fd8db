// The errors of this package. Each names the thing, the reason and the remedy.
import { QueuertError } from "queuert";

/** The codes of `DashboardError`. */
export type DashboardErrorCode =
  | "QUEUERT_DASHBOARD_ASSETS_MISSING"
  | "QUEUERT_DASHBOARD_OPEN"
  | "QUEUERT_DASHBOARD_AUTHORIZE"
  | "QUEUERT_DASHBOARD_BAD_REQUEST"
  | "QUEUERT_DASHBOARD_SIGN_IN"
  | "QUEUERT_DASHBOARD_FORBIDDEN"
  | "QUEUERT_DASHBOARD_CROSS_SITE"
  | "QUEUERT_DASHBOARD_NOT_FOUND"
  | "QUEUERT_DASHBOARD_TOO_LARGE"
  | "QUEUERT_DASHBOARD_BUSY"
  | "QUEUERT_DASHBOARD_HOST"
  | "QUEUERT_DASHBOARD_PORT";

/** An error of the dashboard. */
export class DashboardError extends QueuertError {
  readonly code: DashboardErrorCode;

  constructor(code: DashboardErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const signInError = (): DashboardError =>
  new DashboardError(
    "QUEUERT_DASHBOARD_SIGN_IN",
    "The request has no rights: sign in to the application first.",
  );
