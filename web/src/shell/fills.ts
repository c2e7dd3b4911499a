import { load } from "../core/data";
import type { Fill } from "../core/strings";

/** The figures that stand in texts, worked out by Python. */
export const loadFills = (): Promise<Record<string, Fill>> => load("fills.json");
