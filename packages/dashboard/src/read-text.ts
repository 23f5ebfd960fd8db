// The text of a body, up to a limit. The length that the client names is not trusted.
import { DashboardError } from "./dashboard-error.ts";

const bytesMax = 256 * 1024;

export const readText = async (request: Request): Promise<string> => {
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw new DashboardError(
        "QUEUERT_DASHBOARD_TOO_LARGE",
        "The body has more than 256 KiB: send less, such as a filter in place of ids.",
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};
