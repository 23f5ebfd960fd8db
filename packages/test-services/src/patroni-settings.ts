// The settings of Patroni, and of the PostgreSQL that it starts.

export type PatroniNodeOptions = {
  readonly name: string;
  readonly etcdPort: number;
  readonly isSynchronous: boolean;
};

/** For the cluster: the first node writes them to etcd. */
const clusterSettings = (isSynchronous: boolean): object => ({
  // Short, for a failover in seconds. Longer than a leader that must stay one stands still, also on a busy machine.
  ...{ ttl: 12, loop_wait: 1, retry_timeout: 5 },
  // A standby that is behind is promoted, too.
  maximum_lag_on_failover: 1_000_000_000,
  synchronous_mode: isSynchronous,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: { max_connections: 200, wal_keep_size: "64MB" },
  },
});

type Places = {
  readonly ports: { readonly postgres: number; readonly wire: number; readonly rest: number };
  readonly data: string;
  readonly binDir: string;
  readonly pidPath: string;
  readonly passPath: string;
};

/** As YAML, of which JSON is a part. */
export const settingsFor = (
  { name, etcdPort, isSynchronous }: PatroniNodeOptions,
  { ports, data, binDir, pidPath, passPath }: Places,
): string => {
  const user = { username: "postgres" };
  const restAddress = `127.0.0.1:${ports.rest}`;
  return JSON.stringify({
    ...{ scope: "queuert", name, watchdog: { mode: "off" } },
    restapi: { listen: restAddress, connect_address: restAddress },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: clusterSettings(isSynchronous),
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "trust" }, "no-sync"],
    },
    postgresql: {
      listen: `127.0.0.1:${ports.postgres}`,
      connect_address: `127.0.0.1:${ports.wire}`,
      ...{ data_dir: data, bin_dir: binDir, pgpass: passPath },
      authentication: { superuser: user, replication: user, rewind: user },
      parameters: { unix_socket_directories: "", external_pid_file: pidPath },
      pg_hba: ["host all,replication postgres 127.0.0.1/32 trust"],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  });
};
