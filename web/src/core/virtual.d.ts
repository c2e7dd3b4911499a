// Two halves of web/strings/en.json, made by vite.config.ts: what the first screen says, and the rest.
declare module "virtual:strings/first" {
  const texts: Record<string, string | Record<"child" | "student" | "engineer", string>>;
  export default texts;
}
declare module "virtual:strings/later" {
  const texts: Record<string, string | Record<"child" | "student" | "engineer", string>>;
  export default texts;
}
