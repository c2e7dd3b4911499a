/** Everything 3D, in one chunk that is loaded when a screen asks for it. */
export { Runtime, type Gaze, type Pane, type Spot } from "./runtime";
export { PALETTES, type Ground, type Palette } from "./palette";
export type { JourneyOptions } from "./arc";
export { beside, gazeOf, journey } from "./journey";
export { globe } from "./globe";
export { word, type WordCounts, type WordModel } from "./word";
