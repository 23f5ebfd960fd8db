// The client of a transaction that the provider has opened. A pool gives the same client to one transaction after another. So each
// transaction lends an object of its own: if it is used after its transaction, it refuses to join the next one.
import type { ClientBase, PoolClient } from "pg";
import { TransactionEndingError } from "queuert";
import { type Query, refuseQuery } from "./prepend-begin.ts";

export interface Loan {
  readonly client: PoolClient;
  isOver: boolean;
}

const loans = new WeakMap<object, Loan>();

/** The loan of a lent client; undefined for a client of the driver. */
export const loanOf = (client: object): Loan | undefined => loans.get(client);

/** An object that does all that the client does, until the loan is over. */
export const lendClient = (loan: Loan): PoolClient => {
  const query: Query = (...args) => {
    const { client, isOver } = loan;
    if (isOver) return refuseQuery(client, args, new TransactionEndingError("A statement"));
    // Read at each call: until BEGIN is answered, the client has a `query` of another kind.
    return Reflect.apply(client.query as Query, client, args);
  };
  const lent = new Proxy(loan.client, {
    get: (target, key) => (key === "query" ? query : bound(target, key)),
  });
  loans.set(lent, loan);
  return lent;
};

/** Methods run on the client itself, which may have private fields. */
const bound = (client: ClientBase, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(client, key);
  // A class is read, not called: `client.constructor`.
  return typeof value === "function" && key !== "constructor" ? value.bind(client) : value;
};
