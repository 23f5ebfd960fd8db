// Signing in to a server on its own: a link with a token becomes a cookie, or the browser asks for a password.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Authorization, Preset } from "../grant.ts";

interface SignInOptions {
  readonly password: { readonly user: string; readonly password: string } | undefined;
  readonly token: string | undefined;
  readonly rights: Preset | undefined;
}

const random = (): string => randomBytes(24).toString("base64url");

/** Takes as long for a wrong text as for the right one. */
const isSame = (given: string, expected: string): boolean => {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
};

export class SignIn {
  /** Part of the name of the cookie: browsers send cookies to every port of a machine. */
  port = 0;
  readonly #options: SignInOptions;
  /** Null: the link was used. */
  #token: string | null;
  readonly #sessions = new Set<string>();

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#token = options.password === undefined ? (options.token ?? random()) : null;
  }

  link(host: string): string {
    const query = this.#token === null ? "" : `?token=${encodeURIComponent(this.#token)}`;
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.port}/${query}`;
  }

  /** The answer to a link with a token. Null: the request has none. */
  exchange(request: Request): Response | null {
    const url = new URL(request.url);
    const given = url.searchParams.get("token");
    if (given === null || url.pathname !== "/" || request.method !== "GET") return null;
    if (this.#token === null || !isSame(given, this.#token)) {
      // A link that is opened again in the same browser leads to the page.
      return this.#session(request) === undefined ? this.refusal() : toPage({});
    }
    if (this.#options.token === undefined) this.#token = null;
    const session = random();
    this.#sessions.add(session);
    return toPage({
      "set-cookie": `${this.#cookieName()}=${session}; HttpOnly; SameSite=Strict; Path=/`,
    });
  }

  authorize(request: Request): Authorization {
    const { password, rights = "admin" } = this.#options;
    if (password !== undefined) {
      const isRight = isSame(basicOf(request), `${password.user}:${password.password}`);
      return isRight ? { user: password.user, rights } : null;
    }
    return this.#session(request) === undefined ? null : { rights };
  }

  /** Tells how to sign in. */
  refusal(): Response {
    const isPassword = this.#options.password !== undefined;
    const text = isPassword
      ? "Give the name and the password of the dashboard.\n"
      : "The link was used, or is not that of this server. Start the dashboard again for a new one.\n";
    const headers = isPassword
      ? { "www-authenticate": 'Basic realm="Queuert", charset="UTF-8"' }
      : {};
    return new Response(text, { status: 401, headers });
  }

  #cookieName(): string {
    return `queuert_${this.port}`;
  }

  #session(request: Request): string | undefined {
    const name = `${this.#cookieName()}=`;
    return (request.headers.get("cookie") ?? "")
      .split(/;\s*/)
      .filter((cookie) => cookie.startsWith(name))
      .map((cookie) => cookie.slice(name.length))
      .find((session) => this.#sessions.has(session));
  }
}

const toPage = (headers: Record<string, string>): Response =>
  new Response(null, { status: 303, headers: { ...headers, location: "/" } });

const basicOf = (request: Request): string => {
  const [, encoded = ""] = /^Basic (.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return Buffer.from(encoded, "base64").toString("utf8");
};
