/** Clay and ink. Five carriers have hue; everything else lies near the color of the page. */
export type Ground = "dark" | "light";

export interface Palette {
  readonly ground: Ground;
  readonly page: string;
  readonly land: string;
  readonly sea: string;
  readonly face: string;
  readonly clay: string;
  readonly clayMid: string;
  readonly clayLow: string;
  readonly glass: string;
  readonly edge: string;
  readonly screen: string;
  readonly charge: string;
  readonly photons: string;
  readonly stored: string;
  readonly waiting: string;
  readonly heat: string;
  /** Pulses of the question and of the answer: both are photons, told apart by shape and by lightness. */
  readonly question: string;
  readonly answer: string;
  readonly sky: number;
  readonly sun: number;
}

export const PALETTES: Readonly<Record<Ground, Palette>> = {
  dark: {
    ground: "dark", page: "#0E1116", land: "#2a3240", sea: "#1a2230", face: "#1d2430",
    clay: "#566173", clayMid: "#434d5e", clayLow: "#333c4b", glass: "#141a23", edge: "#8793a8", screen: "#dfe3e8",
    charge: "#F2C14E", photons: "#3A9BF4", stored: "#7FE7D6", waiting: "#7C828E", heat: "#E5484D",
    question: "#dbeafb", answer: "#8cc4fa", sky: 1.5, sun: 2.1,
  },
  light: {
    ground: "light", page: "#FBFAF7", land: "#e9e5da", sea: "#dfe3e4", face: "#ece8de",
    clay: "#fffdf8", clayMid: "#efebe1", clayLow: "#dcd7ca", glass: "#fbf9f3", edge: "#6d7078", screen: "#b9b4a6",
    charge: "#B86A00", photons: "#1A5FB4", stored: "#0B8A72", waiting: "#3D434D", heat: "#A3160F",
    question: "#1A5FB4", answer: "#1A5FB4", sky: 2.3, sun: 1.25,
  },
};
