// The names by which a server on its own may be called. A page of another site can make a browser call this machine under the
// name of that site; such a call is refused.
import { isIP, isIPv4 } from "node:net";

const loopback = ["127.0.0.1", "localhost", "[::1]", "::1"];

/** Only this machine reaches the address. */
export const isLoopback = (host: string): boolean =>
  loopback.includes(host) || (isIPv4(host) && host.startsWith("127."));

/** Host names, as a URL has them. */
export const allowedHosts = (host: string, names: readonly string[]): ReadonlySet<string> => {
  const isAny = host === "0.0.0.0" || host === "::";
  const own = isAny ? [] : [isIP(host) === 6 ? `[${host}]` : host];
  return new Set([...loopback, ...own, ...names].map((name) => name.toLowerCase()));
};
