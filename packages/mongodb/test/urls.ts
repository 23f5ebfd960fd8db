import { type TcpProxy, startTcpProxy } from "@queuert/test-services/tcp-proxy";

/** A proxy before the primary, and the URL by which a client goes through it and does not look for another way. */
export const proxied = async (
  url: string,
): Promise<{ readonly proxy: TcpProxy; readonly url: string }> => {
  const proxy = await startTcpProxy(url);
  return {
    proxy,
    url: `mongodb://${proxy.host}:${proxy.port}/?directConnection=true&serverSelectionTimeoutMS=5000`,
  };
};
