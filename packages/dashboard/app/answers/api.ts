// Requests to the server of the page.

/** An answer that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: unknown;

  constructor(status: number, code: string, message: string, detail: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

export type Params = Readonly<Record<string, string | number | null | undefined>>;

/** Beside the folder of the scripts, wherever the page is mounted. */
const base = new URL("../api/v1/", import.meta.url).href;

export const apiUrl = (path: string, params: Params = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
};

export interface Answer {
  /** Undefined: nothing has changed since `etag`. */
  readonly data: unknown;
  readonly etag: string | null;
}

/** Reads. With the tag of the last answer, an unchanged answer costs no body. */
export const get = async (
  url: string,
  { etag, signal }: { readonly etag: string | null; readonly signal: AbortSignal },
): Promise<Answer> => {
  const headers: Record<string, string> = { accept: "application/json" };
  if (etag !== null) headers["if-none-match"] = etag;
  const response = await send(url, { headers, signal });
  if (response.status === 304) return { data: undefined, etag };
  if (!response.ok) throw await toError(response);
  return { data: (await response.json()) as unknown, etag: response.headers.get("etag") };
};

/** Writes, or plans. The server demands this content type, which a form of another site cannot send. */
export const post = async (
  path: string,
  body: unknown,
  signal: AbortSignal | null = null,
): Promise<Response> => {
  const response = await send(apiUrl(path), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await toError(response);
  return response;
};

const send = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, "unreachable", "The server of this page does not answer.", null);
  }
};

const toError = async (response: Response): Promise<ApiError> => {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (typeof body === "object" && body !== null && "message" in body) {
    const { code, message, detail } = body as {
      code?: unknown;
      message: unknown;
      detail?: unknown;
    };
    return new ApiError(status, String(code ?? status), String(message), detail ?? null);
  }
  const text = status === 401 ? "You are signed out." : `The server answered with ${status}.`;
  return new ApiError(status, String(status), text, null);
};

/** The objects of a stream of lines, as they arrive. */
export async function* readLines(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as unknown;
    if (done) return;
  }
}
