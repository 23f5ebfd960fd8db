// The headers of every answer. The page runs scripts and styles of its own address only, and creates no markup from texts.

const policy = (frameAncestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

/** The answer with the headers. `frameAncestors`: the pages that may show the dashboard in a frame. */
export const withHeaders = (answer: Response, frameAncestors = "'none'"): Response => {
  // Those of a redirect cannot be changed in place.
  const headers = new Headers(answer.headers);
  headers.set("content-security-policy", policy(frameAncestors));
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-opener-policy", "same-origin");
  headers.set("cross-origin-resource-policy", "same-origin");
  headers.set("x-robots-tag", "noindex");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return new Response(answer.body, { status: answer.status, headers });
};
