/** An account by the reader's own rules, from the local server; the one before stays until it is there. */
import { useEffect, useState } from "preact/hooks";
import { askAccount } from "../../core/server";
import type { Account } from "../../core/types";

export interface Question {
  readonly scenario: string;
  readonly boundary: readonly string[];
  readonly hour_h: number | null;
  readonly method: string;
  readonly set: Readonly<Record<string, string>>;
}

export function useAccount(question: Question | null): Account | null {
  const key = question ? JSON.stringify(question) : "";
  const [account, setAccount] = useState<Account | null>(null);
  useEffect(() => {
    if (!question) return;
    let here = true;
    const later = window.setTimeout(() => {
      askAccount({ ...question, boundary: [...question.boundary], samples: 0 }).then(
        (found) => here && setAccount(found),
        () => undefined,
      );
    }, 60);
    return () => {
      here = false;
      window.clearTimeout(later);
    };
  }, [key]);
  return question ? account : null;
}
