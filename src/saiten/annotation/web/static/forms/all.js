/* The forms by name. Each has: element, keys, read, write, problem, press, tell, and close where it listens to the page. */
import { Aspects } from "./aspects.js";
import { Correct } from "./correct.js";
import { Gist } from "./gist.js";
import { Grade } from "./grade.js";
import { Preference } from "./preference.js";

export const FORMS = { grade: Grade, correct: Correct, aspects: Aspects, gist: Gist, preference: Preference };
